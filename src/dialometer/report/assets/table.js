// Tables sort by the column whose heading is pressed: best first for numbers, then the other way, then as they came.
function makeSortable(table) {
  const body = table.tBodies[0];
  const asTheyCame = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = heading.querySelector("button.sort");
    if (!button) return;
    button.addEventListener("click", () => {
      const numeric = heading.classList.contains("num");
      const order = numeric ? ["none", "descending", "ascending"] : ["none", "ascending", "descending"];
      const now = order[(order.indexOf(heading.getAttribute("aria-sort")) + 1) % 3];
      for (const other of headings) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", now);
      body.append(...(now === "none" ? asTheyCame : sorted(asTheyCame, column, numeric, now === "ascending" ? 1 : -1)));
    });
  });
}

function sorted(rows, column, numeric, way) {
  const value = (row) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent;
    return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
  };
  return [...rows].sort((a, b) => {
    const [p, q] = [value(a), value(b)];
    if (p === null || q === null) return (p === null) - (q === null); // what is missing stays last
    return way * (numeric ? p - q : p.localeCompare(q, "en", { numeric: true }));
  });
}
