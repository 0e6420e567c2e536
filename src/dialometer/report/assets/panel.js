// The panel that shows an item. Item text enters the page as text alone, never as markup.
const LAST = 3; // turns before a response that are shown at once

function make(name, kind, text) {
  const node = document.createElement(name);
  if (kind) node.className = kind;
  if (text !== undefined) node.textContent = text;
  return node;
}

function turnNode(speaker, text, kind) {
  const node = make("p", kind);
  const said = make("span", "", text || "(empty)");
  said.dir = "auto";
  node.append(make("span", "speaker", speaker), said);
  return node;
}

function factsNode(pairs, kind) {
  const list = make("dl", kind);
  for (const [name, value] of pairs) {
    const row = make("div");
    row.append(make("dt", "", name), make("dd", "", value));
    list.append(row);
  }
  return list;
}

function itemNodes(data, row) {
  const nodes = [make("p", "who", systemName(data, row))];
  const { leftOut, turns } = turnsAt(data, row);
  const response = textAt(data, data.response[row]);
  const talk = make("div", "talk");
  if (leftOut) talk.append(make("p", "soft", `${leftOut} earlier turns are not in this page.`));
  const said = turns.map((turn) => turnNode(turn.speaker, turn.text, "turn"));
  if (response && said.length > LAST + 1) {
    const earlier = make("details", "earlier");
    earlier.append(make("summary", "", `${said.length - LAST} earlier turns`), ...said.splice(0, said.length - LAST));
    talk.append(earlier);
  }
  talk.append(...said);
  if (response || !turns.length) talk.append(turnNode("response", response, "turn response"));
  nodes.push(talk);
  const { total, texts } = referencesAt(data, row);
  if (texts.length) {
    const list = make("ul", "references");
    for (const text of texts) list.append(make("li", "", text));
    if (total > texts.length) list.append(make("li", "soft", `and ${(total - texts.length).toLocaleString("en")} more`));
    nodes.push(make("p", "label", "References"), list);
  }
  const rated = Object.entries(data.ratings).filter(([, all]) => all[row].length);
  if (rated.length) nodes.push(make("p", "label", "Ratings: mean, and each"), factsNode(rated.map(([name, all]) => [name, ratingText(all[row])]), "facts one"));
  const scores = Object.entries(data.scores);
  if (scores.length) nodes.push(make("p", "label", "Scores"), factsNode(scores.map(([name, column]) => [name, spell(data.columns[column][row])]), "facts"));
  if (isCut(data, row)) nodes.push(make("p", "soft", "Texts that end in … are longer: this page keeps their beginning only."));
  return nodes;
}

function makePanel(data) {
  const panel = document.getElementById("panel");
  const title = document.getElementById("panel-title");
  const [previous, next] = ["previous", "next"].map((name) => document.getElementById(name));
  let opener = null;
  let walk = null; // steps to the neighbour in the plot that the item was opened from
  const show = (row) => {
    title.textContent = data.ids[row];
    document.getElementById("panel-body").replaceChildren(...itemNodes(data, row));
    panel.scrollTop = 0;
    document.dispatchEvent(new CustomEvent("item", { detail: row }));
  };
  const open = (row, from, step) => {
    opener = from;
    walk = step || null;
    previous.hidden = next.hidden = !walk;
    show(row);
    if (!panel.open) panel.show();
    title.focus({ preventScroll: true });
  };
  const close = () => {
    if (!panel.open) return;
    panel.close();
    if (opener) opener.focus({ preventScroll: true });
  };
  previous.addEventListener("click", () => show(walk(-1)));
  next.addEventListener("click", () => show(walk(1)));
  document.getElementById("close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  return { open, close };
}
