// Shows the filters and hides the cards that they do not ask for. Without it every card is shown.
(function () {
  "use strict";
  var form = document.querySelector(".filters");
  if (!form) return;
  var cards = Array.prototype.slice.call(document.querySelectorAll("#charts .card"));
  var output = form.querySelector("output");

  function has(list, separator, value) {
    return value === "" || (list || "").split(separator).indexOf(value) >= 0;
  }

  function apply() {
    var words = form.elements.words.value.toLowerCase().split(/\s+/);
    var shown = 0;
    cards.forEach(function (card) {
      var data = card.dataset;
      var show = has(data.metric, "\n", form.elements.metric.value)
        && has(data.ddirs, " ", form.elements.ddirs.value)
        && has(data.compares, "\n", form.elements.compares.value)
        && words.every(function (word) { return data.words.indexOf(word) >= 0; });
      card.hidden = !show;
      if (show) shown += 1;
    });
    output.textContent = shown === cards.length ? cards.length + " charts" : shown + " of " + cards.length + " charts";
  }

  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.addEventListener("reset", function () { setTimeout(apply, 0); });
  apply();
})();
