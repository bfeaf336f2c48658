// SPDX-License-Identifier: Apache-2.0
// The report page: puts its parts together and connects them.
import { curves } from "./curves.js";
import { runs } from "./runs.js";
import { decode } from "./bytes.js";
import { charts } from "./charts.js";
import { advice, details, facts, verdict } from "./details.js";
import { cssColor, el, icon, number } from "./dom.js";
import { live } from "./live.js";
import { placing } from "./placing.js";
import { Player } from "./player.js";
import { Stage } from "./stage.js";
import { arrowUnit } from "./world.js";

const all = decode(document.getElementById("data").textContent);
const page = document.getElementById("page");

function header(data) {
  const { kind, text: words } = verdict(data);
  const description = data.scene.description ?? data.scene.comment;
  return el(
    "header",
    { class: "top" },
    el(
      "div",
      {},
      el("p", { class: "kicker" }, "dcsim report"),
      el("h1", {}, data.name),
      description ? el("p", { class: "description" }, description) : null,
    ),
    el("p", { class: `verdict ${kind}` }, words),
  );
}

function segments(name, choices, chosen, choose) {
  const buttons = choices.map(([value, label, hint]) =>
    el(
      "button",
      { type: "button", "aria-pressed": String(value === chosen), title: hint, onclick: () => pick(value) },
      label,
    ),
  );
  const pick = (value) => {
    choices.forEach(([other], i) => buttons[i].setAttribute("aria-pressed", String(other === value)));
    choose(value);
  };
  return { element: el("div", { class: "segments", role: "group", "aria-label": name }, ...buttons), pick };
}

function switchButton(label, hint, on, change) {
  const button = el("button", { type: "button", class: "switch", "aria-pressed": String(on), title: hint }, label);
  const set = (value) => {
    button.setAttribute("aria-pressed", String(value));
    change(value);
  };
  button.addEventListener("click", () => set(button.getAttribute("aria-pressed") !== "true"));
  return { element: button, set, flip: () => button.click() };
}

// Names, colours, traces and present contact forces of the bodies that move.
function bodyList(data, stage) {
  const outputs = [];
  const moving = data.bodies.filter((body) => body.moves);
  const shown = moving.flatMap((body, i) => (body.shown ? [{ body, i }] : []));
  const rows = shown.map(({ body }) => {
    const box = el("input", {
      type: "checkbox",
      checked: true,
      "aria-label": `Trace of ${body.name}`,
      onchange: () => stage.setTrace(body.name, box.checked),
    });
    const force = el("span", { class: "force" });
    outputs.push(force);
    const eye = el("button", { type: "button", class: "eye", "aria-pressed": "true", title: "Show or hide it", "aria-label": `Show ${body.name}` }, "\u25c9");
    eye.addEventListener("click", () => {
      const on = eye.getAttribute("aria-pressed") !== "true";
      eye.setAttribute("aria-pressed", String(on));
      stage.setVisible(body.name, on);
    });
    return el(
      "li",
      {},
      eye,
      el(
        "label",
        {},
        box,
        el("i", { class: "swatch", style: `background:${cssColor(body.color)}` }),
        el("span", { class: "name" }, body.name),
      ),
      force,
    );
  });
  const show = () => {
    const { best } = stage.world;
    const { frame, part } = best.place(stage.time);
    shown.forEach(({ i }, row) => {
      const force = stage.toggles.forces ? best.force(i, frame + Math.round(part)) : null;
      outputs[row].textContent = force ? `${number(force.length(), 3)} N` : "";
    });
  };
  const element = el(
    "aside",
    { class: "bodies", "aria-label": "Bodies" },
    el("h2", {}, "Bodies", el("span", { class: "note" }, "path if ticked")),
    el("ul", {}, ...rows),
  );
  return { element, show, count: shown.length };
}

// What the page has to say about how much of the run it holds.
function notes(data, stage) {
  const list = [];
  for (const [name, trajectory] of [
    ["best", data.best],
    ["first", data.first],
  ])
    if (trajectory && trajectory.kept < trajectory.frames)
      list.push(
        `Of the ${name} trajectory's ${trajectory.frames} frames ${trajectory.kept}, evenly spread, are on this page.`,
      );
  const forces = data.best.forces;
  if (data.placing) list.push("The start of the scene. Ghosts are where objectives want bodies.");
  else if (data.live) list.push("The best trajectory so far; the report at the end has forces and more.");
  else if (forces)
    list.push(
      `Arrows: net force of normal contact on each body of the best trajectory (without friction), computed at ${forces.frames.length} of its frames by the contact model ${data.contactModel}. ` +
        `Their length grows with the square root of the force; ${number(arrowUnit * stage.world.extent.size, 2)} m stand for ${number(stage.world.best.forceScale, 3)} N.`,
    );
  else if (data.scene.problem === "refine")
    list.push("Orange points should meet blue ones. Frames are the improvements on the way, not times.");
  else if (!data.surfaces.length)
    list.push(
      `There are no contact forces on this page: the contact model ${data.contactModel} gives none, or no two bodies can meet.`,
    );
  const cables = new Set((data.scene.bodies ?? []).filter((body) => body.cable).map((body) => body.name));
  const pull = data.surfaces.filter(({ body }) => cables.has(body)).length;
  if (pull < data.surfaces.length) list.push("Forces on soft bodies are not on this page.");
  if (pull) list.push("Tensions of cables are not on this page.");
  const ends = [data.best, data.first].map((trajectory) => trajectory && trajectory.time[trajectory.kept - 1]);
  if (data.first && Math.abs(ends[0] - ends[1]) > 1e-6)
    list.push(
      `The best trajectory ends after ${number(ends[0])} s, the first after ${number(ends[1])} s; it then stays where it is.`,
    );
  if (stage.world.gridSpacing) list.push(`Grid lines are ${number(stage.world.gridSpacing)} m apart.`);
  return el("div", { class: "notes" }, ...list.map((line) => el("p", {}, line)));
}

function tooltip(stage, view) {
  const tip = el("div", { class: "tip", hidden: true });
  view.append(tip);
  stage.canvas.addEventListener("pointermove", (event) => {
    const name = event.buttons ? null : stage.pick(event.offsetX, event.offsetY);
    tip.hidden = name === null;
    if (name === null) return;
    tip.textContent = name;
    tip.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 14}px)`;
  });
  stage.canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
}

function replay(data) {
  const canvas = el("canvas", {
    tabindex: 0,
    "aria-label": "3D replay; drag to turn, right drag to move, wheel to zoom",
  });
  const view = el("div", { class: "view" }, canvas);
  const section = el("section", { class: "card replay" }, view);
  let stage;
  try {
    stage = new Stage(canvas, data);
  } catch (error) {
    view.replaceChildren(
      el("p", { class: "failed" }, `The 3D replay needs WebGL, which this browser does not offer (${error.message}).`),
    );
    return { section };
  }
  const list = bodyList(data, stage);
  const longer =
    data.first && data.first.time[data.first.kept - 1] > data.best.time[data.best.kept - 1] ? data.first : data.best;
  const player = new Player(Array.from(longer.time), (time) => {
    stage.show(time);
    list.show();
    player.followers.forEach((follow) => follow(time));
  }, data.scene.problem === "refine");
  const labels = [
    el("span", { class: "tag left" }, "First"),
    el("span", { class: "tag right" }, "Best"),
    el("span", { class: "tag ghost" }, "Ghosts: first trajectory"),
  ];
  view.append(...labels);
  const choices = [["best", "Best", "Best trajectory (1)"]];
  if (data.first)
    choices.push(
      ["first", "First", "First trajectory (2)"],
      ["overlay", "Overlay", "The first one as a ghost (3)"],
      ["side", "Side by side", "First left, best right (4)"],
    );
  const modes = segments("Trajectory", choices, "best", (mode) => {
    stage.set(mode);
    view.classList.toggle("side", mode === "side");
    view.classList.toggle("overlay", mode === "overlay");
  });
  const switches = {
    marks: switchButton("Targets", "Target marks (m)", true, (on) => stage.toggle("marks", on)),
    traces: switchButton("Traces", "Paths of the bodies (t)", true, (on) => stage.toggle("traces", on)),
    forces: switchButton("Forces", "Contact forces, best trajectory (f)", false, (on) => {
      stage.toggle("forces", on);
      list.show();
    }),
  };
  switches.axes = switchButton("Axes", "Axes of the bodies: x red, y green, z blue (a)", false, (on) => {
    stage.world.showMarked("axes", on);
    stage.request();
  });
  if (!data.marks.length) switches.marks.element.disabled = true;
  if (!data.best.forces) switches.forces.element.disabled = true;
  const timeless = data.scene.problem === "refine";
  switches.marks.element.hidden = switches.forces.element.hidden = timeless;
  const home = el(
    "button",
    {
      type: "button",
      class: "plain",
      title: "Camera as at the start (r)",
      "aria-label": "Reset the camera",
      onclick: () => stage.home(),
    },
    icon("home"),
  );
  const views = { Camera: null, Front: [0, -1, 0.0001], Back: [0, 1, 0.0001], Left: [-1, 0, 0.0001], Right: [1, 0, 0.0001], Top: [0, -0.0001, 1] };
  const cameras = el(
    "select",
    {
      "aria-label": "Camera",
      title: "Look from the front (-y), the right (+x), the top (+z), ...",
      onchange: () => {
        stage.look(views[cameras.value]);
        cameras.value = "Camera";
      },
    },
    ...Object.keys(views).map((name) => el("option", { value: name, disabled: !views[name], selected: !views[name] }, name)),
  );
  const snapshot = el(
    "button",
    {
      type: "button",
      class: "switch",
      title: "Save what is seen as a picture",
      onclick: async () => save(await stage.picture(), `${data.name}.png`),
    },
    "Picture",
  );
  const film = el(
    "button",
    {
      type: "button",
      class: "switch film",
      title: "Save the motion as a film, at the speed that is chosen; press again to end it",
      onclick: async () => {
        if (film.getAttribute("aria-pressed") === "true") return player.pause();
        film.setAttribute("aria-pressed", "true");
        const made = await stage.film(() => player.once());
        film.setAttribute("aria-pressed", "false");
        if (made) save(made, `${data.name}.${made.type.split("/")[1]}`);
        else film.disabled = true;
      },
    },
    "Film",
  );
  section.append(
    list.count ? list.element : "",
    data.placing ? "" : el("div", { class: "bar time" }, player.button, player.slider, player.clock, player.select),
    el(
      "div",
      { class: "bar" },
      choices.length > 1 ? modes.element : null,
      el("div", { class: "switches" }, ...Object.values(switches).map((s) => s.element)),
      home,
      cameras,
      snapshot,
      data.placing || !(player.end > 0) ? null : film,
      data.placing ? null : el(
        "span",
        { class: "keys" },
        el("kbd", {}, "space"),
        " play ",
        el("kbd", {}, "\u2190"),
        el("kbd", {}, "\u2192"),
        " frame ",
        el("kbd", {}, ","),
        el("kbd", {}, "."),
        " speed",
      ),
    ),
    notes(data, stage),
  );
  if (!list.count) section.classList.add("alone");
  tooltip(stage, view);
  return { section, stage, player, modes, switches, choices };
}

// Gives the browser a file to keep.
function save(content, name) {
  const url = URL.createObjectURL(content);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// Keys, for the view that is there when they are pressed.
function listen(present) {
  const letters = {
    m: ({ switches }) => switches.marks.flip(),
    t: ({ switches }) => switches.traces.flip(),
    a: ({ switches }) => switches.axes.flip(),
    f: ({ switches }) => switches.forces.flip(),
    r: ({ stage }) => stage.home(),
  };
  // What was clicked gives the keys back: space plays.
  document.addEventListener("click", (event) => {
    if (event.detail > 0) event.target.closest("button")?.blur();
  });
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const view = present();
    if (!view.stage) return;
    const { player, modes, choices } = view;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("select, textarea, input[type=text], input[type=number], pre")) return;
    // A focused button or box keeps its space bar.
    if (event.key === " " && target.matches("button, summary, input[type=checkbox]") && target !== player.button)
      return;
    if (event.key === " " && target === player.button) return;
    if (target.matches("figure button")) target.blur();
    const choice = choices[Number(event.key) - 1];
    if (player.key(event)) event.preventDefault();
    else if (choice && event.key !== " ") modes.pick(choice[0]);
    else if (letters[event.key]) letters[event.key](view);
  });
}

document.title = `${all.name} \u2013 dcsim report`;

// What the terms of the loss are called: worlds where there are several, else objectives; no name twice.
function termNames(data, count) {
  const { cases = [], objective = [] } = data.scene;
  const names = cases.length
    ? ["the scene itself", ...cases.map((one, i) => one.name ?? `case${i + 2}`)]
    : objective.map((one) => (typeof one.body === "string" ? `${one.type} ${one.body}` : one.type));
  return Array.from({ length: count }, (_, i) => {
    const name = names[i] ?? `term ${i + 1}`;
    return names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${i + 1})`;
  });
}

const section = (title, note, element) =>
  element ? [el("h2", { class: "section" }, title, note ? el("span", { class: "note" }, note) : null), element] : [];

// The page of run number i of those in it.
function report(i) {
  const data = [all, ...all.others][i];
  window.dcsimReport?.stage?.dispose();
  window.dcsimReport?.player?.pause();
  const view = replay(data);
  const terms = data.terms && { ...data.terms, names: termNames(data, data.terms.values.length) };
  // the only row of a simulation says what the facts do
  const plots =
    data.loss.iteration?.length > 1
      ? charts(data.loss, data.scene.problem === "refine", data.scene.horizon ? "step" : "iteration", undefined, terms)
      : null;
  const several = runs(all, i, report);
  const overTime = curves(data, (time) => {
    view.player?.pause();
    view.player?.seek(time);
  });
  if (overTime) view.player?.followers.push(overTime.playhead);
  const rowNote =
    plots && data.loss.rows > data.loss.iteration.length
      ? `${data.loss.iteration.length} of ${data.loss.rows} rows, evenly spread`
      : null;
  page.replaceChildren(
    header(data),
    ...[advice(data)].filter(Boolean),
    ...(several ? [several.element] : []),
    facts(data),
    view.section,
    ...section("Over time", "best trajectory; a click goes there, dragging zooms", overTime?.element),
    ...section(data.scene.horizon ? "Applied steps" : "Iterations", rowNote, plots?.element),
    ...details(data).filter(Boolean),
    el("footer", {}, "Made by dcsim; this page loads nothing from elsewhere."),
  );
  // For programs that look at the page.
  window.dcsimReport = {
    data,
    view,
    verdict: verdict(data),
    stage: view.stage,
    player: view.player,
    last: plots?.last ?? {},
    plotted: plots?.plotted ?? (() => []),
    terms: plots?.parts ?? null,
    curves: overTime?.all ?? [],
    choose: several ? report : null,
  };
}

// The page of a run under way, whose best trajectory changes.
function watch() {
  const view = replay(all);
  view.replace = (trajectory) => {
    all.best = trajectory;
    view.stage.world.replaceBest(all, trajectory);
    view.player.setTimes(Array.from(trajectory.time));
    view.stage.show(view.player.time);
  };
  live(page, all, view);
  return view;
}

// The page of a scene's start, whose bodies are moved by sliders.
function place() {
  const view = replay(all);
  placing(page, all, view);
  return view;
}

const watched = all.placing ? place() : all.live ? watch() : report(0);
listen(() => watched ?? window.dcsimReport.view);
