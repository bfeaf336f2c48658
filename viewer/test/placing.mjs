// SPDX-License-Identifier: Apache-2.0
// Moves bodies on the page of a scene's start in a browser.  Prints "ok NAME" or "not ok NAME" for everything it checks.
// Usage: node placing.mjs CHROMIUM ADDRESS SCENE [PICTURE]; ADDRESS serves SCENE, whose first slider is the x of a free
// body; the file is changed.  PICTURE: also write a picture of the page.
import { readFileSync } from "node:fs";
import { check, launch } from "./browser.mjs";

const [executablePath, address, scene, picture] = process.argv.slice(2);

const browser = await launch(executablePath);
const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, colorScheme: "light" });
const page = await context.newPage();
const complaints = [];
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
const evaluate = (text) => page.evaluate(text);
const canvas = page.locator(".view canvas");
// The page's policy lets no text be evaluated again and again inside of it.
async function until(text) {
  for (let i = 0; i < 200 && !(await evaluate(text)); i++) await new Promise((done) => setTimeout(done, 100));
}
const quiet = () => until("window.dcsimPlacing && !window.dcsimPlacing.busy()");
async function pixels() {
  await quiet();
  await evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 80))))");
  return canvas.screenshot();
}

await page.goto(address);
await until("window.dcsimPlacing !== undefined");
check("the page comes up", await evaluate("window.dcsimPlacing?.view.stage !== undefined"), complaints.join("; "));
check("nothing is changed at first", (await evaluate("window.dcsimPlacing.message()")) === "As in the file");
check("gaps of pairs are told", (await page.locator("tbody tr").count()) > 0);

let before = await pixels();
const range = page.locator(".slide input[type=range]").first();
const start = (await evaluate("window.dcsimPlacing.values()"))[0];
await range.evaluate((input) => {
  input.value = String(Number(input.value) + 0.1);
  input.dispatchEvent(new Event("input"));
});
let after = await pixels();
check("a slider moves a body in the picture", !before.equals(after));
const moved = (await evaluate("window.dcsimPlacing.values()"))[0];
check("by as much", Math.abs(moved - start - 0.1) < 2e-5, `${start} ${moved}`);
check("and it is told that the file does not have it", (await evaluate("window.dcsimPlacing.message()")).endsWith("changed, not saved"));
for (const name of ["Hulls", "Axes", "Targets"]) {
  before = await pixels();
  await page.locator("button", { hasText: name }).first().click();
  after = await pixels();
  check(`${name} changes the picture`, !before.equals(after));
}
before = await pixels();
await page.locator("select[aria-label=Camera]").selectOption("Top");
after = await pixels();
check("so does a camera", !before.equals(after));
const turn = page.locator(".slide input[type=number]").nth(5);
await turn.fill("0.5");
await turn.press("Tab");
before = after;
after = await pixels();
check("the turn of a body is seen", !before.equals(after));
await page.locator("button", { hasText: "Save" }).click();
await until("window.dcsimPlacing.message().startsWith('Saved')");
check("it is saved", (await evaluate("window.dcsimPlacing.message()")).startsWith("Saved"), await evaluate("window.dcsimPlacing.message()"));
check("the file has the number", readFileSync(scene, "utf8").includes(String(moved)), String(moved));
await turn.fill("0.25");
await turn.press("Tab");
await until("window.dcsimPlacing.message().startsWith('1 changed')");
check("what is saved can be changed again", (await evaluate("window.dcsimPlacing.message()")) === "1 changed, not saved", await evaluate("window.dcsimPlacing.message()"));
await page.locator("button", { hasText: "Save" }).click();
await until("window.dcsimPlacing.message().startsWith('Saved')");
check("and saved again", (await evaluate("window.dcsimPlacing.message()")).startsWith("Saved"), await evaluate("window.dcsimPlacing.message()"));
check("nothing complains", complaints.length === 0, complaints.join("; "));
if (picture) await page.screenshot({ path: picture, fullPage: true });
await browser.close();
