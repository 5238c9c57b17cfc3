"use strict";
// Light, dark, or as the system has it; remembered where the browser allows it.
(() => {
  const modes = ["system", "light", "dark"];
  const root = document.documentElement;
  let mode = "system";
  try { mode = localStorage.getItem("conform-theme") || mode; } catch { /* a page may be opened without storage */ }
  const show = () => {
    if (mode === "light" || mode === "dark") root.dataset.theme = mode; else delete root.dataset.theme;
    const button = document.getElementById("theme");
    if (button) {
      button.hidden = false;
      button.textContent = "theme: " + mode;
    }
  };
  const next = () => {
    mode = modes[(modes.indexOf(mode) + 1) % modes.length];
    try { localStorage.setItem("conform-theme", mode); } catch { /* then it is not remembered */ }
    show();
  };
  show();
  document.addEventListener("DOMContentLoaded", () => {
    show();
    document.getElementById("theme").addEventListener("click", next);
  });
  window.conformNextTheme = next;
})();
