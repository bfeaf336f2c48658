// SPDX-License-Identifier: Apache-2.0
// A second of a model's motion without contact as MuJoCo has it, for scripts/robot_motion.py.
//
//     node robot_motion.mjs MODULE < requests     (MODULE: the file mujoco.js of the package @mujoco/mujoco)
//
// A request is a line of JSON, {"folder", "file", "step", "keyframe"} or {"text", ...}: the files of the model are copied
// from the folder into the module's own file system, contacts and the drag of a medium are disabled, and the model moves
// for a second from its description's coordinates with controls of 0, or from the keyframe of that name, by steps of
// Runge and Kutta.  The answer is a line of JSON: for every body its name, mass, place and rotation at the start and at
// the end, and how far it came and turned; or {"error"}.  "contact" keeps contacts, "time" is another than a second; with
// "seed" the answer is a drawn keyframe alone.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const load = (await import(pathToFileURL(process.argv[2]))).default;
const silent = { print: () => {}, printErr: () => {} };
const mujoco = await load(silent);

// The files of a folder by their names without folders.
const listings = new Map();
function listing(folder) {
  if (!listings.has(folder)) {
    const names = new Map();
    for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (!entry.isDirectory()) {
        const name = entry.name.toLowerCase();
        names.set(name, [...(names.get(name) ?? []), path.join(entry.parentPath ?? entry.path, entry.name)]);
      }
    listings.set(folder, names);
  }
  return listings.get(folder);
}

// Copies a file and all that it seems to name, wherever in the folder that stands.
function copy(folder, file, done) {
  if (done.has(file))
    return;
  done.add(file);
  let bytes;
  try {
    bytes = fs.readFileSync(file);
  } catch {
    return;
  }
  mujoco.FS.mkdirTree(path.dirname(file));
  mujoco.FS.writeFile(file, bytes);
  if (!/\.(xml|mjcf|urdf)$/i.test(file))
    return;
  for (const [, value] of bytes.toString().matchAll(/file\w*\s*=\s*["']([^"']+)["']/g)) {
    copy(folder, path.join(path.dirname(file), value), done);  // listings are older than files that are drawn later
    for (const found of listing(folder).get(path.basename(value).toLowerCase()) ?? [])
      copy(folder, found, done);
  }
}

// mj_id2name gives bytes of the module's memory for things without a name.
function named(names, start) {
  const bytes = typeof names === 'string' ? Buffer.from(names, 'latin1') : Buffer.from(names);
  return bytes.subarray(start, bytes.indexOf(0, start)).toString();
}

function bodies(model, data) {
  return Array.from({ length: model.nbody - 1 }, (_, k) => {
    const i = k + 1;
    return {
      name: named(model.names, model.name_bodyadr[i]) || `body${i}`,
      mass: model.body_mass[i],
      place: Array.from(data.xipos.slice(3 * i, 3 * i + 3)),
      rotation: Array.from(data.xmat.slice(9 * i, 9 * i + 9)),
    };
  });
}

// A second; ways and angles are sums over each tenth step.  Steps that MuJoCo does not survive are tried again by its
// implicit integrator.
function move(model, data, request, integrator, step) {
  model.opt.integrator = integrator.value;
  model.opt.timestep = step;
  if (request.keyframe === undefined)
    mujoco.mj_resetData(model, data);
  else
    mujoco.mj_resetDataKeyframe(model, data, request.keyframe);
  const start = data.time;
  mujoco.mj_forward(model, data);
  const begun = bodies(model, data), count = Math.round((request.time ?? 1) / step);
  const way = begun.map(() => 0), spin = begun.map(() => 0);
  let before = Float64Array.from(data.xipos), turned = Float64Array.from(data.xmat);
  for (let k = 0; k < count; k++) {
    mujoco.mj_step(model, data);
    if (k % 10 !== 9)
      continue;
    const now = data.xipos, matrix = data.xmat;
    begun.forEach((_, i) => {
      const at = 3 * (i + 1), of = 9 * (i + 1);
      let trace = 0;
      for (let n = 0; n < 9; n++)
        trace += matrix[of + n] * turned[of + n];
      way[i] += Math.hypot(now[at] - before[at], now[at + 1] - before[at + 1], now[at + 2] - before[at + 2]);
      spin[i] += Math.acos(Math.min(1, Math.max(-1, (trace - 1) / 2)));
    });
    before = Float64Array.from(now);
    turned = Float64Array.from(matrix);
  }
  mujoco.mj_forward(model, data);
  return { whole: Math.abs(data.time - start - (request.time ?? 1)) < 0.01, bodies: begun, end: bodies(model, data), way, spin };
}

// A keyframe with drawn velocities and controls.
function draw(model, seed) {
  let state = seed * 7919 + 1;
  const uniform = () => ((state = (state * 16807) % 2147483647) / 2147483647);
  for (let k = 0; k < 5; k++)
    uniform();
  const between = (low, high) => low + (high - low) * uniform();
  const qvel = Array.from({ length: model.nv }, () => between(-0.5, 0.5).toFixed(6));
  const ctrl = Array.from({ length: model.nu }, (_, i) => {
    const range = model.actuator_ctrlrange.slice(2 * i, 2 * i + 2);
    return (range[0] < range[1] ? between(Math.max(range[0], -0.3), Math.min(range[1], 0.3)) : between(-0.3, 0.3)).toFixed(6);
  });
  const part = (name, numbers) => (numbers.length ? ` ${name}="${numbers.join(' ')}"` : '');
  return `<key name="motion"${part('qpos', Array.from(model.qpos0))}${part('qvel', qvel)}${part('ctrl', ctrl)}/>`;
}

// Whether forces of actuators have limits: where steps of Runge and Kutta are too long for stiff gains these do not
// explode, but beat between the limits, and the motion is another one.
function hasLimits(model) {
  return [...model.actuator_forcerange, ...model.jnt_actfrcrange].some((end) => end !== 0);
}

// How far the ends of two motions are apart, in parts of the way.
function apart(one, other) {
  return Math.max(0, ...one.end.map((end, i) => Math.hypot(...end.place.map((x, k) => x - other.end[i].place[k])) / Math.max(one.way[i], 0.01)));
}

function answer(request) {
  const done = new Set();
  if (request.file)
    copy(request.folder, request.file, done);
  let model, data;
  try {
    model = request.text ? mujoco.MjModel.from_xml_string(request.text) : mujoco.MjModel.from_xml_path(request.file);
    if (request.seed !== undefined)
      return { key: draw(model, request.seed) };
    data = new mujoco.MjData(model);
    if (typeof request.keyframe === 'string')
      request.keyframe = Array.from(model.name_keyadr).findIndex((start) => named(model.names, start) === request.keyframe);
    const option = model.opt, integrators = mujoco.mjtIntegrator;
    if (!request.contact)
      option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT.value;
    const medium = option.density !== 0 || option.viscosity !== 0;
    option.density = option.viscosity = 0;
    let moved = move(model, data, request, request.contact ? integrators.mjINT_IMPLICIT : integrators.mjINT_RK4, request.step);
    if (!moved.whole)
      moved = move(model, data, request, integrators.mjINT_IMPLICIT, request.step / 4);
    for (let part = 4; moved.whole && !request.contact && hasLimits(model) && part <= 64; part *= 4) {
      const finer = move(model, data, request, integrators.mjINT_RK4, request.step / part);
      const settled = finer.whole && apart(moved, finer) < 1e-3;
      moved = finer;
      if (settled)
        break;
    }
    if (!moved.whole)
      throw Error('MuJoCo does not survive it');
    return { nv: model.nv, medium, ...moved };
  } catch (error) {
    return { error: String(error?.message ?? error).slice(0, 300) };
  } finally {
    data?.delete();
    model?.delete();
    for (const file of done)
      try {
        mujoco.FS.unlink(file);
      } catch {}
  }
}

for await (const line of readline.createInterface({ input: process.stdin }))
  console.log(JSON.stringify(answer(JSON.parse(line))));
