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

  // What is saved is what the panel shows: while an answer is on its way, the button would save the values before.
  document.addEventListener("input", (event) => {
    if (!event.target.closest("form[hx-get]")) return;
    const save = document.querySelector("#what-if-changes form button");
    if (save) save.disabled = true;
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
