// SPDX-License-Identifier: Apache-2.0
// Small helpers: elements whose text is always text, numbers, icons.

// Element with properties (on*: listeners, data and aria as attributes) and children; strings become text.
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const paths = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  home: "M12 5a7 7 0 1 1-6.6 4.7M5 4v6h6",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

// A number with about so many significant digits, in its shortest form.
export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const rounded = Number(value.toPrecision(digits));
  const plain = String(rounded);
  const power = rounded.toExponential().replace("e+", "e");
  return plain.includes("e") || (plain.length > 5 && power.length < plain.length) ? power : plain;
}

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "\u2013";
  if (seconds < 1) return `${number(1000 * seconds, 3)} ms`;
  if (seconds < 120) return `${number(seconds, 3)} s`;
  if (seconds < 7200) return `${number(seconds / 60, 3)} min`;
  return `${number(seconds / 3600, 3)} h`;
}

// Linear RGB in 0 .. 1 as CSS.
export function cssColor(linear) {
  const part = (c) => Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * Math.pow(c, 1 / 2.4) - 0.055));
  return `rgb(${linear.map((c) => part(Math.min(1, Math.max(0, c)))).join(" ")})`;
}

const darkQuery = matchMedia("(prefers-color-scheme: dark)");
export const isDark = () => darkQuery.matches;
export const onThemeChange = (listener) => darkQuery.addEventListener("change", listener);
