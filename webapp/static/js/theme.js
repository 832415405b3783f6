// Follows the colours of the system until the user has chosen; runs before the page is drawn.
(function () {
  "use strict";
  const root = document.documentElement;
  if (!root.hasAttribute("data-theme-from-system")) return;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => root.setAttribute("data-bs-theme", dark.matches ? "dark" : "light");
  follow();
  dark.addEventListener("change", follow);
})();
