// SPDX-License-Identifier: Apache-2.0
// Writes a sound scene, sound.json, and broken ones made from it into a folder.  Usage: node broken_scenes.mjs FOLDER
// Each has one mistake that a schema can see: unknown keys, wrong types, numbers out of range, missing keys.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const sound = {
  $schema: "scene.schema.json",
  name: "sound",
  comment: ["two balls", "and the ground"],
  time: { step: 0.02, steps: 5 },
  gravity: [0, 0, -9.81],
  contact: { model: "bsh", stiffness: 1e-6, friction: 0.3 },
  shapes: { ball: { type: "sphere", radius: 0.1, level: 1 }, ground: { type: "plane" } },
  bodies: [
    { name: "ground", joint: "fixed", shape: "ground" },
    { name: "a", shape: "ball", mass: 1, position: [0, 0, 0.11], velocity: [1, 0, 0], color: [1, 0, 0] },
    { name: "b", shape: "ball", density: 1000, position: [0.5, 0, 0.11] },
  ],
  control: [{ type: "initial_state", body: "a", velocity: "xy" }],
  objective: [{ type: "reach", body: "b", target: [1, 0, 0.11], tolerance: 0.05, when: "end" }],
  optimizer: { type: "adam", learning_rate: 0.1, iterations: 5 },
  camera: { eye: [0, -2, 1] },
};

// Where, and what stands there instead; undefined: nothing.
const mistakes = [
  // unknown keys
  ["frobnicate", 1],
  ["Time", { step: 0.1, steps: 1 }],
  ["time.stepp", 0.1],
  ["contact.stifness", 1],
  ["shapes.ball.radus", 0.1],
  ["bodies.1.weight", 1],
  ["control.0.velocities", "xy"],
  ["objective.0.goal", [0, 0, 0]],
  ["optimizer.rate", 1],
  ["camera.zoom", 1],
  ["horizon", { length: 4, iteration: 3 }],
  ["models", { bsh: { frobnicate: {} } }],
  // wrong types
  ["$schema", 1],
  ["name", 7],
  ["comment", [1]],
  ["time", []],
  ["time.steps", "5"],
  ["time.steps", 2.5],
  ["gravity", [0, 0]],
  ["gravity", [0, 0, "-9.81"]],
  ["contact.friction", true],
  ["contact.model", "frobnicate"],
  ["shapes", []],
  ["shapes.ball.type", "ball"],
  ["bodies", {}],
  ["bodies.1.position", [0, 0, 0, 0]],
  ["bodies.1.name", 1],
  ["objective.0.when", "always"],
  ["optimizer.type", "newton"],
  // out of range
  ["time.step", 0],
  ["time.step", -0.1],
  ["time.steps", -1],
  ["contact.friction", -0.1],
  ["shapes.ball.radius", 0],
  ["bodies.1.mass", -1],
  ["objective.0.tolerance", -1],
  ["optimizer.iterations", -1],
  ["camera.fov_deg", 180],
  ["name", "a/b"],
  // missing keys
  ["time", undefined],
  ["time.step", undefined],
  ["shapes.ball.type", undefined],
  ["shapes.ball.radius", undefined],
  ["control.0.body", undefined],
  ["objective.0.target", undefined],
  ["camera.eye", undefined],
];

const folder = process.argv[2];
writeFileSync(join(folder, "sound.json"), JSON.stringify(sound, null, 2));
mistakes.forEach(([path, value], i) => {
  const scene = structuredClone(sound);
  const keys = path.split(".");
  const last = keys.pop();
  const place = keys.reduce((node, key) => node[key], scene);
  if (value === undefined) delete place[last];
  else place[last] = value;
  const name = `${String(i + 1).padStart(2, "0")}-${path.replace("$", "")}.json`;
  writeFileSync(join(folder, name), JSON.stringify(scene, null, 2));
});
