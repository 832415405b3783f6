// Keeps what the reader has opened while a what-if replaces the result, and opens the section a link leads to.
(function () {
  "use strict";
  let open = new Set();

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target && event.detail.target.id === "result") {
      open = new Set(Array.from(event.detail.target.querySelectorAll("details[open]"), (one) => one.id));
    }
  });
  document.addEventListener("htmx:afterSwap", () => {
    open.forEach((id) => {
      const details = document.getElementById(id);
      if (details) details.open = true;
    });
  });

  function openTarget() {
    const target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      target.scrollIntoView();
    }
  }
  document.addEventListener("DOMContentLoaded", openTarget);
  window.addEventListener("hashchange", openTarget);
})();
