// SPDX-License-Identifier: Apache-2.0
// Several runs on one page, or one in several worlds: a table, their losses in one chart, and which of them the page shows.
import { bestSoFar, Chart } from "./charts.js";
import { duration, el, number } from "./dom.js";

function row(one, name, chosen, choose) {
  const result = one.run.result ?? {};
  const cells = [
    result.success === undefined ? "\u2013" : result.success ? "yes" : "no",
    number(result.loss),
    number(result.iterations),
    one.scene.contact?.model ?? "\u2013",
    one.scene.optimizer?.type ?? "\u2013",
    one.run.seed === undefined ? "\u2013" : String(one.run.seed),
    duration(result.seconds),
  ];
  const button = el("button", { type: "button", class: "switch", "aria-pressed": String(chosen), onclick: choose }, name);
  return el("tr", {}, el("td", {}, button), ...cells.map((cell) => el("td", { class: "value" }, cell)));
}

// Losses by the share of the work that is done would hide what costs more: the axis is the row's number.
function chart(list) {
  const length = Math.max(...list.map((one) => one.loss.iteration?.length ?? 0));
  if (length < 2) return null;
  const longest = list.find((one) => one.loss.iteration?.length === length);
  const padded = (values) => Array.from({ length }, (_, i) => values[i] ?? null);
  const series = list.map((one) => ({ name: one.directory, values: padded(bestSoFar(one.loss.loss ?? [])) }));
  return new Chart({ title: "Lowest loss so far", log: true, x: longest.loss.iteration, xName: "iteration", group: "runs", series });
}

// What a run with cases has to say of its worlds: of the first one it has the sum.
function worldNote(data) {
  const shown = data.others.length + 1;
  const left = data.worlds > shown ? ` ${data.worlds - shown} more are in the directory of the run.` : "";
  return `One vector of parameters drives ${data.worlds} worlds; the loss of the first row is the sum over all.${left}`;
}

// The runs of the page, of which number chosen is shown, and choose shows another; null when there is one only.
export function runs(data, chosen, choose) {
  if (!data.others.length && !(data.worlds > 1)) return null;
  const cases = data.worlds > 1;
  const list = [data, ...data.others];
  const name = (one, i) => (cases ? (i ? one.name : "the scene itself") : one.directory);
  const rows = list.map((one, i) => row(one, name(one, i), i === chosen, () => choose(i)));
  const head = [cases ? "World" : "Run", "Reached", "Loss", "Iterations", "Contact", "Optimizer", "Seed", "Time"];
  const losses = cases ? null : chart(list);
  const note = cases ? worldNote(data) : "the page shows the one that is chosen";
  return {
    element: el(
      "section",
      { class: "several" },
      el(
        "div",
        { class: "card text" },
        el("h2", {}, cases ? "Worlds" : "Runs", el("span", { class: "note" }, note)),
        el(
          "div",
          { class: "scroll" },
          el(
            "table",
            { class: "wide" },
            el("thead", {}, el("tr", {}, ...head.map((title, i) => el("th", i ? { class: "value" } : {}, title)))),
            el("tbody", {}, ...rows),
          ),
        ),
      ),
      losses ? el("div", { class: "charts" }, losses.element) : "",
    ),
  };
}
