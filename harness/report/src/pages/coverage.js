// Search, and links into what is shut. Without it the page shows all the same.
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const cards = [...document.querySelectorAll(".list > .case")];
  const texts = cards.map((card) => (card.id + " " + card.textContent).toLowerCase());
  const q = byId("q");
  const search = () => {
    const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    cards.forEach((card, index) => {
      card.hidden = !words.every((word) => texts[index].includes(word));
      shown += card.hidden ? 0 : 1;
    });
    for (const heading of document.querySelectorAll(".list > h3")) {
      let next = heading.nextElementSibling;
      let any = false;
      for (; next && next.tagName !== "H3"; next = next.nextElementSibling) any ||= !next.hidden;
      heading.hidden = !any;
    }
    byId("count").textContent = `${shown} of ${cards.length} types × dialects`;
  };
  const follow = () => {
    let target = location.hash.slice(1);
    try { target = decodeURIComponent(target); } catch { return; }
    const card = byId(target);
    if (!card || !card.classList.contains("case")) return;
    q.value = "";
    search();
    document.querySelectorAll(".target").forEach((old) => old.classList.remove("target"));
    card.classList.add("target");
    card.open = true;
    card.querySelector("summary").focus({ preventScroll: true });
    card.scrollIntoView({ block: "start" });
  };
  q.addEventListener("input", search);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target === q;
    if (event.key === "Escape") { q.value = ""; q.blur(); search(); }
    if (event.key === "/" && !typing) { event.preventDefault(); q.focus(); }
    if (event.key === "t" && !typing) window.conformNextTheme();
  });
  byId("filters").hidden = false;
  window.addEventListener("hashchange", follow);
  search();
  follow();
})();
