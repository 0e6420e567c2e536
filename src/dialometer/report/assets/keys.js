// Walking through the points of a plot by keyboard.
function step(view, from, way) {
  const { points, isShown } = view;
  for (let k = from + way; k >= 0 && k < points.length; k += way) if (isShown(points[k])) return k;
  return from >= 0 && from < points.length && isShown(points[from]) ? from : -1;
}

function walkByKey(event, view, goTo, open) {
  const last = view.points.length;
  const far = Math.max(1, Math.round(last / 20));
  const moves = {
    ArrowRight: () => step(view, view.at, 1),
    ArrowDown: () => step(view, view.at, 1),
    ArrowLeft: () => step(view, view.at < 0 ? last : view.at, -1),
    ArrowUp: () => step(view, view.at < 0 ? last : view.at, -1),
    PageDown: () => step(view, Math.min(view.at + far, last) - 1, 1),
    PageUp: () => step(view, Math.max(view.at - far, -1) + 1, -1),
    Home: () => step(view, -1, 1),
    End: () => step(view, last, -1),
  };
  const opens = event.key === "Enter" || event.key === " ";
  if (!opens && !moves[event.key]) return;
  event.preventDefault();
  const k = opens ? view.at : moves[event.key]();
  if (k < 0) return;
  if (opens) open(k);
  else goTo(k);
}
