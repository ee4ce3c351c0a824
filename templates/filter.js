// Shows the filters, hides the cards that they do not ask for, and keeps their state in the address:
// `#metric=lat&ddir=write&by=raid&q=words`. Without this script every card is shown.
(function () {
  "use strict";
  var form = document.querySelector(".filters");
  if (!form) return;
  var names = ["metric", "ddir", "by", "q"];
  var cards = Array.prototype.slice.call(document.querySelectorAll("[data-cards] .card"));
  var sections = Array.prototype.slice.call(document.querySelectorAll("[data-cards]"));
  var output = form.querySelector("output");

  function has(list, separator, value) {
    return value === "" || (list || "").split(separator).indexOf(value) >= 0;
  }

  function value(name) {
    return form.elements[name].value.trim();
  }

  function apply() {
    var words = value("q").toLowerCase().split(/\s+/);
    var active = names.some(function (name) { return value(name) !== ""; });
    var shown = 0;
    cards.forEach(function (card) {
      var data = card.dataset;
      var show = has(data.metrics, " ", value("metric"))
        && has(data.ddirs, " ", value("ddir"))
        && has(data.compares, "\n", value("by"))
        && words.every(function (word) { return data.words.indexOf(word) >= 0; });
      card.hidden = !show;
      if (show) shown += 1;
    });
    sections.forEach(function (section) {
      section.classList.toggle("empty", active && !section.querySelector(".card:not([hidden])"));
    });
    output.textContent = active ? shown + " of " + cards.length + " charts" : cards.length + " charts";
  }

  // A fragment without `=` is the address of a section and no state.
  function read() {
    var state = new URLSearchParams(location.hash.indexOf("=") < 0 ? "" : location.hash.slice(1));
    names.forEach(function (name) {
      var field = form.elements[name];
      field.value = state.get(name) || "";
      if (field.selectedIndex < 0) field.value = "";
    });
    apply();
  }

  function write() {
    var state = new URLSearchParams();
    names.forEach(function (name) { if (value(name) !== "") state.set(name, value(name)); });
    var text = state.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    apply();
  }

  form.hidden = false;
  form.addEventListener("input", write);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.addEventListener("reset", function () { setTimeout(write, 0); });
  window.addEventListener("hashchange", function () {
    if (location.hash === "" || location.hash.indexOf("=") >= 0) read();
  });
  read();
})();
