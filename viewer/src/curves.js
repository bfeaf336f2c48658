// SPDX-License-Identifier: Apache-2.0
// Charts over the time of the best trajectory: joints, their targets and torques, speeds, gaps, forces of contact.  The playhead is on all of
// them, and a click goes to a time.
import { Chart } from "./charts.js";
import { el, number } from "./dom.js";

const most = 8; // curves in a chart that are shown at first
const peak = (values) => values.reduce((high, v) => (Number.isFinite(v) ? Math.max(high, Math.abs(v)) : high), 0);

// Backward differences of values over times: what a velocity is in an implicit step.
function rates(times, values) {
  return Array.from(values, (value, i) => (i ? (value - values[i - 1]) / (times[i] - times[i - 1]) : null));
}

// Those with the largest values.
const largest = (series) =>
  [...series]
    .sort((a, b) => peak(b.values) - peak(a.values))
    .slice(0, most)
    .filter((one) => peak(one.values) > 0);

function speedsOf(data, trajectory) {
  const { time, positions, kept } = trajectory;
  const moving = data.bodies.filter((body) => body.moves);
  return moving.map((body, b) => {
    const at = (f, k) => positions[3 * (f * moving.length + b) + k];
    const values = [null];
    for (let f = 1; f < kept; f++) {
      const way = Math.hypot(at(f, 0) - at(f - 1, 0), at(f, 1) - at(f - 1, 1), at(f, 2) - at(f - 1, 2));
      values.push(way / (time[f] - time[f - 1]));
    }
    return { name: body.name, shown: body.shown, values };
  });
}

// Speed of a body at the end of the best trajectory, m/s; null: it does not move, there is one frame, or no time.
export function lastSpeed(data, name) {
  if (data.scene.problem === "refine") return null;
  const one = speedsOf(data, data.best).find((speed) => speed.name === name);
  return one && data.best.kept > 1 ? one.values[one.values.length - 1] : null;
}

// Distances from targets, where these are places of bodies: the last one is what the result says.
function distances(data) {
  const { positions, kept } = data.best;
  const moving = data.bodies.filter((body) => body.moves);
  const results = data.run.result?.objectives ?? [];
  const objectives = Array.isArray(data.scene.objective) ? data.scene.objective : [];
  return objectives.flatMap((objective, i) => {
    const name = objective.body ?? (objective.bodies?.length === 1 ? objective.bodies[0] : undefined);
    const b = moving.findIndex((body) => body.name === name);
    const { target, axes = "xyz" } = objective;
    const given = results[i]?.distance;
    if (b < 0 || !Array.isArray(target) || target.length !== 3 || !Number.isFinite(given)) return [];
    const values = [];
    for (let f = 0; f < kept; f++) {
      const row = 3 * (f * moving.length + b);
      values.push(Math.hypot(...target.map((x, k) => (axes.includes("xyz"[k]) ? positions[row + k] - x : 0))));
    }
    if (Math.abs(values[kept - 1] - given) > 1e-3 * (1e-3 + given)) return [];
    return [{ name, values, tolerance: objective.tolerance }];
  });
}

// Angles between bodies and the rotations that are asked of them, rad.
function angles(data) {
  const { rotations, kept } = data.best;
  const moving = data.bodies.filter((body) => body.moves);
  const objectives = Array.isArray(data.scene.objective) ? data.scene.objective : [];
  return objectives.flatMap(({ type, body: name, target, rotation, tolerance, rotation_tolerance: turned }) => {
    const asked = { orientation: target, pose: rotation }[type];
    const b = moving.findIndex((body) => body.name === name);
    if (b < 0 || !Array.isArray(asked) || asked.length !== 4) return [];
    const size = Math.hypot(...asked);
    const values = [];
    for (let f = 0; f < kept; f++) {
      const row = 4 * (f * moving.length + b);
      const cosine = asked.reduce((sum, x, k) => sum + (x / size) * rotations[row + k], 0);
      values.push(2 * Math.acos(Math.min(1, Math.abs(cosine))));
    }
    return [{ name, values, tolerance: type === "pose" ? turned : tolerance }];
  });
}

// Lines at the tolerances of series, each once.
function tolerances(series, unit, time) {
  const bounds = [...new Set(series.map((one) => one.tolerance).filter((x) => x > 0))];
  return bounds.map((x) => ({ name: `tolerance ${number(x)} ${unit}`, values: time.map(() => x), dash: [2, 4], faint: true }));
}

const swing = (values) => {
  const known = Array.from(values).filter((v) => v !== null && Number.isFinite(v));
  return known.length ? Math.max(...known) - Math.min(...known) : 0;
};

// Where there are many curves, those that move most are shown at first, each with its target.
function chooseShown(series) {
  const own = series.filter((one) => one.like === undefined);
  if (own.length <= most) return;
  const chosen = new Set([...own].sort((a, b) => swing(b.values) - swing(a.values)).slice(0, most));
  for (const one of series) one.off = !chosen.has(one.like === undefined ? one : series[one.like]);
}

// The curves of joints by chart: a target is dashed and has the colour of its coordinate.
function jointGroups(curves) {
  const groups = new Map();
  for (const { group, name, number: index, unit, values, steps, target } of curves) {
    const key = `${group}|${unit}`;
    if (!groups.has(key)) groups.set(key, []);
    const series = groups.get(key);
    const label = index >= 0 ? `${name} ${index}` : name;
    const like = target ? series.findIndex((one) => one.name === label) : -1;
    series.push({
      name: target ? `${label} target` : label,
      values,
      steps,
      dash: target ? [4, 3] : undefined,
      like: like >= 0 ? like : undefined,
    });
  }
  for (const series of groups.values()) chooseShown(series);
  return groups;
}

// Speeds, forces and torques as parts of what bounds them, where something does.
function parts(curves, time) {
  const charts = new Map();
  for (const { group, name, number: index, unit, values, steps, limit } of curves) {
    if (!(limit > 0)) continue;
    if (!charts.has(group)) charts.set(group, []);
    const label = `${index >= 0 ? `${name} ${index}` : name}, of ${number(limit, 3)} ${unit}`;
    charts.get(group).push({ name: label, values: Array.from(values, (v) => Math.abs(v) / limit), steps });
  }
  return [...charts].map(([group, series]) => {
    chooseShown(series);
    return { title: `${group}, part of the limit`, unit: "1", x: time, series: [...series, { name: "limit", values: time.map(() => 1), dash: [2, 4], faint: true }] };
  });
}

// Forces between pairs of bodies, largest first: of the contact, and of friction where there is any.
function contactCharts(contacts, time) {
  const chart = (title, key) => {
    const series = contacts.map((pair) => ({ name: pair.name, values: pair[key] })).filter((one) => peak(one.values) > 0);
    return series.length ? [{ title, unit: key === "gap" ? "m" : "N", x: time, series, log: true }] : [];
  };
  return [...chart("Contact forces", "normal"), ...chart("Friction", "friction"), ...chart("Gaps where bodies touch", "gap")];
}

// Chart descriptions, in the order in which they are shown.
function describe(data) {
  const { best } = data;
  const time = Array.from(best.time);
  const list = [];
  const add = (title, unit, series, options = {}) => series.length && list.push({ title, unit, x: time, series, ...options });
  const groups = jointGroups(best.curves);
  for (const [key, series] of groups) {
    const [group, unit] = key.split("|");
    add(group, unit, series);
    // a quaternion's rates are no velocity
    if (group === "Joint coordinates" && unit !== "1" && !groups.has(`Joint velocities|${unit}/s`))
      add("Joint velocities", `${unit}/s`, series.map((one) => ({ ...one, values: rates(time, one.values) })));
  }
  list.push(...parts(best.curves, time));
  const far = distances(data);
  add("Distance from the target", "m", [...far, ...tolerances(far, "m", time)], { log: true });
  const turned = angles(data);
  add("Angle from the target", "rad", [...turned, ...tolerances(turned, "rad", time)]);
  add("Speed", "m/s", largest(speedsOf(data, best).filter((speed) => speed.shown)));
  if (best.gaps) add("Smallest gap since the frame before", "m", [{ name: "gap", values: best.gaps }], { log: true, first: 2 });
  list.push(...contactCharts(best.contacts, time));
  return list;
}

// The charts, or null when there is no time to draw them over.
export function curves(data, seek) {
  if (!data.best || data.best.kept < 3 || data.scene.problem === "refine") return null;
  const all = describe(data).map((options) => new Chart({ ...options, xName: "s", group: "time", seek }));
  if (!all.length) return null;
  return {
    element: el("div", { class: "charts" }, ...all.map((chart) => chart.element)),
    all,
    playhead: (time) => all.forEach((chart) => chart.playhead(time)),
  };
}
