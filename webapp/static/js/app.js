// A form is sent once, however often its button is clicked; it may be sent again when the page is shown again.
(function () {
  "use strict";
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || (form.getAttribute("method") || "get").toLowerCase() !== "post") return;
    if (form.dataset.sent) event.preventDefault();
    else form.dataset.sent = "yes";
  });
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
  });
})();
