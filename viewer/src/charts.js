// SPDX-License-Identifier: Apache-2.0
// Charts over the iterations, with one cursor for all.
import uPlot from "uplot";
import { el, isDark, number, onThemeChange } from "./dom.js";

const kinds = [
  { key: "loss", title: "Loss", log: true, light: "#2563eb", dark: "#7aa7ff" },
  { key: "gradient_norm", title: "Gradient norm", log: true, light: "#7c3aed", dark: "#b79bff" },
  { key: "min_gap", title: "Smallest gap", unit: "m", light: "#0f8a6d", dark: "#4fd1ad" },
  { key: "newton_iterations", title: "Newton iterations", light: "#b45309", dark: "#f0b35b" },
];

const finite = (values) => values.filter((value) => value !== null && Number.isFinite(value));

// A logarithmic axis when the values are positive and span more than a factor of twenty.
function isLogarithmic(kind, values) {
  const positive = finite(values);
  return (
    kind.log && positive.length > 1 && Math.min(...positive) > 0 && Math.max(...positive) > 20 * Math.min(...positive)
  );
}

// As many digits as tell the values apart.
function labels(values) {
  let texts = [];
  for (let digits = 3; digits < 9; digits++) {
    texts = values.map((value) => (value === null ? "" : number(value, digits)));
    const shown = texts.filter((text) => text);
    if (new Set(shown).size === shown.length) break;
  }
  return texts;
}

function bestRow(loss) {
  let best = -1;
  loss.forEach((value, i) => {
    if (value !== null && (best < 0 || value < loss[best])) best = i;
  });
  return best;
}

class Chart {
  constructor(kind, rows, best) {
    this.kind = kind;
    this.iterations = rows.iteration;
    this.values = rows[kind.key] ?? [];
    this.best = best;
    this.logarithmic = isLogarithmic(kind, this.values);
    this.readout = el("span", { class: "readout" });
    this.place = el("div", { class: "plot" });
    const title = el("h3", {}, kind.title, this.logarithmic ? el("small", {}, "log") : null);
    this.element = el("figure", { class: "card chart" }, el("figcaption", {}, title, this.readout), this.place);
    this.#read(null);
    if (finite(this.values).length < 2) {
      const only = finite(this.values).length === 1 ? number(finite(this.values)[0]) : "no values";
      this.place.append(el("p", { class: "single" }, only));
      this.readout.textContent = "";
      return;
    }
    new ResizeObserver(() => this.#fit()).observe(this.place);
    onThemeChange(() => this.#draw());
  }

  // The value under the cursor, else the last one.
  #read(index) {
    const row = index ?? this.values.length - 1;
    if (row < 0) return;
    const unit = this.kind.unit ? ` ${this.kind.unit}` : "";
    this.readout.replaceChildren(
      el("b", {}, `${number(this.values[row])}${this.values[row] === null ? "" : unit}`),
      ` at ${this.iterations[row]}`,
    );
  }

  #fit() {
    const width = this.place.clientWidth;
    if (!width) return;
    if (this.plot) this.plot.setSize({ width, height: 180 });
    else this.#draw();
  }

  #draw() {
    const width = this.place.clientWidth;
    if (!width) return;
    this.plot?.destroy();
    const dark = isDark();
    const color = dark ? this.kind.dark : this.kind.light;
    const text = dark ? "#8b97a8" : "#667085";
    const lines = dark ? "rgb(255 255 255 / 7%)" : "rgb(16 24 40 / 7%)";
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: text, font, grid: { stroke: lines, width: 1 }, ticks: { show: false } };
    const options = {
      width,
      height: 180,
      legend: { show: false },
      cursor: { sync: { key: "iterations" }, drag: { x: true, y: false }, points: { size: 7 } },
      scales: {
        x: { time: false },
        y: this.logarithmic ? { distr: 3 } : { range: { min: { pad: 0.1 }, max: { pad: 0.1 } } },
      },
      axes: [
        {
          ...axis,
          size: 26,
          gap: 4,
          values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? String(value) : "")),
        },
        { ...axis, size: 58, gap: 6, values: (_, splits) => labels(splits) },
      ],
      series: [
        {},
        {
          stroke: color,
          width: 1.75,
          spanGaps: true,
          points: { show: false },
          fill: this.logarithmic ? undefined : `${color}14`,
        },
      ],
      hooks: { setCursor: [(plot) => this.#read(plot.cursor.idx)], draw: [(plot) => this.#drawBest(plot, color)] },
    };
    this.plot = new uPlot(options, [this.iterations, this.values], this.place);
  }

  // A point where the loss is lowest.
  #drawBest(plot, color) {
    const value = this.values[this.best];
    if (this.best < 0 || value === null || value === undefined || (this.logarithmic && value <= 0)) return;
    const { ctx } = plot;
    const x = plot.valToPos(this.iterations[this.best], "x", true);
    const y = plot.valToPos(value, "y", true);
    ctx.save();
    ctx.beginPath();
    ctx.arc(x, y, 3.5 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fillStyle = color;
    ctx.strokeStyle = isDark() ? "#171c23" : "#ffffff";
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }
}

// The charts of loss.csv; null when it has no rows.  A problem without time has neither gaps nor Newton iterations.
export function charts(rows, timeless) {
  if (!rows.iteration?.length) return null;
  const best = bestRow(rows.loss);
  const all = kinds.filter((kind) => !timeless || kind.log).map((kind) => new Chart(kind, rows, best));
  const element = el("div", { class: "charts" }, ...all.map((chart) => chart.element));
  const last = Object.fromEntries(all.map((chart) => [chart.kind.key, chart.values[chart.values.length - 1]]));
  const plotted = () => all.filter((chart) => chart.plot).map((chart) => chart.kind.key);
  return { element, last, plotted, best };
}
