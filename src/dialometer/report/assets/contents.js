// The table of contents: folded on a narrow screen, and it knows where the reader is.
function followContents() {
  const contents = document.querySelector(".contents details");
  const narrow = matchMedia("(max-width: 60rem)");
  const fold = () => { contents.open = !narrow.matches; };
  fold();
  narrow.addEventListener("change", fold);
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const name = entry.target.getAttribute("aria-labelledby");
      if (entry.isIntersecting) seen.add(name);
      else seen.delete(name);
    }
    const current = [...links.keys()].find((name) => seen.has(name));
    for (const [name, link] of links) {
      if (name === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -60% 0px" });
  for (const section of document.querySelectorAll("main > section[aria-labelledby]")) watch.observe(section);
}
