// SPDX-License-Identifier: Apache-2.0
// Makes the template of the report page: everything inlined into one file, with a place for the data.
// Usage: node build.mjs [OUTPUT], report.html by default.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const place = "@DCSIM_DATA@";
const read = (...path) => readFileSync(join(here, ...path), "utf8");

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: "ascii",
    format: "iife",
    target: ["es2020", "chrome100", "firefox100", "safari15"],
    legalComments: "none",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

function licence(name) {
  const version = JSON.parse(read("node_modules", name, "package.json")).version;
  const text = read("node_modules", name, "LICENSE")
    .replace(/[^\n -~]/g, "")
    .trim();
  return `This page contains ${name} ${version}, which is under this licence:\n\n${text}\n`;
}

const licences = ["three", "uplot"].map(licence).join("\n");
// Shaders are the only text with indentation; they do not need it.
const script = (await bundle("src/main.js")).replace(/\n\t+/g, "\n").replace(/\t/g, " ");
const style = await bundle("src/style.css");
if (licences.includes("--")) throw new Error("a licence would end the comment it stands in");
if (/<\/script|<!--/i.test(script)) throw new Error("the script would end itself");
if (/<\/style/i.test(style)) throw new Error("the style would end itself");
const parts = { LICENSES: licences, STYLE: style, DATA: place, SCRIPT: script };
const page = read("src", "page.html").replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
if (page.split(place).length !== 2) throw new Error("the place of the data must stand there once");
const strange = page.match(/[^\n -~]/);
if (strange) throw new Error(`a character that is not ASCII: ${JSON.stringify(strange[0])}`);
writeFileSync(process.argv[2] ?? join(here, "report.html"), page);
