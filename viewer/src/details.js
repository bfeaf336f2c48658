// SPDX-License-Identifier: Apache-2.0
// What the page says in words: verdict, facts, objectives, settings, where the numbers come from.
import { lastSpeed } from "./curves.js";
import { duration, el, number } from "./dom.js";

const reachable = (result) => (result.objectives ?? []).filter((objective) => "distance" in objective);
const isOptimized = (result) => "gradient" in result || result.iterations > 0;

// Class and words of the verdict.
export function verdict(data) {
  const { result, exit_status: status } = data.run;
  if (!result) return { kind: "plain", text: "No result" };
  if (status === 4) return { kind: "bad", text: "Ended by a numerical failure" };
  if (reachable(result).length)
    return result.success ? { kind: "good", text: "Task reached" } : { kind: "open", text: "Task not reached" };
  return { kind: "plain", text: isOptimized(result) ? "Optimized" : "Simulated" };
}

function fact(name, value, note) {
  return el(
    "div",
    { class: "fact" },
    el("dt", {}, name),
    el("dd", {}, value),
    note ? el("dd", { class: "note" }, note) : null,
  );
}

const computed = (data, result) =>
  fact(
    "Computed in",
    duration(result.seconds),
    data.run.threads ? `${data.run.threads} thread${data.run.threads === 1 ? "" : "s"}` : null,
  );

// Of a problem without time.
function refinementFacts(data) {
  const result = data.run.result ?? {};
  const pairs = result.objectives ?? [];
  const reached = pairs.filter((pair) => pair.reached).length;
  return el(
    "dl",
    { class: "facts" },
    fact("Value", number(result.loss), `from ${number(result.initial_loss)}`),
    fact("Iterations", number(result.iterations), data.scene.optimizer?.type),
    fact("Pairs", `${reached} of ${pairs.length}`, "reached"),
    fact("Largest error", `${number(result.largest_error, 3)} m`, "of a pair"),
    fact("Overlap", `${number(result.overlap, 3)} m`, "of other bodies"),
    fact("Queries", number(result.queries), `${data.bodies.length} bodies`),
    computed(data, result),
  );
}

export function facts(data) {
  if (data.scene.problem === "refine") return refinementFacts(data);
  const result = data.run.result ?? {};
  const optimized = isOptimized(result);
  const drop = result.initial_loss > 0 ? 100 * (1 - result.loss / result.initial_loss) : NaN;
  const list = [
    fact(
      "Loss",
      number(result.loss),
      optimized ? `from ${number(result.initial_loss)}${drop >= 0.05 ? `, \u2212${number(drop, 3)}\u00a0%` : ""}` : null,
    ),
    optimized ? fact("Iterations", number(result.iterations), data.scene.optimizer?.type) : null,
    fact(
      "Time steps",
      number(result.steps),
      [
        data.scene.time ? `of ${number(data.scene.time.step)} s` : null,
        result.divided_steps ? `${number(result.divided_steps)} divided` : null,
      ]
        .filter(Boolean)
        .join(", "),
    ),
    result.unconverged_steps ? fact("Not converged", number(result.unconverged_steps), "steps, as the scene accepts") : null,
    fact(
      "Smallest gap",
      Number.isFinite(result.min_gap) ? `${number(result.min_gap, 3)} m` : "\u2013",
      "best trajectory",
    ),
    fact("Newton iterations", number(result.newton_iterations_per_step, 3), "per step"),
    fact("Contact", data.contactModel ?? data.scene.contact?.model ?? "\u2013", `${data.bodies.length} bodies`),
    computed(data, result),
  ];
  return el("dl", { class: "facts" }, ...list);
}

function table(head, rows, name) {
  const cell = (tag) => (value, i) => el(tag, i ? { class: "value" } : {}, value);
  return el(
    "table",
    { class: name },
    head ? el("thead", {}, el("tr", {}, ...head.map(cell("th")))) : null,
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell("td"))))),
  );
}

// A table of many columns, which scrolls sideways where the page is narrow, and one of many rows within its card.
const wide = (head, rows) => el("div", { class: rows.length > 30 ? "scroll tall" : "scroll", tabindex: rows.length > 30 ? 0 : undefined }, table(head, rows, "wide"));

const card = (title, ...content) => el("section", { class: "card text" }, el("h2", {}, title), ...content);

// "0.13 of 0.05 m/s"
const ofAllowed = ({ value, allowed, unit }) =>
  `${number(value, 3)}${Number.isFinite(allowed) ? ` of ${number(allowed, 3)}` : ""}${unit ? ` ${unit}` : ""}`;

// Why a task is not reached and what to try: each condition of the objectives that fail, then the advice.  Stands above
// everything else.
export function advice(data) {
  const result = data.run.result ?? {};
  const failed = (result.objectives ?? []).filter((objective) => objective.reached === false);
  const hints = result.advice ?? [];
  if (result.success || (!failed.length && !hints.length && !result.not_reached?.length)) return null;
  const step = data.scene.time?.step;
  const rows = failed.flatMap(({ type, body, conditions = [] }) =>
    conditions.map((condition) => [
      `${type}${condition.body ?? body ? ` \u00b7 ${condition.body ?? body}` : ""}`,
      condition.name,
      ofAllowed(condition),
      condition.holds ? "yes" : "no",
      condition.holds || !step ? "\u2013" : `${number(condition.frame * step)} s`,
    ]),
  );
  const cases = (result.not_reached ?? []).filter((line) => line.startsWith("case "));
  return el(
    "section",
    { class: "card text advice" },
    el("h2", {}, failed.length || cases.length ? "Not reached, and what to try" : "Advice"),
    rows.length ? wide(["Objective", "Condition", "Is, of what is allowed", "Holds", "At"], rows) : null,
    cases.length ? el("p", {}, `Not reached: ${cases.join(", ")}`) : null,
    ...hints.flatMap((hint) => [
      el("p", {}, el("strong", {}, `${hint.symptom}: `), hint.says),
      hint.try ? el("pre", { class: "remedy", tabindex: 0 }, el("code", {}, hint.try)) : null,
    ]),
  );
}

// Largest forces and speeds of joints beside their limits.
function joints(data) {
  const list = data.run.result?.joints ?? [];
  if (!list.some((joint) => joint.driven || joint.speed_limit !== null)) return null;
  const step = data.scene.time?.step ?? 0;
  const count = new Map();
  for (const { body } of list) count.set(body, (count.get(body) ?? 0) + 1);
  const most = (value, limit, unit, frame, over) =>
    `${number(value, 3)}${limit === null ? "" : ` of ${number(limit, 3)}`} ${unit} at ${number(frame * step)} s${over ? ", more than its limit" : ""}`;
  const rows = list.map((joint) => [
    count.get(joint.body) > 1 ? `${joint.body}.${joint.number}` : joint.body,
    joint.driven
      ? most(joint.force, joint.force_limit, joint.force_unit, joint.force_frame, joint.exceeds.includes("force"))
      : "\u2013",
    most(joint.speed, joint.speed_limit, joint.speed_unit, joint.speed_frame, joint.exceeds.includes("speed")),
  ]);
  return card("Joints", wide(["Joint", "Largest force or torque", "Largest speed"], rows));
}

// The largest contact force on each body.
function contactForces(data) {
  const list = data.run.result?.contact_forces ?? [];
  const largest = Math.max(0, ...list.map((entry) => entry.force));
  const kept = list.filter((entry) => entry.force >= 1e-3 * largest);
  if (!kept.length) return null;
  const step = data.scene.time?.step ?? 0;
  const rows = kept.map((entry) => [
    entry.body,
    entry.other,
    `${number(entry.force, 3)} N`,
    `${number(entry.friction, 3)} N`,
    `${number(entry.gap, 3)} m`,
    `${number(entry.frame * step)} s`,
  ]);
  return card("Largest contact forces", wide(["On", "By", "Force", "Friction in it", "Gap", "At"], rows));
}

function objectives(data) {
  const list = data.run.result?.objectives ?? [];
  if (!list.length) return null;
  const given = Array.isArray(data.scene.objective) ? data.scene.objective : [];
  const measure = (value, unit) => (Number.isFinite(value) ? `${number(value, 3)} ${unit}` : "\u2013");
  const rows = list.map((objective, i) => {
    const speed = lastSpeed(data, objective.body);
    const rest = given[i]?.rest;
    return [
      objective.body ? `${objective.type} \u00b7 ${objective.body}` : objective.type,
      number(objective.value),
      measure(objective.distance, objective.unit ?? "m"),
      measure(given[i]?.tolerance, objective.unit ?? "m"),
      "reached" in objective ? (objective.reached ? "yes" : "no") : "\u2013",
      speed === null ? "\u2013" : `${number(speed, 3)} m/s${rest > 0 ? ` of ${number(rest)}` : ""}`,
    ];
  });
  const head = ["Objective", "Loss", "Distance", "Tolerance", "Reached", "Speed at the end"];
  // columns in which nobody has anything are left out
  const kept = head.map((_, i) => rows.some((row) => row[i] !== "\u2013"));
  const choose = (row) => row.filter((_, i) => kept[i]);
  return card("Objectives", wide(choose(head), rows.map(choose)));
}

// The numbers of the model that were optimized.
function design(data) {
  const list = data.run.result?.design ?? [];
  if (!list.length) return null;
  const unit = (value, name) => (name === "1" ? number(value) : `${number(value)} ${name}`);
  const rows = list.map((entry) => [entry.name, unit(entry.value, entry.unit), unit(entry.initial, entry.unit)]);
  const title = rows.length > 30 ? `Design: ${rows.length} numbers` : "Design";
  return card(title, wide(["Number", "Found", "In the scene"], rows));
}

// The bodies whose shapes were optimized, for those who make them.
function designed(data) {
  const list = Object.entries(data.run.result?.designed ?? {});
  if (!list.length) return null;
  const measure = (value, unit) => (Number.isFinite(value) ? `${number(value, 3)} ${unit}` : "\u2013");
  const rows = list.map(([name, body]) => [
    name,
    measure(body.mass, "kg"),
    measure(body.volume, "m\u00b3"),
    measure(body.thinnest, "m"),
    measure(body.least_extent, "m"),
    Number.isFinite(body.overhang) ? `${number(100 * body.overhang, 3)} % with ${body.up} up` : "\u2013",
  ]);
  const head = ["Body", "Mass", "Volume", "Thinnest part", "Least extent", "Overhang"];
  return card("Designed bodies", wide(head, rows));
}

// What dcsim verify found out: a line for each part, good news or not, demanded by the scene or not.
function certificate(data) {
  const { lines = [], verdict: words, holds } = data.certificate;
  if (!lines.length) return null;
  const kinds = new Map([
    [true, ["good", "yes"]],
    [false, ["open", "no"]],
  ]);
  const rows = lines.map(({ item, words: text, holds: answer, demanded }) => {
    const [kind, name] = demanded && answer !== true ? ["bad", "no"] : (kinds.get(answer) ?? ["unknown", "not known"]);
    return el(
      "tr",
      { class: kind },
      el("td", {}, el("i", { class: "mark", role: "img", "aria-label": name }), item.replaceAll("_", " ")),
      el("td", {}, text, demanded ? el("span", { class: "note" }, "demanded") : null),
    );
  });
  return card(
    "Certificate",
    el("p", { class: `verdict ${holds ? "good" : "bad"}` }, words.charAt(0).toUpperCase() + words.slice(1)),
    el("table", { class: "certificate" }, el("tbody", {}, ...rows)),
  );
}

// Stages of a search.
function stages(data) {
  const list = data.run.result?.stages ?? [];
  if (!list.length) return null;
  const rows = list.map((stage, i) => [
    `${i + 1}: stiffness \u00d7 ${number(stage.stiffness, 3)}, step \u00d7 ${number(stage.step)}`,
    number(stage.turns),
    number(stage.rollouts),
    stage.reached ? "reached" : number(stage.loss),
  ]);
  return card("Stages", wide(["Stage", "Turns", "Rollouts", "Loss"], rows));
}

// The members of a part of the scene that are single values, named by their path.
function leaves(object, prefix = "") {
  if (object === null || typeof object !== "object") return [];
  return Object.entries(object).flatMap(([key, value]) => {
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return leaves(value, `${prefix}${key}.`);
    const text = Array.isArray(value)
      ? value.map((x) => (typeof x === "number" ? number(x) : JSON.stringify(x))).join(", ")
      : typeof value === "number"
        ? number(value, 6)
        : String(value);
    return text.length > 80 || value === null ? [] : [[`${prefix}${key}`, text]];
  });
}

function settings(data) {
  const { scene } = data;
  const parts = ["time", "gravity", "contact", "optimizer", "gradient", "continuation", "portfolio", "horizon", "solver"].filter(
    (key) => scene[key] !== undefined,
  );
  const list = parts.map((key) => [
    key,
    leaves(typeof scene[key] === "object" && !Array.isArray(scene[key]) ? scene[key] : { [key]: scene[key] }),
  ]);
  if (!list.length) return null;
  return card("Settings", groups(list));
}

// Groups of rows side by side.
function groups(list) {
  const part = ([name, rows]) => el("div", { class: "group" }, el("h3", {}, name), table(null, rows, "settings"));
  return el("div", { class: "groups" }, ...list.filter(([, rows]) => rows.length).map(part));
}

function provenance(data) {
  const { run } = data;
  const rows = (...list) =>
    list
      .filter(([, value]) => value !== undefined && value !== null && value !== "")
      .map(([name, value]) => [name, String(value)]);
  const command = run.command ? el("pre", { class: "command", tabindex: 0 }, el("code", {}, run.command)) : null;
  return card(
    "Provenance",
    command,
    groups([
      [
        "Run",
        rows(
          ["Program", run.version && `dcsim ${run.version}`],
          ["Started", run.started],
          ["Seed", run.seed],
          ["Exit status", run.exit_status],
        ),
      ],
      [
        "Machine",
        rows(
          ["Host", run.host],
          ["Processor", run.processor],
          ["Vector kernels", run.vector_width],
          ["Threads", run.threads],
        ),
      ],
      ["Input", rows(["Scene file", run.scene_path], ["Scene hash", run.scene_hash], ["Mesh hash", run.mesh_hash])],
      ["Libraries", rows(...Object.entries(run.libraries ?? {}))],
    ]),
  );
}

function folded(title, note, text) {
  return el(
    "details",
    { class: "card fold" },
    el("summary", {}, title, note ? el("span", { class: "note" }, note) : null),
    el("pre", { tabindex: 0 }, el("code", {}, text)),
  );
}

// The parts below the charts.
export function details(data) {
  const { raw } = data;
  const parameters = Object.entries(data.run.result?.parameters ?? {});
  return [
    certificate(data),
    design(data),
    designed(data),
    objectives(data),
    joints(data),
    contactForces(data),
    stages(data),
    settings(data),
    provenance(data),
    parameters.length
      ? folded(
          "Parameters",
          `${parameters.length} of the best trajectory`,
          parameters.map(([name, value]) => `${name} = ${value}`).join("\n"),
        )
      : null,
    folded("Scene", "resolved.json", raw.scene),
    folded("Run", "run.json", raw.run),
    raw.certificate ? folded("Certificate", "certificate.json", raw.certificate) : null,
  ];
}
