// Everything begins here.
followContents();
for (const table of document.querySelectorAll("figure table")) makeSortable(table);
unpack().then((data) => {
  if (!data) return;
  const panel = makePanel(data);
  makeSearch(data, panel);
  for (const root of document.querySelectorAll(".scatter")) makeScatter(root, data, panel);
  document.documentElement.dataset.ready = "yes";
}).catch((error) => {
  for (const root of document.querySelectorAll(".scatter")) root.textContent = `The items could not be unpacked: ${error}`;
});
