// The site's search, from the index as a script: pages that are opened from a disk may start no worker and fetch no file.
// First come messages of the program that the query is an example of: what stands between their places to be filled in occurs in
// it, in the same order.  Then pages that have every word, as a whole or as the beginning of a word; titles count more than texts.
// Pages with most of the words follow: a word weighs the logarithm of how rare it is.
(function () {
  "use strict";
  var shown = 40;
  if (typeof document === "undefined") {  // a test asks it alone
    module.exports = find;
    return;
  }
  var folder = document.currentScript.src.replace(/[^/]*$/, "");

  function load(name, then) {
    var script = document.createElement("script");
    script.src = folder + name;
    script.onload = then;
    document.head.appendChild(script);
  }

  function words(text) {
    return text.toLowerCase().split(/[^a-z0-9_.$-]+/).filter(function (word) { return word.length > 0; });
  }

  function score(document_, wanted) {
    var title = document_.title.toLowerCase(), text = document_.text.toLowerCase(), sum = 0;
    for (var i = 0; i < wanted.length; i++) {
      var word = wanted[i], inTitle = title.indexOf(word), inText = text.split(word).length - 1;
      if (inTitle < 0 && inText === 0)
        return 0;
      sum += (title === word || title.split(".").pop() === word ? 200 : inTitle >= 0 ? 40 : 0) + Math.min(inText, 10);
    }
    return sum - Math.min(text.length / 20000, 5) + (document_.location.indexOf("#") < 0 ? 3 : 0);
  }

  // Best first, each page once.
  function find(pages, query) {
    var wanted = words(query), seen = {}, found = [];
    if (!wanted.length)
      return found;
    function add(value) {
      var valued = [];
      pages.forEach(function (page, k) {
        var number = value(page, k);
        if (number > 0)
          valued.push({ value: number, k: k });
      });
      valued.sort(function (a, b) { return b.value - a.value; });
      valued.forEach(function (one) {
        if (!seen[one.k] && found.length < shown)
          found.push(pages[one.k]);
        seen[one.k] = true;
      });
    }
    add(function (page) { return saidBy(page, query); });
    add(function (page) { return score(page, wanted) + (page.title.toLowerCase() === query.trim().toLowerCase() ? 1000 : 0); });
    if (wanted.length > 2)
      add(most(pages, wanted));
    return found;
  }

  // How many letters of the query a message explains; 0: it is not an example of it.
  function saidBy(page, query) {
    if (page.location.indexOf("messages.html#") !== 0)
      return 0;
    var text = query.toLowerCase(), at = 0, letters = 0, pieces = page.title.toLowerCase().split("…");
    for (var i = 0; i < pieces.length; i++) {
      var piece = pieces[i].trim(), place = text.indexOf(piece, at);
      if (place < 0)
        return 0;
      at = place + piece.length;
      letters += piece.length;
    }
    return letters >= 8 ? letters : 0;
  }

  function most(pages, wanted) {
    var has = wanted.map(function () { return new Array(pages.length); }), weights, whole = 0;
    var texts = pages.map(function (page) { return " " + words(page.title + " " + page.text).join(" ") + " "; });
    weights = wanted.map(function (word, i) {
      var count = 0;
      texts.forEach(function (text, k) {
        has[i][k] = text.indexOf(" " + word + " ") >= 0;
        count += has[i][k];
      });
      var weight = count ? Math.log(1 + pages.length / count) : 0;
      whole += weight;
      return weight;
    });
    return function (page, k) {
      var sum = 0;
      weights.forEach(function (weight, i) { sum += has[i][k] ? weight : 0; });
      // Of two pages with the same words the shorter one is about them.
      return sum >= whole / 2 ? sum - Math.log(1 + texts[k].length) / 4 : 0;
    };
  }

  function excerpt(text, word) {
    var at = Math.max(0, text.toLowerCase().indexOf(word) - 80);
    return (at > 0 ? "… " : "") + text.substr(at, 240) + (at + 240 < text.length ? " …" : "");
  }

  function entry(found, base, word) {
    var article = document.createElement("article"), heading = document.createElement("h3"), link = document.createElement("a");
    var paragraph = document.createElement("p"), place = document.createElement("small");
    link.href = base + found.location;
    link.textContent = found.title || found.location;
    heading.appendChild(link);
    place.textContent = "  " + found.location.replace(/\.html.*/, "").replace("/", ": ");
    heading.appendChild(place);
    paragraph.textContent = excerpt(found.text, word);
    article.appendChild(heading);
    article.appendChild(paragraph);
    return article;
  }

  function search() {
    var input = document.getElementById("mkdocs-search-query"), results = document.getElementById("mkdocs-search-results");
    if (!input || !results)
      return;
    var base = folder.replace(/search\/$/, "");
    function show() {
      var wanted = words(input.value), found = find(window.searchIndex.docs, input.value);
      results.textContent = "";
      found.forEach(function (page) { results.appendChild(entry(page, base, wanted[0])); });
      if (wanted.length && !found.length)
        results.textContent = "No page has most of these words.";
    }
    var query = new URLSearchParams(window.location.search).get("q");
    if (query)
      input.value = query;
    input.addEventListener("input", show);
    show();
  }

  load("search_index.js", search);
})();
