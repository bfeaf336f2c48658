// SPDX-License-Identifier: Apache-2.0
// Several runs on one page: a table, their losses in one chart, and which of them the replay shows.
import { bestSoFar, Chart } from "./charts.js";
import { duration, el, number } from "./dom.js";

function row(one, choose, chosen) {
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
  const name = one.best
    ? el("button", { type: "button", class: "switch", "aria-pressed": String(chosen), onclick: choose }, one.directory)
    : one.directory;
  return el("tr", {}, el("td", {}, name), ...cells.map((cell) => el("td", { class: "value" }, cell)));
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

// Null when there is one run only.
export function runs(data, view) {
  if (!data.others.length) return null;
  const list = [{ directory: data.directory, run: data.run, scene: data.scene, loss: data.loss, best: data.best }, ...data.others];
  const body = el("tbody", {});
  const fill = (chosen) =>
    body.replaceChildren(
      ...list.map((one, i) =>
        row(
          one,
          () => {
            view.replace(one.best);
            fill(i);
          },
          i === chosen,
        ),
      ),
    );
  fill(0);
  const head = ["Run", "Reached", "Loss", "Iterations", "Contact", "Optimizer", "Seed", "Time"];
  const losses = chart(list);
  return {
    element: el(
      "section",
      { class: "several" },
      el(
        "div",
        { class: "card text" },
        el("h2", {}, "Runs", el("span", { class: "note" }, "the replay above shows the one that is chosen; all else on this page is of the first")),
        el(
          "div",
          { class: "scroll" },
          el("table", { class: "wide" }, el("thead", {}, el("tr", {}, ...head.map((name, i) => el("th", i ? { class: "value" } : {}, name)))), body),
        ),
      ),
      losses ? el("div", { class: "charts" }, losses.element) : "",
    ),
  };
}
