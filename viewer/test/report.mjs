// SPDX-License-Identifier: Apache-2.0
// Looks at a report in a browser.  Prints "ok NAME" or "not ok NAME" for everything it checks, with reasons behind "#".
// Usage: node report.mjs CHROMIUM RUN [PICTURE]; RUN is the run directory; PICTURE: also write a picture of the page.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, launch } from "./browser.mjs";

const [executablePath, directory, picture] = process.argv.slice(2);
const address = pathToFileURL(resolve(directory, "report.html")).href;
const summary = JSON.parse(readFileSync(join(directory, "run.json"), "utf8"));
const scene = JSON.parse(readFileSync(join(directory, "resolved.json"), "utf8"));
const rows = readFileSync(join(directory, "loss.csv"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(","));

// A problem without time: its page leaves out what is over time, gaps and Newton iterations.
const timeless = scene.problem === "refine";

const browser = await launch(executablePath);
const context = await browser.newContext({ viewport: { width: 960, height: 640 }, colorScheme: "light" });
const page = await context.newPage();
const requests = [];
const complaints = [];
context.on("request", (request) => requests.push(request.url()));
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
page.on("dialog", (dialog) => {
  complaints.push(`dialog: ${dialog.message()}`);
  dialog.dismiss();
});

const evaluate = (text) => page.evaluate(text);
// Once what was asked for has been drawn.
const settled = () =>
  evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))");
const canvas = page.locator(".view canvas");
async function pixels() {
  await settled();
  return canvas.screenshot();
}
async function changes(name, act, back) {
  const before = await pixels();
  await act();
  const after = await pixels();
  check(`${name} changes the picture`, !before.equals(after));
  if (!back) return;
  await back();
  check(`${name} can be taken back`, before.equals(await pixels()));
}
const press = (key) => () => page.keyboard.press(key);
const time = () => evaluate("window.dcsimReport.player.time");

await page.goto(address);
await page.waitForFunction("window.dcsimReport !== undefined", null, { timeout: 20000 }).catch(() => {});
check(
  "the page comes up",
  await evaluate("window.dcsimReport !== undefined && window.dcsimReport.stage !== undefined"),
  complaints.join("; "),
);
await settled();

check(
  "the name of the scene is text",
  (await page.locator("h1").textContent()) === scene.name,
  await page.locator("h1").textContent(),
);
const goals = JSON.stringify(scene.objective ?? []);
const moving = (await evaluate("window.dcsimReport.data.raw.bodies.filter((body) => body.moves)"))
  .filter(({ name, mass, shape }) => mass > 0 || shape >= 0 || goals.includes(JSON.stringify(name)))
  .map(({ name }) => name);
const listed = await page.locator(".bodies .name").allTextContents();
check("so are those of the bodies", listed.join("|") === moving.join("|"), listed.join("|"));
const words = await page.locator(".top .verdict").textContent();
const reachable = summary.result.objectives.some((objective) => "distance" in objective);
check(
  "the verdict is that of run.json",
  !reachable || words === (summary.result.success ? "Task reached" : "Task not reached"),
  words,
);
check(
  "so is the description",
  !scene.description || (await page.locator(".description").textContent()) === scene.description,
);
const advised = !summary.result.success && (summary.result.advice ?? []).length > 0;
const order = await page.locator("main > *").evaluateAll((all) => all.map((one) => one.className));
const place = (name) => order.findIndex((classes) => classes.split(" ").includes(name));
check(
  "the page begins with its head, then advice, facts and the replay",
  place("top") === 0 && (advised ? place("advice") === 1 : place("advice") <= 1) && place("facts") > place("advice") && place("replay") > place("facts"),
  order.join("|"),
);
check("the command line is there", (await page.locator(".command").textContent()) === summary.command);
const remedies = (summary.result.advice ?? []).flatMap((hint) => hint.try ?? []);
const printed = await page.locator(".remedy").allTextContents();
check("and so is every command that the advice names", printed.join("|") === remedies.join("|"), printed.join("|"));
const folds = await page.locator("details pre").allTextContents();
if (existsSync(join(directory, "certificate.json"))) {
  const certificate = JSON.parse(readFileSync(join(directory, "certificate.json"), "utf8"));
  const lines = await page.locator(".certificate tr").allTextContents();
  check(
    "the certificate has all its lines",
    lines.length === certificate.lines.length && lines.every((line, i) => line.includes(certificate.lines[i].words)),
    lines.join("|"),
  );
  const kind = await page.locator(".text .verdict").getAttribute("class");
  check("and its verdict", kind.includes(certificate.holds ? "good" : "bad"), kind);
}
check(
  "the scene is there",
  folds.some((text) => text === readFileSync(join(directory, "resolved.json"), "utf8")),
);

if (rows.length > 2) {
  const last = await evaluate("window.dcsimReport.last");
  rows[0].slice(1).forEach((name, i) => {
    if (timeless && ["newton_iterations", "min_gap"].includes(name)) {
      check(`there is no chart of ${name}`, last[name] === undefined, String(last[name]));
      return;
    }
    const field = rows[rows.length - 1][i + 1];
    check(
      `the chart of ${name} ends as loss.csv does`,
      last[name] === (field === "" ? null : Number(field)),
      `${last[name]}, not ${field}`,
    );
  });
  const plotted = await evaluate("window.dcsimReport.plotted()");
  check("the loss is drawn", plotted.includes("loss"), plotted.join());
}

const titles = await page.locator(".chart h3").allTextContents();
const shows = (title) => titles.some((text) => text.startsWith(title));
const terms = await evaluate("window.dcsimReport.data.terms");
if (terms) {
  const sums = terms.iteration.map((_, row) => terms.values.reduce((sum, one) => sum + one[row], 0));
  const wanted = rows.slice(1).map((row) => Number(row[1]));
  check("there is a chart of the terms of the loss", shows("Terms of the loss"), titles.join());
  check("its curves sum up to the loss", sums.every((sum, i) => Math.abs(sum - wanted[i]) <= 1e-12 * wanted[i]), sums.join());
}
const best = await evaluate(`(({ curves, contacts, nodes }) => ({
  groups: [...new Set(curves.map((curve) => curve.group))], contacts: contacts.length, nodes: nodes?.count ?? 0 }))(window.dcsimReport.data.best)`);
for (const group of best.groups)
  check(`there is ${timeless ? "no" : "a"} chart of ${group.toLowerCase()}`, shows(group) === !timeless, titles.join());
if (best.contacts) check("there is a chart of contact forces", shows("Contact forces"), titles.join());
if (await evaluate("window.dcsimReport.curves.length > 0")) {
  const over = page.locator(".chart .seekable").first();
  await over.scrollIntoViewIfNeeded();
  const { width, height } = await over.boundingBox();
  await over.click({ position: { x: 0.25 * width, y: 0.5 * height } });
  const [now, at] = await evaluate(
    "[window.dcsimReport.player.time, window.dcsimReport.curves[0].plot.posToVal(0.25 * window.dcsimReport.curves[0].plot.over.clientWidth, 'x')]",
  );
  check("a click on a chart goes to its time", Math.abs(now - at) < 0.02 * (1e-9 + (await evaluate("window.dcsimReport.player.end"))), `${now}, not ${at}`);
  check(
    "the playhead stands there on all charts",
    await evaluate("window.dcsimReport.curves.every((chart) => !chart.plot || (!chart.head.hidden && Math.abs(chart.time - window.dcsimReport.player.time) < 1e-9))"),
  );
  const scale = page.locator(".chart:has(.seekable) .tool:not([hidden])", { hasText: /^(log|linear)$/ }).first();
  if (await scale.count()) {
    const before = await scale.textContent();
    await scale.click();
    const after = await scale.textContent();
    check("linear and logarithmic by choice", new Set([before, after]).size === 2, `${before}, then ${after}`);
    await scale.click();
  }
  check(
    "units stand beside the titles of charts",
    await evaluate(
      "window.dcsimReport.curves.every(({ unit, element }) => (element.querySelector('h3 small')?.textContent ?? '') === (unit && unit !== '1' ? unit : ''))",
    ),
  );
  const targets = await evaluate(`(() => {
    const charts = window.dcsimReport.curves.filter(({ plot, series }) => plot && series.some((one) => one.like !== undefined));
    return charts.map(({ series, chips, hidden, plot }) => {
      const own = series.filter((one) => one.like === undefined), buttons = [...chips.querySelectorAll("button")];
      const target = series.findIndex((one) => one.like !== undefined), { name, like } = series[target];
      const before = plot.series[target + 1].show, button = buttons[own.indexOf(series[like])];
      button.click();
      const turned = plot.series[target + 1].show === !before && hidden.has(name) === before && hidden.has(series[like].name) === before;
      button.click();
      return buttons.length === own.length && turned && plot.series[target + 1].show === before;
    });
  })()`);
  if (targets.length) check("targets come and go with their coordinates", targets.every((one) => one), targets.join());
  await evaluate("window.dcsimReport.player.seek(0), window.scrollTo(0, 0)");
}

const frames = await evaluate("window.dcsimReport.player.times");
const clock = await evaluate("window.dcsimReport.player.clock.textContent");
check("the clock counts seconds, or frames where there is no time", timeless ? clock === `frame 0 of ${frames.length - 1}` : clock.endsWith(" s"), clock);
if (frames.length > 1) {
  const still = await pixels();
  check("a picture that stands still is the same twice", still.equals(await pixels()));
  await page.keyboard.press("ArrowRight");
  check("the right arrow goes to the next frame", Math.abs((await time()) - frames[1]) < 1e-6, String(await time()));
  await page.keyboard.press("ArrowLeft");
  check("the left arrow goes back", (await time()) === 0);
  // At the least speed, so that a short run is not over before one looks.
  for (let i = 0; i < 3; i++) await page.keyboard.press(",");
  await evaluate(`(() => {
    const { player } = window.dcsimReport;
    const { show } = player;
    player.show = (time) => { window.latestTime = Math.max(window.latestTime ?? 0, time); show(time); };
  })()`);
  await page.keyboard.press("Space");
  check("space plays", await evaluate("window.dcsimReport.player.playing"));
  for (let i = 0; i < 300 && !(await evaluate("window.latestTime > 0")); i++) await page.waitForTimeout(100);
  check("playing moves the time", await evaluate("window.latestTime > 0"));
  await page.keyboard.press("Space");
  check("space pauses", !(await evaluate("window.dcsimReport.player.playing")));
  await page.keyboard.press("End");
  check("playing moves the picture", moving.length === 0 || !still.equals(await pixels()));
  await page.locator(".play").click();
  check("the button plays too", await evaluate("window.dcsimReport.player.playing"));
  await page.locator(".play").click();
  await page.keyboard.press("End");
  const scrub = page.locator(".scrub");
  const box = await scrub.boundingBox();
  await scrub.click({ position: { x: box.width / 2, y: box.height / 2 } });
  check("the slider scrubs", Math.abs((await time()) / frames[frames.length - 1] - 0.5) < 0.02, String(await time()));
  await page.keyboard.press("End");
} else {
  check("there is nothing to play", await page.locator(".play").isDisabled());
}

const angle = (summary.result.objectives ?? []).flatMap((one) => one.conditions ?? []).find((one) => one.unit === "rad" && one.frame === frames.length - 1 && /^(angle|orientation)$/.test(one.name));
if (angle && frames.length > 2) {
  const shown = await evaluate(`window.dcsimReport.curves.find((chart) => chart.title === "Angle from the target")?.series.find((one) => one.name === "${angle.body}")?.values.at(-1)`);
  check("the angle from the target is charted", Math.abs(shown - angle.value) < 2e-3, `${shown}, ${angle.value} in run.json`);
}
if (frames.length > 1) {
  await evaluate("window.dcsimReport.player.faster(9)");
  const [saved] = await Promise.all([page.waitForEvent("download", { timeout: 60000 }), page.locator(".film").click()]);
  const film = readFileSync(await saved.path());
  check("a film is saved", film.length > 1000 && /\.(webm|mp4)$/.test(saved.suggestedFilename()), `${saved.suggestedFilename()}, ${film.length} bytes`);
  check("and the player stands at its end", (await time()) === (await evaluate("window.dcsimReport.player.end")));
  await evaluate("window.dcsimReport.player.faster(-2)");
  await page.keyboard.press("End");
}

const has = await evaluate(
  "({ first: !!window.dcsimReport.data.first, forces: !!window.dcsimReport.data.best.forces, marks: window.dcsimReport.data.marks.length > 0 })",
);
await page.mouse.move(5, 5);
const drawn = await evaluate(`(({ data }) => data.bodies.filter((body) => body.shown).findIndex((body) => body.shape >= 0 || data.surfaces.some((one) => one.body === body.name)))(window.dcsimReport)`);
if (drawn >= 0) {
  const eye = () => page.locator(".eye").nth(drawn).click();
  await changes("hiding a body", eye, eye);
}
if (has.forces) await changes("the toggle of forces", press("f"), press("f"));
if (has.marks) await changes("the toggle of targets", press("m"), press("m"));
if (frames.length > 1 && (await evaluate("window.dcsimReport.stage.world.best.lines.some((line) => line)"))) {
  await changes("the toggle of traces", press("t"), press("t"));
  // The longest one: short ones may lie within their bodies.
  const longest = await evaluate(`(({ lines, bodies, shown }) => {
    const sizes = lines.filter((_, i) => shown.has(bodies[i].name)).map((line) => {
      line?.geometry.computeBoundingSphere();
      return line ? line.geometry.boundingSphere.radius : -1;
    });
    return sizes.indexOf(Math.max(...sizes));
  })(window.dcsimReport.stage.world.best)`);
  const box = page.locator(".bodies input").nth(longest);
  await changes(
    "the trace of one body",
    () => box.click(),
    () => box.click(),
  );
}
if (has.first) {
  await changes("the first trajectory", press("2"), press("1"));
  await changes("overlay", press("3"), press("1"));
  await changes("side by side", press("4"), press("1"));
}
const middle = await canvas.boundingBox();
await changes(
  "dragging",
  async () => {
    await page.mouse.move(middle.x + 300, middle.y + 200);
    await page.mouse.down();
    await page.mouse.move(middle.x + 380, middle.y + 170, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(5, 5);
  },
  async () => {
    await page.keyboard.press("r");
    await evaluate("document.activeElement.blur()");
  },
);
if (best.nodes) {
  const lowest = () => evaluate("Math.min(...window.dcsimReport.stage.world.best.soft.position.array.filter((_, i) => i % 3 === 2))");
  await page.keyboard.press("Home");
  const before = await lowest();
  await changes("the motion of the soft bodies", press("End"), press("Home"));
  await page.keyboard.press("End");
  check("their nodes move", before !== (await lowest()));
}
const choices = await page.locator(".several button").count();
for (let i = 1; i < choices; i++) {
  const name = await page.locator(".several button").nth(i).textContent();
  await page.locator(".several button").nth(i).click();
  await settled();
  const chosen = page.locator('.several button[aria-pressed="true"]');
  check(`${name} can be chosen`, (await chosen.count()) === 1 && (await chosen.textContent()) === name);
  const there = await evaluate("window.dcsimReport.data.directory");
  check(`the page shows ${name}`, there.endsWith(name), there);
  check(`the replay of ${name} is drawn`, await evaluate("window.dcsimReport.stage.drawn > 0"));
}
if (choices) await page.locator(".several button").first().click();
if (picture) await page.screenshot({ path: picture, fullPage: true });
await changes(
  "a dark scheme",
  () => page.emulateMedia({ colorScheme: "dark" }),
  () => page.emulateMedia({ colorScheme: "light" }),
);

// On a telephone wide tables scroll within their cards, and their names are not broken into letters.
await page.setViewportSize({ width: 420, height: 800 });
let across = Infinity;
for (let tries = 0; tries < 40 && across > 420; tries++) {
  await settled(); // charts follow the window one after the other
  across = await evaluate("document.documentElement.scrollWidth");
}
check("the page fits a narrow window", across <= 420, `${across} px across`);
const least = await evaluate(
  "Math.min(1000, ...[...document.querySelectorAll('.wide tbody td:first-child')].map((cell) => cell.clientWidth))",
);
check("names in tables stay whole", least >= 80, `${least} px`);

check("no complaints", complaints.length === 0, complaints.join("; "));
check("nothing was asked of anybody", requests.length === 1 && requests[0] === address, requests.join(" "));
await browser.close();
