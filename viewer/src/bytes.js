// SPDX-License-Identifier: Apache-2.0
// Reading the data of the page: JSON with numbers in base64 (little-endian, as every browser's machine is).

function bytes(text) {
  const binary = atob(text);
  const result = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) result[i] = binary.charCodeAt(i);
  return result.buffer;
}

export const floats = (text) => new Float32Array(bytes(text ?? ""));
export const shorts = (text) => new Uint16Array(bytes(text ?? ""));
export const integers = (text, size) => (size === 4 ? new Uint32Array(bytes(text ?? "")) : shorts(text));

// Unit quaternions (w, x, y, z) from 16-bit fractions.
export function quaternions(text) {
  const fractions = new Int16Array(bytes(text ?? ""));
  const result = new Float32Array(fractions.length);
  for (let i = 0; i < fractions.length; i += 4) {
    const length = Math.hypot(fractions[i], fractions[i + 1], fractions[i + 2], fractions[i + 3]) || 1;
    for (let k = 0; k < 4; k++) result[i + k] = fractions[i + k] / length;
  }
  return result;
}

// Columns of loss.csv: an empty field is null.
export function columns(csv) {
  const lines = csv.split("\n").filter((line) => line);
  const names = (lines.shift() ?? "").split(",");
  const result = Object.fromEntries(names.map((name) => [name, []]));
  for (const line of lines)
    line.split(",").forEach((field, i) => names[i] && result[names[i]].push(field === "" ? null : Number(field)));
  return result;
}

// JSON that may be damaged or absent.
export function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

export function trajectory(raw) {
  if (!raw) return null;
  const result = {
    frames: raw.frames,
    kept: raw.kept,
    time: floats(raw.time),
    positions: floats(raw.positions),
    rotations: quaternions(raw.rotations),
    forces: null,
    bodies: raw.bodies, // where its design has others
    gaps: raw.gaps ? floats(raw.gaps) : null,
    curves: (raw.curves ?? []).map((curve) => ({ ...curve, values: floats(curve.values) })),
  };
  if (raw.forces?.values) result.forces = { frames: shorts(raw.forces.frames), values: floats(raw.forces.values) };
  result.contacts = (raw.contacts ?? []).map(({ a, b, normal, friction, gap }) => ({
    name: `${a} \u2013 ${b}`,
    normal: floats(normal),
    friction: floats(friction),
    gap: Array.from(floats(gap), (x) => (Number.isFinite(x) ? x : null)),
  }));
  if (raw.nodes) result.nodes = { ...raw.nodes, frames: shorts(raw.nodes.frames), places: shorts(raw.nodes.places) };
  return result;
}

// The terms of the loss: a table without names whose rows have as many numbers as there are terms.
function termsOf(table) {
  const rows = (table ?? "")
    .split("\n")
    .slice(1)
    .filter((line) => line)
    .map((line) => line.split(",").map((field) => (field === "" ? null : Number(field))));
  const count = Math.max(0, ...rows.map((row) => row.length - 1));
  if (count < 2) return null;
  return {
    iteration: rows.map((row) => row[0]),
    values: Array.from({ length: count }, (_, i) => rows.map((row) => row[i + 1] ?? null)),
  };
}

// Bodies; shown: those that move, but for markers (neither mass nor shape) that no objective names: they are told by what they are fixed to.
function bodiesOf(bodies, scene) {
  const objectives = Array.isArray(scene?.objective) ? scene.objective : [];
  const named = new Set(objectives.flatMap(({ body, bodies: several, to }) => [body, several, to].flat()));
  return bodies.map((body) => ({
    ...body,
    shown: body.moves && (body.mass > 0 || body.shape >= 0 || named.has(body.name)),
  }));
}

// Everything that is shown of a run.
function decodeRun(raw) {
  const scene = parsed(raw.scene);
  return {
    ...raw,
    raw,
    run: parsed(raw.run),
    scene,
    bodies: bodiesOf(raw.bodies, scene),
    certificate: parsed(raw.certificate),
    loss: { rows: raw.loss.rows, ...columns(raw.loss.csv) },
    terms: termsOf(raw.loss.terms),
    shapes: raw.shapes.map((shape) => ({
      name: shape.name,
      vertices: floats(shape.vertices),
      triangles: integers(shape.triangles, shape.index_bytes),
    })),
    surfaces: (raw.surfaces ?? []).map((surface) => ({
      body: surface.body,
      triangles: integers(surface.triangles, surface.index_bytes),
    })),
    contactModel: raw.best.forces?.model,
    best: trajectory(raw.best),
    first: trajectory(raw.first),
  };
}

// Everything on the page, from the text in it: the run, and others beside it.
export function decode(text) {
  const raw = JSON.parse(text);
  return { ...decodeRun(raw), others: (raw.others ?? []).map(decodeRun) };
}
