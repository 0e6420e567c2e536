// A number for each row that looks like chance and is always the same.
function scramble(row) {
  return Math.imul(row + 1, 0x9e3779b1) >>> 0;
}

// The points of a plot in walking order: by x, then y.
function pointsOf(data, plot) {
  const rows = Array.isArray(plot.rows) ? plot.rows : data.rows[plot.rows] || data.ids.map((_, row) => row);
  const value = (column, row, k) => (Array.isArray(column) ? column[k] : data.columns[column][row]);
  const points = rows.map((row, k) => {
    const x = value(plot.x, row, k);
    return { row, x, y: value(plot.y, row, k), drawnX: x + plot.jitter * (data.noise[row] / data.step), system: data.system[row], px: 0, py: 0 };
  });
  return points.sort((a, b) => a.x - b.x || a.y - b.y || a.row - b.row);
}
