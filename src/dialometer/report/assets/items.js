// One item, put together from the columns.
function textAt(data, number) {
  return number < 0 ? "" : data.texts[number];
}

function turnsAt(data, row) {
  const flat = data.contexts[data.context[row]];
  const turns = [];
  for (let k = 1; k < flat.length; k += 2) turns.push({ speaker: data.speakers[flat[k]], text: textAt(data, flat[k + 1]) });
  return { leftOut: flat[0], turns };
}

function referencesAt(data, row) {
  const [total, ...numbers] = data.references[data.reference[row]];
  return { total, texts: numbers.map((number) => textAt(data, number)) };
}

function isCut(data, row) {
  const turns = data.contexts[data.context[row]].filter((_, k) => k && k % 2 === 0);
  const references = data.references[data.reference[row]].slice(1);
  return [...turns, ...references, data.response[row]].some((number) => data.cut.has(number));
}

function spell(value) {
  if (value === null || value === undefined) return "–";
  return String(value).replaceAll("-", "−");
}

function ratingText(values) {
  const given = values.filter((value) => value !== null);
  if (!given.length) return "–";
  if (values.length === 1) return spell(values[0]);
  const mean = given.reduce((sum, value) => sum + value, 0) / given.length;
  return `${spell(mean.toFixed(2))} (${values.map(spell).join(", ")})`;
}

function systemName(data, row) {
  return data.systems[data.system[row]];
}
