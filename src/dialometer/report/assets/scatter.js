// One plot: points on a canvas, a ring and a tooltip above it.
function makeScatter(root, data, panel) {
  const plot = data.plots[root.dataset.plot];
  const canvas = root.querySelector("canvas");
  const [ring, tip, spoken] = [".ring", ".tip", ".spoken"].map((name) => root.querySelector(name));
  const names = { x: root.dataset.x, y: root.dataset.y };
  const points = pointsOf(data, plot);
  const systems = [...new Set(points.map((point) => point.system))].sort((a, b) => a - b);
  const shuffled = [...points].sort((a, b) => scramble(a.row) - scramble(b.row)); // so that no system hides the others
  const hidden = new Set();
  const view = { points, at: -1, isShown: (point) => !hidden.has(point.system) };

  function draw() {
    const width = canvas.clientWidth;
    const height = Math.round(Math.min(460, Math.max(280, width * 0.62)));
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const box = { left: 62, right: width - 12, top: 8, bottom: height - 46 };
    const xs = makeScale(spread(points.map((point) => point.drawnX)), box.left, box.right);
    const ys = makeScale(spread(points.map((point) => point.y)), box.bottom, box.top);
    drawAxes(context, box, xs, ys, names);
    context.globalAlpha = points.length > 2000 ? 0.4 : 0.6;
    const radius = points.length > 2000 ? 2.4 : 3.4;
    for (const point of points) [point.px, point.py] = [xs.at(point.drawnX), ys.at(point.y)];
    const colours = new Map(systems.map((system) => [system, colourOf(`s${(system % COLOURS) + 1}`)]));
    for (const point of shuffled.filter(view.isShown)) {
      context.fillStyle = colours.get(point.system);
      context.beginPath();
      shapeOn(context, point.system, point.px, point.py, radius);
      context.fill();
    }
    context.globalAlpha = 1;
    if (view.at >= 0) mark(view.at);
  }

  function mark(k) {
    view.at = k;
    const point = points[k];
    ring.hidden = !point || !view.isShown(point);
    if (ring.hidden) return;
    ring.style.left = `${point.px}px`;
    ring.style.top = `${point.py}px`;
  }

  function describe(point) {
    const system = systemName(data, point.row);
    return [data.ids[point.row], ...(system ? [system] : []), `${names.x}: ${spell(point.x)}`, `${names.y}: ${spell(point.y)}`];
  }

  function hint(k) {
    tip.hidden = k < 0;
    if (k < 0) return;
    const [id, ...rest] = describe(points[k]);
    tip.replaceChildren(make("strong", "", id), ...rest.map((text) => make("div", "", text)));
    const left = Math.min(points[k].px + 14, canvas.clientWidth - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${points[k].py + 16}px`;
  }

  function nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    points.forEach((point, k) => {
      const apart = (point.px - x) ** 2 + (point.py - y) ** 2;
      if (apart < least && view.isShown(point)) [best, least] = [k, apart];
    });
    return best;
  }

  function goTo(k) {
    mark(k);
    hint(k);
    spoken.textContent = describe(points[k]).join(", ");
  }

  function open(k) {
    mark(k);
    hint(-1);
    panel.open(points[k].row, canvas, (way) => {
      mark(step(view, view.at, way));
      return points[view.at].row;
    });
  }

  const under = (event) => {
    const frame = canvas.getBoundingClientRect();
    return nearest(event.clientX - frame.left, event.clientY - frame.top, event.pointerType === "touch" ? 28 : 14);
  };
  canvas.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") hint(under(event)); });
  canvas.addEventListener("pointerleave", () => hint(-1));
  canvas.addEventListener("blur", () => hint(-1));
  canvas.addEventListener("click", (event) => {
    const k = under(event);
    if (k >= 0) open(k);
  });
  canvas.addEventListener("keydown", (event) => walkByKey(event, view, goTo, open));
  document.addEventListener("theme", draw);
  document.addEventListener("item", (event) => {
    const isHere = view.at >= 0 && points[view.at].row === event.detail;
    if (!isHere) mark(points.findIndex((point) => point.row === event.detail));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(draw).observe(root);
  for (const moment of ["beforeprint", "afterprint"]) window.addEventListener(moment, draw);
  fillLegend(root.querySelector(".legend"), systems.map((system) => [system, data.systems[system] || "no system"]), hidden, draw);
  draw();
}
