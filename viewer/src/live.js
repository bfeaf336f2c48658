// SPDX-License-Identifier: Apache-2.0
// The page of a run under way: asks its server for what is new, about twice a second.
import { charts, kinds, rowSeries } from "./charts.js";
import { trajectory } from "./bytes.js";
import { duration, el, number } from "./dom.js";

const columns = ["iteration", "loss", "best", "gradient_norm", "min_gap", "seconds"];
const pause = 500; // ms between questions
const words = { running: "Running", paused: "Paused", stopping: "Stopping", ended: "Ended" };

export function live(page, data, view) {
  const rows = Object.fromEntries(columns.map((name) => [name, []]));
  let generation = -1;
  let shown = 0;
  let plots = null;
  const state = el("p", { class: "verdict plain" }, "Connecting");
  const bar = el("i", {});
  const facts = el("dl", { class: "facts" });
  const place = el("div", {});
  const log = el("pre", { class: "log", tabindex: 0, "aria-live": "polite" });
  const report = el("a", { href: "report", hidden: true }, "Report of the run");
  const button = (name, label, hint) =>
    el("button", { type: "button", class: "switch", title: hint, onclick: () => post(name) }, label);
  const buttons = {
    pause: button("pause", "Pause", "Wait after this iteration"),
    resume: button("resume", "Go on", "Go on with the run"),
    checkpoint: button("checkpoint", "Checkpoint", "Write a checkpoint after this iteration"),
    stop: button("stop", "Stop", "End the run after this iteration; results are kept"),
  };

  async function post(name) {
    await fetch(name, { method: "POST" }).catch(() => {});
    ask(false);
  }

  function setState(phase) {
    state.className = `verdict ${{ running: "good", paused: "open", stopping: "open" }[phase] ?? "plain"}`;
    state.textContent = words[phase] ?? "No connection: the program has ended";
    const over = phase !== "running" && phase !== "paused";
    buttons.pause.hidden = phase === "paused";
    buttons.resume.hidden = phase !== "paused";
    for (const one of Object.values(buttons)) one.disabled = over;
  }

  function setFacts(now) {
    const fact = (name, value, note) =>
      el("div", { class: "fact" }, el("dt", {}, name), el("dd", {}, value), el("dd", { class: "note" }, note ?? ""));
    const unit = now.unit || "iteration";
    facts.replaceChildren(
      fact(unit[0].toUpperCase() + unit.slice(1), number(now.iteration), now.iterations ? `of ${number(now.iterations)}` : null),
      fact("Loss", number(now.loss)),
      fact("Best so far", number(now.best)),
      fact("Smallest gap", now.min_gap === null ? "\u2013" : `${number(now.min_gap, 3)} m`),
      fact("Time", duration(now.seconds ?? NaN)),
    );
    bar.style.width = `${100 * Math.min(1, Math.max(0, now.fraction ?? 0))}%`;
  }

  function setRows(now) {
    // a button asks, too: the same rows may come twice
    for (const name of columns) rows[name].length = Math.min(rows[name].length, now.from);
    generation = now.generation;
    for (const row of now.rows) columns.forEach((name, i) => rows[name].push(row[i]));
    if (!rows.iteration.length || (!now.rows.length && plots)) return;
    if (plots) {
      plots.all.forEach((chart, i) => chart.set(rows.iteration, rowSeries(liveKinds[i], rows)));
      return;
    }
    plots = charts(rows, false, now.unit || "iteration", liveKinds);
    place.replaceChildren(plots.element);
  }
  const liveKinds = kinds.filter((kind) => columns.includes(kind.key));

  async function setTrajectory(version) {
    if (version === shown || !view.stage) return;
    shown = version;
    const raw = await (await fetch("trajectory")).json();
    view.replace(trajectory(raw));
  }

  async function ask(again) {
    let phase = "";
    try {
      const now = await (await fetch(`state?a=${rows.iteration.length}&b=${generation}`)).json();
      phase = now.phase;
      setFacts(now);
      setRows(now);
      const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
      log.textContent = now.log.join("\n");
      if (atEnd) log.scrollTop = log.scrollHeight;
      report.hidden = !now.report;
      await setTrajectory(now.trajectory);
    } catch (error) {
      phase = phase || (words[state.dataset.phase] === words.ended ? "ended" : "");
    }
    setState(phase);
    if (phase) state.dataset.phase = phase;
    if (again && phase !== "ended" && phase !== "") setTimeout(() => ask(true), document.hidden ? 4 * pause : pause);
    else if (again && phase === "") setTimeout(() => ask(true), 4 * pause);
  }

  page.replaceChildren(
    el(
      "header",
      { class: "top" },
      el("div", {}, el("p", { class: "kicker" }, "dcsim live view"), el("h1", {}, data.name)),
      state,
    ),
    el("div", { class: "bar controls card" }, el("div", { class: "done" }, bar), ...Object.values(buttons), report),
    facts,
    view.section,
    el("h2", { class: "section" }, "Curves"),
    place,
    el("section", { class: "card text" }, el("h2", {}, "Log"), log),
    el("footer", {}, "Served by dcsim on this machine; the address is secret."),
  );
  setState("running");
  ask(true);
  window.dcsimLive = { rows, state: () => state.dataset.phase, shown: () => shown };
}
