// The items: base64 → zip → JSON. Nothing is fetched.
async function unpack() {
  const node = document.getElementById("items");
  if (!node) return null;
  const bytes = Uint8Array.from(atob(node.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(stream).text());
  data.cut = new Set(data.cut);
  return data;
}
