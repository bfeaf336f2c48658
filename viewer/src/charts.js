// SPDX-License-Identifier: Apache-2.0
// Charts over iterations or time, with one cursor for all of a kind: linear or logarithmic, zoom, and, over time, the playhead.
import uPlot from "uplot";
import { el, isDark, number, onThemeChange } from "./dom.js";

// Colours that are told apart in light and dark, also by who sees no red or green.
const palette = [
  ["#2563eb", "#7aa7ff"],
  ["#c2410c", "#ff9a66"],
  ["#0f8a6d", "#4fd1ad"],
  ["#7c3aed", "#b79bff"],
  ["#a16207", "#f0c65b"],
  ["#be185d", "#ff8fbf"],
  ["#0e7490", "#67d3ea"],
  ["#4d7c0f", "#a9d86b"],
];
const height = 180;
const finite = (values) => Array.from(values).filter((value) => value !== null && Number.isFinite(value));

// Where a logarithmic axis puts zero: a decade below the least positive value.  What is far below the rounding of the
// highest counts as zero: an axis over more decades would show nothing else (and uPlot draws none).
const NOTHING = 1e-24;
function floorOf(values) {
  const least = NOTHING * Math.max(...values),
    positive = values.filter((value) => value > 0 && value >= least);
  return positive.length ? Math.pow(10, Math.floor(Math.log10(Math.min(...positive))) - 1) : 0;
}

// As many digits as tell the values apart.
function labels(values) {
  let texts = [];
  for (let digits = 2; digits < 9; digits++) {
    texts = values.map((value) => (value === null ? "" : number(value, digits)));
    const shown = texts.filter((text) => text);
    if (new Set(shown).size === shown.length) break;
  }
  return texts;
}

const range = (values) => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);

// What a chart is made of:
//   title, unit; x: numbers; xName: how a place is called ("iteration", "s"); group: charts that share the cursor
//   series: [{ name, values, faint, steps, dash, like, off }]; steps: a value holds until its place; like: index of the series
//     whose colour it has; off: hidden at first; log: whether a logarithmic axis may be the first choice
//   mark: index of a point to be marked; seek: called with the place that is clicked
export class Chart {
  constructor(options) {
    Object.assign(this, { unit: "", xName: "", log: false, mark: -1, seek: null, group: "iterations" }, options);
    this.hidden = new Set(this.series.filter((one) => one.off).map((one) => one.name));
    this.readout = el("span", { class: "readout" });
    this.place = el("div", { class: "plot" });
    this.tools = el("span", { class: "tools" });
    this.scale = el("button", { type: "button", class: "tool", onclick: () => this.#setScale(!this.logarithmic) });
    this.whole = el(
      "button",
      { type: "button", class: "tool", hidden: true, title: "Show all (double click)", onclick: () => this.#zoomOut() },
      "all",
    );
    this.tools.append(this.whole, this.scale);
    this.chips = el("div", { class: "chips" });
    this.element = el(
      "figure",
      { class: "card chart" },
      el("figcaption", {}, el("h3", {}, this.title, this.#hasUnit() ? el("small", {}, this.unit) : null, this.tools), this.readout),
      this.place,
      this.chips,
    );
    this.head = el("i", { class: "playhead", hidden: true });
    new ResizeObserver(() => this.#fit()).observe(this.place);
    onThemeChange(() => this.#draw());
    this.set(this.x, this.series, this.mark);
  }

  // Other numbers; the choices of who looks stay.
  set(x, series, mark = -1) {
    const names = (list) => list.map((one) => one.name).join("\n");
    const same = this.plot && names(series) === names(this.series) && this.lastScale === this.logarithmic;
    Object.assign(this, { x: Array.from(x), series, mark });
    const values = series.flatMap((one) => finite(one.values));
    const [low, high] = range(values);
    this.floor = low >= 0 ? floorOf(values) : 0;
    this.hasZero = values.some((value) => value < this.floor);
    if (this.chosen === undefined) this.logarithmic = this.log && this.floor > 0 && high > 20 * Math.min(...values.filter((v) => v > this.floor));
    if (!(this.floor > 0)) this.logarithmic = false;
    this.scale.hidden = !(this.floor > 0 && high > low);
    this.scale.textContent = this.logarithmic ? "log" : "linear";
    this.scale.title = this.logarithmic ? "Show on a linear axis" : "Show on a logarithmic axis";
    this.#read(null);
    if (values.length < 2) return this.#showSingle(values);
    if (same && this.lastScale === this.logarithmic) this.plot.setData(this.#data(), !this.zoomed);
    else this.#draw();
    this.#listSeries();
  }

  #showSingle(values) {
    this.plot?.destroy();
    this.plot = null;
    this.place.replaceChildren(el("p", { class: "single" }, values.length ? number(values[0]) : "no values"));
    this.readout.textContent = "";
    this.chips.replaceChildren();
  }

  #setScale(logarithmic) {
    this.logarithmic = this.chosen = logarithmic;
    this.set(this.x, this.series, this.mark);
  }

  #zoomOut() {
    this.plot?.setData(this.#data(), true);
  }

  #hasUnit() {
    return this.unit && this.unit !== "1";
  }

  // A series and those that have its colour, as a target its joint's, come and go together.
  #show(i, shown) {
    this.series.forEach((one, k) => {
      if (k !== i && one.like !== i) return;
      if (shown) this.hidden.delete(one.name);
      else this.hidden.add(one.name);
      this.plot?.setSeries(k + 1, { show: shown });
    });
  }

  #listSeries() {
    if (this.series.length < 2) return this.chips.replaceChildren();
    const chips = this.series.flatMap((one, i) => {
      if (one.like !== undefined) return [];
      const chip = el(
        "button",
        {
          type: "button",
          class: "chip",
          "aria-pressed": String(!this.hidden.has(one.name)),
          onclick: () => {
            const shown = this.hidden.has(one.name);
            this.#show(i, shown);
            chip.setAttribute("aria-pressed", String(shown));
          },
        },
        el("i", { class: `swatch${one.faint ? " faint" : ""}`, style: `background:${this.#color(i)}` }),
        one.name,
      );
      return [chip];
    });
    if (this.series.some((one) => one.like !== undefined)) chips.push(el("span", { class: "note" }, "dashed: targets"));
    this.chips.replaceChildren(...chips);
  }

  #color(i) {
    if (this.series[i].like !== undefined) return this.#color(this.series[i].like);
    return palette[(this.first ?? 0) + i < palette.length ? (this.first ?? 0) + i : i % palette.length][isDark() ? 1 : 0];
  }

  // The values under the cursor, else the last ones, in the colours of their curves where there are several.
  #read(index) {
    const row = index ?? this.x.length - 1;
    if (row < 0) return;
    const at = `${number(this.x[row])}${this.xName === "s" ? "\u00a0s" : ""}`;
    const shown = this.series.flatMap((one, i) => (this.hidden.has(one.name) || one.faint || one.like !== undefined ? [] : [[one, i]]));
    const unit = this.#hasUnit() && shown.length === 1 ? `\u00a0${this.unit}` : "";
    this.readout.replaceChildren(
      ...shown.slice(0, 3).flatMap(([one, i], k) => {
        const value = one.values[row];
        const known = value !== null && Number.isFinite(value);
        const style = shown.length > 1 ? { style: `color:${this.#color(i)}` } : {};
        return [k ? " \u00b7 " : "", el("b", style, `${number(known ? value : null)}${known ? unit : ""}`)];
      }),
      `${shown.length > 3 ? " \u2026" : ""} at\u00a0${at}`,
    );
  }

  #data() {
    const place = (value) => (value === null || !Number.isFinite(value) ? null : this.logarithmic && value < this.floor ? this.floor : value);
    return [this.x, ...this.series.map((one) => Array.from(one.values, place))];
  }

  #fit() {
    const width = this.place.clientWidth;
    if (!width) return;
    if (this.plot) this.plot.setSize({ width, height });
    else this.#draw();
  }

  #draw() {
    const width = this.place.clientWidth;
    if (!width || this.series.flatMap((one) => finite(one.values)).length < 2) return;
    this.plot?.destroy();
    this.place.replaceChildren();
    this.lastScale = this.logarithmic;
    const text = isDark() ? "#8b97a8" : "#667085";
    const lines = isDark() ? "rgb(255 255 255 / 7%)" : "rgb(16 24 40 / 7%)";
    const axis = { stroke: text, font: "11px system-ui, sans-serif", grid: { stroke: lines, width: 1 }, ticks: { show: false } };
    const whole = this.xName === "iteration" || this.xName === "step";
    // Over many decades only the powers of ten have lines.
    const powers = (_, splits) => {
      const far = splits.length && splits[splits.length - 1] > 1e4 * splits[0];
      return far ? splits.map((value) => (Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9 ? value : null)) : splits;
    };
    const grid = this.logarithmic ? { ...axis.grid, filter: powers } : axis.grid;
    const options = {
      width,
      height,
      legend: { show: false },
      cursor: { sync: { key: this.group, scales: ["x", null] }, drag: { x: true, y: false }, points: { size: 7 } },
      scales: {
        x: { time: false },
        y: this.logarithmic ? { distr: 3 } : { range: { min: { pad: 0.1 }, max: { pad: 0.1 } } },
      },
      axes: [
        { ...axis, size: 26, gap: 4, values: (_, splits) => splits.map((value) => (whole && !Number.isInteger(value) ? "" : number(value))) },
        { ...axis, grid, size: 58, gap: 6, values: (_, splits) => this.#labels(splits) },
      ],
      series: [
        {},
        ...this.series.map((one, i) => ({
          show: !this.hidden.has(one.name),
          stroke: one.faint ? `${this.#color(i)}80` : this.#color(i),
          width: one.faint ? 1.25 : 1.75,
          dash: one.dash,
          spanGaps: whole,
          points: { show: false },
          paths: one.steps ? uPlot.paths.stepped({ align: -1 }) : undefined,
        })),
      ],
      hooks: {
        setCursor: [(plot) => this.#read(plot.cursor.idx)],
        draw: [(plot) => this.#drawMark(plot), () => this.playhead(this.time)],
        setScale: [(plot, key) => key === "x" && this.#noteZoom(plot)],
      },
    };
    this.plot = new uPlot(options, this.#data(), this.place);
    this.plot.over.append(this.head);
    this.#listenForClicks();
    this.#listSeries();
    this.playhead(this.time);
  }

  #labels(splits) {
    const texts = labels(splits);
    return splits.map((value, i) =>
      this.logarithmic && this.hasZero && value !== null && value <= this.floor * 1.001 ? (value >= this.floor * 0.999 ? "0" : "") : texts[i],
    );
  }

  #noteZoom(plot) {
    const { min, max } = plot.scales.x;
    const last = this.x.length - 1;
    this.zoomed = min > this.x[0] + 1e-9 || max < this.x[last] - 1e-9;
    this.whole.hidden = !this.zoomed;
  }

  // A click that is no drag seeks.
  #listenForClicks() {
    if (!this.seek) return;
    const { over } = this.plot;
    let down = null;
    over.classList.add("seekable");
    over.addEventListener("pointerdown", (event) => (down = event.clientX));
    over.addEventListener("click", (event) => {
      if (down === null || Math.abs(event.clientX - down) > 3) return;
      this.seek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
  }

  // A line at the present time.
  playhead(time) {
    this.time = time;
    if (!this.plot || time === undefined) return;
    const { min, max } = this.plot.scales.x;
    const left = this.plot.valToPos(time, "x");
    this.head.hidden = !(time >= min && time <= max && Number.isFinite(left));
    if (!this.head.hidden) this.head.style.transform = `translateX(${left}px)`;
  }

  #drawMark(plot) {
    const value = this.series[0].values[this.mark];
    if (this.mark < 0 || value === null || value === undefined) return;
    const { ctx } = plot;
    const x = plot.valToPos(this.x[this.mark], "x", true);
    const y = plot.valToPos(this.logarithmic && value < this.floor ? this.floor : value, "y", true);
    if (x < plot.bbox.left || x > plot.bbox.left + plot.bbox.width) return;
    ctx.save();
    ctx.beginPath();
    ctx.arc(x, y, 3.5 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fillStyle = this.#color(0);
    ctx.strokeStyle = isDark() ? "#171c23" : "#ffffff";
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }
}

export function bestRow(loss) {
  let best = -1;
  loss.forEach((value, i) => {
    if (value !== null && (best < 0 || value < loss[best])) best = i;
  });
  return best;
}

// The lowest value so far at every row.
export function bestSoFar(values) {
  let best = null;
  return values.map((value) => {
    if (value !== null && Number.isFinite(value) && (best === null || value < best)) best = value;
    return best;
  });
}

export const kinds = [
  { key: "loss", title: "Loss", log: true, color: 0 },
  { key: "gradient_norm", title: "Gradient norm", log: true, color: 3 },
  { key: "min_gap", title: "Smallest gap", unit: "m", color: 2 },
  { key: "newton_iterations", title: "Newton iterations", color: 4 },
];

// Series of a kind in rows (columns by name).
export function rowSeries(kind, rows) {
  const values = rows[kind.key] ?? [];
  const series = [{ name: kind.key === "loss" ? "loss" : kind.title, values }];
  const best = kind.key === "loss" ? bestSoFar(values) : [];
  if (best.some((value, i) => value !== values[i])) series.push({ name: "best so far", values: best, dash: [4, 3] });
  return series;
}

// What the losses are sums of: objectives, or worlds.
function termChart({ iteration, values, names }, unit) {
  return new Chart({
    title: "Terms of the loss",
    log: true,
    x: iteration,
    xName: unit,
    series: values.map((one, i) => ({ name: names[i], values: one })),
  });
}

// The charts of loss.csv; null when it has no rows.  A problem without time has neither gaps nor Newton iterations.  terms:
// { iteration, values, names } of the terms of the loss, or null.
export function charts(rows, timeless, unit = "iteration", list = kinds, terms = null) {
  if (!rows.iteration?.length) return null;
  const best = bestRow(rows.loss);
  const shown = list.filter((kind) => !timeless || kind.log);
  const all = shown.map(
    (kind) =>
      new Chart({
        ...kind,
        first: kind.color,
        color: undefined,
        x: rows.iteration,
        xName: unit,
        series: rowSeries(kind, rows),
        mark: best,
      }),
  );
  const parts = terms ? termChart(terms, unit) : null;
  const element = el("div", { class: "charts" }, ...all.map((chart) => chart.element));
  if (parts) all[0].element.after(parts.element);
  const last = Object.fromEntries(shown.map((kind) => [kind.key, rows[kind.key]?.[rows.iteration.length - 1]]));
  const plotted = () => shown.filter((_, i) => all[i].plot).map((kind) => kind.key);
  return { element, last, plotted, best, all, parts };
}
