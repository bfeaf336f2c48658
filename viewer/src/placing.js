// SPDX-License-Identifier: Apache-2.0
// The page of a scene's start: a slider for every place, turn and joint, gaps between bodies, and a button that writes the
// scene's file.  Every move is a question to the server, which opens the scene anew; there is one question at a time, and
// of moves that come meanwhile the last one of each slider is asked next.
import { floats, trajectory } from "./bytes.js";
import { el, number } from "./dom.js";

const millionths = 1e6; // of a slider's range
const axes = ["x", "y", "z"];

function label(slider) {
  if (slider.joint) return slider.joint;
  if (slider.kind === "joint") return slider.count > 1 ? `joint ${slider.axis}` : "joint";
  return slider.kind === "turn" ? `turn about ${axes[slider.axis]}` : axes[slider.axis];
}

export function placing(page, data, view) {
  const message = el("p", { class: "verdict plain", role: "status" }, "As in the file");
  const gaps = el("tbody", {});
  const waiting = new Map(); // slider -> millionths
  let asking = false;
  let values = data.sliders.map((slider) => slider.given);

  const rows = data.sliders.map((slider, i) => {
    const name = `${slider.body} ${label(slider)}`;
    const range = el("input", { type: "range", min: slider.low, max: slider.high, step: "any", value: slider.given, "aria-label": name });
    const box = el("input", { type: "number", step: 0.01, value: slider.given, "aria-label": `${name}, ${slider.unit}` });
    range.addEventListener("input", () => move(i, Number(range.value)));
    box.addEventListener("change", () => move(i, Number(box.value)));
    return { range, box, element: el("label", { class: "slide" }, el("span", {}, label(slider)), range, box, el("span", { class: "note" }, slider.unit)) };
  });

  function show(state) {
    data.sliders = state.sliders;
    values = state.sliders.map((slider) => slider.value);
    rows.forEach(({ range, box }, i) => {
      if (waiting.has(i)) return;
      range.min = data.sliders[i].low;
      range.max = data.sliders[i].high;
      range.value = values[i];
      if (document.activeElement !== box) box.value = Number(values[i].toFixed(5));
    });
    const changed = values.filter((value, i) => value !== data.sliders[i].given).length;
    const refused = state.message && state.message !== "saved" ? state.message : state.overlap;
    message.className = `verdict ${refused ? "bad" : state.message === "saved" ? "good" : changed ? "open" : "plain"}`;
    message.textContent =
      refused || (state.message === "saved" ? `Saved in ${data.path}` : changed ? `${changed} changed, not saved` : "As in the file");
    const pairs = (state.probe?.pairs ?? []).map((pair) => ({ ...pair, gap: pair.distance ?? pair.gap }));
    pairs.sort((a, b) => a.gap - b.gap);
    gaps.replaceChildren(
      ...pairs.slice(0, 30).map((pair) => el("tr", {}, el("td", {}, `${pair.a} \u2013 ${pair.b}`), el("td", { class: "value" }, `${number(pair.gap, 3)} m`))),
    );
    const best = trajectory(state);
    if (!view.stage) return;
    const { world } = view.stage;
    world.best.trajectory = best;
    if (best.nodes) world.best.soft.nodes = best.nodes;
    world.show(0);
    view.stage.request();
  }

  async function ask(path, post) {
    const answer = await fetch(path, post ? { method: "POST" } : {});
    if (!answer.ok) throw new Error("refused");
    show(await answer.json());
  }

  async function work() {
    if (asking) return;
    asking = true;
    try {
      while (waiting.size) {
        const [[i, part]] = waiting;
        waiting.delete(i);
        await ask(`move?a=${i}&b=${part}`, true);
      }
    } catch {
      message.className = "verdict bad";
      message.textContent = "No connection: the program has ended";
    }
    asking = false;
  }

  function move(i, value) {
    const { low, high } = data.sliders[i];
    if (!Number.isFinite(value)) return undefined;
    waiting.set(i, Math.round((millionths * (Math.min(high, Math.max(low, value)) - low)) / (high - low)));
    return work();
  }

  const button = (path, name, hint) =>
    el("button", { type: "button", class: "switch", title: hint, onclick: () => ask(path, true).catch(() => {}) }, name);
  const toggle = (name, hint, change) => {
    const element = el("button", { type: "button", class: "switch", "aria-pressed": "false", title: hint }, name);
    element.addEventListener("click", () => {
      const on = element.getAttribute("aria-pressed") !== "true";
      element.setAttribute("aria-pressed", String(on));
      change(on);
    });
    return element;
  };
  const table = el("div", { class: "scroll" }, el("table", { class: "wide" }, el("thead", {}, el("tr", {}, el("th", {}, "Pair"), el("th", { class: "value" }, "Gap"))), gaps));
  const hulls = toggle("Hulls", "Convex parts by which bodies touch", (on) => {
    view.stage.world.showMarked("hull", on);
    view.stage.request();
  });
  const gapsButton = toggle("Gaps", "Distances between bodies", (on) => {
    table.hidden = !on;
  });
  if (view.stage) view.stage.world.addHulls(data.hulls.map((hull) => ({ ...hull, parts: hull.parts.map(floats) })));
  const bodies = [...new Set(data.sliders.map((slider) => slider.body))];
  page.replaceChildren(
    el("header", { class: "top" }, el("div", {}, el("p", { class: "kicker" }, "dcsim view"), el("h1", {}, data.name)), message),
    el(
      "div",
      { class: "bar controls card" },
      button("save", "Save", `Write what was changed into ${data.path}`),
      button("reset", "Reset", "All as in the file"),
      hulls,
      gapsButton,
    ),
    view.section,
    el(
      "section",
      { class: "card text placing" },
      ...bodies.map((body) =>
        el("fieldset", {}, el("legend", {}, body), ...rows.filter((_, i) => data.sliders[i].body === body).map((row) => row.element)),
      ),
    ),
    table,
    el("footer", {}, "Served by dcsim on this machine; the address is secret."),
  );
  gapsButton.click();
  ask("start", false).catch(() => {});
  window.dcsimPlacing = { move, values: () => values, message: () => message.textContent, busy: () => asking || waiting.size > 0, view };
}
