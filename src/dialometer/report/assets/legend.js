// Which systems are shown: a button each.
function fillLegend(legend, systems, hidden, draw) {
  if (systems.length < 2) return;
  const buttons = systems.map(([system, name]) => {
    const button = make("button", "", "");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.append(swatch(system), make("span", "", name));
    button.addEventListener("click", () => turn(button, system, hidden.has(system)));
    return button;
  });
  const all = make("button", "all", "Hide all");
  all.type = "button";
  function turn(button, system, on) {
    if (on) hidden.delete(system);
    else hidden.add(system);
    button.setAttribute("aria-pressed", String(on));
    all.textContent = hidden.size === systems.length ? "Show all" : "Hide all";
    draw();
  }
  all.addEventListener("click", () => {
    const on = hidden.size === systems.length;
    buttons.forEach((button, k) => turn(button, systems[k][0], on));
  });
  legend.append(...buttons, all);
}

function swatch(number) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "-6 -6 12 12");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  const kind = Math.floor(number / COLOURS) % SHAPES;
  path.setAttribute("d", ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", "M-4.4-4.4h8.8v8.8h-8.8z", "M0-5L5 4H-5z", "M0-6L6 0L0 6L-6 0z"][kind]);
  path.style.fill = `var(--s${(number % COLOURS) + 1})`;
  svg.append(path);
  return svg;
}
