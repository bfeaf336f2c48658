// SPDX-License-Identifier: Apache-2.0
// Validates scenes by ajv.  Usage: node validate_scenes.mjs SCHEMA SCENE...
// Prints "valid SCENE" or "refused SCENE: where and why" for each; fails when the schema itself is not one.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import { readScene } from "./scene_text.mjs";

const [schemaPath, ...scenes] = process.argv.slice(2);
// strict: unknown keywords, keywords that do nothing and the like are errors
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: false });
const validate = ajv.compile(JSON.parse(readFileSync(schemaPath, "utf8")));
for (const scene of scenes) {
  if (validate(readScene(scene))) {
    console.log(`valid ${scene}`);
  } else {
    const reasons = validate.errors.map((error) => `${error.instancePath || "/"} ${error.message}`);
    console.log(`refused ${scene}: ${[...new Set(reasons)].join("; ").slice(0, 400)}`);
  }
}
