// SPDX-License-Identifier: Apache-2.0
// A browser that asks nobody but the page's own server for anything, and lines of a test.
import { chromium } from "playwright-core";

// Prints a line of a test, with the reason of a failure before it.
export function check(name, holds, reason = "") {
  if (!holds && reason !== "") console.log(`# ${reason}`);
  console.log(`${holds ? "ok" : "not ok"} ${name}`);
}

export const launch = (executablePath) =>
  chromium.launch({
  executablePath,
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
  ],
});
