// SPDX-License-Identifier: Apache-2.0
// Says what Khronos' validator finds in the GLB files given; exits with 1 when there is an error or a warning.
const { readFileSync } = require("fs");
const validator = require("gltf-validator");

async function main() {
  let bad = 0;
  for (const file of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    const { numErrors, numWarnings, messages } = report.issues;
    console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${report.info.animationCount} animations`);
    for (const message of messages) console.log(`${message.code} ${message.pointer}: ${message.message}`);
    bad += numErrors + numWarnings;
  }
  process.exit(bad > 0 ? 1 : 0);
}
main();
