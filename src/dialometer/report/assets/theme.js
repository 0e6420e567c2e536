// The theme of last time, before anything is painted; then the button.
(() => {
  "use strict";
  const root = document.documentElement;
  const key = "dialometer-theme";
  let kept = null;
  try { kept = localStorage.getItem(key); } catch { /* no storage here: the choice lasts as long as the page */ }
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const tell = () => { button.textContent = isDark() ? "◐ Light" : "◐ Dark"; };
    button.hidden = false;
    tell();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem(key, root.dataset.theme); } catch { /* as above */ }
      tell();
      document.dispatchEvent(new Event("theme"));
    });
  });
})();
