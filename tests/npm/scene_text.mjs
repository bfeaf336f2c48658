// SPDX-License-Identifier: Apache-2.0
// Scenes are JSON with comments, which are blanked here; those inside of strings are none.
import { readFileSync } from "node:fs";

export function readScene(path) {
  const text = readFileSync(path, "utf8");
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (match) => (match[0] === '"' ? match : " ")));
}
