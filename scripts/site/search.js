// The site's search, from the index as a script: pages that are opened from a disk may start no worker and fetch no file.
// Every word must occur, as a whole or as the beginning of a word; titles count more than texts.
(function () {
  "use strict";
  var folder = document.currentScript.src.replace(/[^/]*$/, "");
  var shown = 40;

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
      var wanted = words(input.value), found = [];
      results.textContent = "";
      if (!wanted.length)
        return;
      window.searchIndex.docs.forEach(function (document_) {
        var value = score(document_, wanted);
        if (value > 0)
          found.push({ value: value, document: document_ });
      });
      found.sort(function (a, b) { return b.value - a.value; });
      found.slice(0, shown).forEach(function (one) { results.appendChild(entry(one.document, base, wanted[0])); });
      if (!found.length)
        results.textContent = "No page has all of these words.";
    }
    var query = new URLSearchParams(window.location.search).get("q");
    if (query)
      input.value = query;
    input.addEventListener("input", show);
    show();
  }

  load("search_index.js", search);
})();
