// Scales and axes of the canvas, as in the drawn charts.
const COLOURS = 8;
const SHAPES = 4;

function spread(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) {
    const room = Math.max(0.5, Math.abs(low) * 0.1);
    return [low - room, high + room];
  }
  const air = 0.04 * (high - low);
  return [low - air, high + air];
}

function ticks(low, high, about) {
  const rough = (high - low) / about;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const miss = (size) => Math.abs(Math.log(size / rough));
  const step = [1, 2, 5, 10].map((factor) => unit * factor).reduce((best, size) => (miss(size) < miss(best) - 1e-12 ? size : best));
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); k += 1) marks.push(Number((k * step).toPrecision(12)));
  return marks;
}

function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function shapeOn(context, number, x, y, radius) {
  const kind = Math.floor(number / COLOURS) % SHAPES;
  let r = radius;
  if (kind === 0) {
    context.moveTo(x + r, y);
    context.arc(x, y, r, 0, 2 * Math.PI);
  } else if (kind === 1) {
    r *= 0.89;
    context.rect(x - r, y - r, 2 * r, 2 * r);
  } else if (kind === 2) {
    r *= 1.2;
    context.moveTo(x, y - r);
    context.lineTo(x + r, y + 0.7 * r);
    context.lineTo(x - r, y + 0.7 * r);
    context.closePath();
  } else {
    r *= 1.25;
    context.moveTo(x, y - r);
    context.lineTo(x + r, y);
    context.lineTo(x, y + r);
    context.lineTo(x - r, y);
    context.closePath();
  }
}

function drawAxes(context, box, xs, ys, names) {
  context.font = "12px system-ui, sans-serif";
  context.lineWidth = 1;
  const stroke = (value, x1, y1, x2, y2) => {
    context.strokeStyle = colourOf(value === 0 ? "axis" : "grid");
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  };
  const soft = colourOf("soft");
  for (const value of ticks(xs.low, xs.high, Math.max(3, Math.round((box.right - box.left) / 90)))) {
    stroke(value, xs.at(value), box.top, xs.at(value), box.bottom);
    context.fillStyle = soft;
    context.textAlign = "center";
    context.fillText(spell(value), xs.at(value), box.bottom + 17);
  }
  for (const value of ticks(ys.low, ys.high, Math.max(3, Math.round((box.bottom - box.top) / 55)))) {
    stroke(value, box.left, ys.at(value), box.right, ys.at(value));
    context.fillStyle = soft;
    context.textAlign = "right";
    context.fillText(spell(value), box.left - 7, ys.at(value) + 4);
  }
  context.fillStyle = colourOf("ink");
  context.textAlign = "center";
  context.font = "13px system-ui, sans-serif";
  context.fillText(names.x, (box.left + box.right) / 2, box.bottom + 37, box.right - box.left);
  context.save();
  context.translate(12, (box.top + box.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(names.y, 0, 0, box.bottom - box.top);
  context.restore();
}

function makeScale([low, high], start, end) {
  return { low, high, at: (value) => start + ((value - low) / (high - low)) * (end - start) };
}
