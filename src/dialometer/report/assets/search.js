// Find an item by its id or by words of its dialogue.
function makeSearch(data, panel) {
  const [field, found, hits] = ["find", "found", "hits"].map((name) => document.getElementById(name));
  if (!field) return;
  const most = 30;
  let index = null; // made at the first search
  let waiting = 0;
  const wordsOf = (row) => {
    const turns = turnsAt(data, row).turns.map((turn) => turn.text);
    const parts = [data.ids[row], systemName(data, row), ...turns, textAt(data, data.response[row]), ...referencesAt(data, row).texts];
    return parts.join("\n").toLowerCase();
  };
  const hit = (row) => {
    const line = make("li");
    const button = make("button", "", data.ids[row]);
    button.type = "button";
    const turns = turnsAt(data, row).turns;
    button.append(make("span", "", textAt(data, data.response[row]) || (turns.length ? turns[turns.length - 1].text : "")));
    button.addEventListener("click", () => panel.open(row, button));
    line.append(button);
    return line;
  };
  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) {
      found.textContent = "";
      hits.replaceChildren();
      return;
    }
    index = index || data.ids.map((_, row) => wordsOf(row));
    const rows = [];
    index.forEach((text, row) => { if (words.every((word) => text.includes(word))) rows.push(row); });
    const count = rows.length.toLocaleString("en");
    found.textContent = rows.length > most ? `${count} items; the first ${most}:` : `${count} ${rows.length === 1 ? "item" : "items"}`;
    hits.replaceChildren(...rows.slice(0, most).map(hit));
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
}
