// A plot of cost against n. Both axes are logarithmic, so that a power of n is a straight line. The mean is a line with marks,
// the range a faint area behind it, a proven bound a dashed line with its formula at the end.

import { formatNumber } from "../words/text.js";

const INKS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#A89B00", "#56B4E9", "#757B85"];
const MARKS = [
  "M-4 0 A4 4 0 1 0 4 0 A4 4 0 1 0 -4 0 Z",
  "M-3.5 -3.5 H3.5 V3.5 H-3.5 Z",
  "M0 -4.5 L4.2 3.2 H-4.2 Z",
  "M0 -4.6 L4.6 0 L0 4.6 L-4.6 0 Z",
  "M0 4.5 L4.2 -3.2 H-4.2 Z",
];
const SVG = "http://www.w3.org/2000/svg";
const LABEL = 14; // the height of a line of labels

/** The colour of the series with that index. */
export function inkOf(index) {
  return INKS[index % INKS.length];
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Spread labels so that none covers another, each as near as possible to its wanted height. */
function spreadLabels(wanted, low, high) {
  const order = wanted.map((y, index) => ({ y, index })).sort((a, b) => a.y - b.y);
  let above = low - LABEL;
  for (const label of order) above = label.y = Math.max(label.y, above + LABEL);
  let below = high + LABEL;
  for (const label of [...order].reverse()) below = label.y = Math.min(label.y, below - LABEL);
  return order.sort((a, b) => a.index - b.index).map((label) => label.y);
}

/** Round numbers on a logarithmic axis. */
function listTicks(low, high) {
  const found = [];
  const factors = high / low < 50 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1)
    for (const factor of factors) if (factor * 10 ** power >= low && factor * 10 ** power <= high) found.push(factor * 10 ** power);
  return found;
}

/**
 * Draw the plot of some series: `{name, means: [[n, cost]...], range: [[n, least, most]...], bounds: [{formula, values: [[n, cost]...]}...]}`.
 */
export function drawPlot(series, { width, across, upward }) {
  const height = Math.round(Math.min(440, Math.max(280, width * 0.55)));
  const narrow = width < 560;
  const left = 56;
  const right = narrow ? 12 : 190;
  const top = 30;
  const bottom = 44;
  const ends = (each) => each.range.flatMap(([n, least, most]) => [[n, least], [n, most]]);
  const drawn = series.flatMap((each) => [...each.means, ...ends(each), ...each.bounds.flatMap((bound) => bound.values)]);
  const all = drawn.filter(([, cost]) => cost > 0);
  const sizes = [...new Set(series.flatMap((each) => each.means.map(([n]) => n)))].sort((a, b) => a - b);
  const low = Math.min(...all.map(([, cost]) => cost)) / 1.15;
  const high = Math.max(...all.map(([, cost]) => cost)) * 1.15;
  const span = Math.log(sizes.at(-1) / sizes[0]) || 1;
  const x = (n) => left + (Math.log(n / sizes[0]) / span) * (width - left - right);
  const y = (cost) => height - bottom - (Math.log(cost / low) / Math.log(high / low)) * (height - top - bottom);
  const line = (values) => `M${values.filter(([, cost]) => cost > 0).map(([n, cost]) => `${x(n).toFixed(1)} ${y(cost).toFixed(1)}`).join(" L")}`;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "plot" });
  for (const cost of listTicks(low, high))
    svg.append(
      draw("path", { d: `M${left} ${y(cost)} H${width - right}`, class: "plot-grid" }),
      draw("text", { x: left - 8, y: y(cost) + 4, "text-anchor": "end", class: "plot-tick" }, formatNumber(cost)),
    );
  let free = -Infinity;
  for (const n of sizes) {
    if (x(n) < free) continue; // no room for another number
    svg.append(draw("text", { x: x(n), y: height - bottom + 20, "text-anchor": "middle", class: "plot-tick" }, formatNumber(n)));
    free = x(n) + 8 * formatNumber(n).length + 12;
  }
  svg.append(
    draw("text", { x: left, y: 14, class: "plot-name" }, upward),
    draw("text", { x: width - right, y: height - 6, "text-anchor": "end", class: "plot-name" }, across),
  );
  const labels = [];
  series.forEach((each, index) => {
    const ink = inkOf(index);
    for (const bound of each.bounds) {
      svg.append(draw("path", { d: line(bound.values), class: "plot-bound" }));
      const text = series.length > 1 ? `${bound.formula}, ${each.name}` : bound.formula;
      labels.push({ text, y: y(bound.values.at(-1)[1]), class: "plot-formula" });
    }
    const there = each.range.filter(([, least]) => least > 0);
    const around = [...there.map(([n, least]) => [n, least]), ...[...there].reverse().map(([n, , most]) => [n, most])];
    if (there.length) svg.append(draw("path", { d: `${line(around)} Z`, fill: ink, opacity: 0.13 }));
  });
  series.forEach((each, index) => {
    const ink = inkOf(index);
    svg.append(draw("path", { d: line(each.means), fill: "none", stroke: ink, "stroke-width": 1.8 }));
    for (const [n, cost] of each.means.filter(([, cost]) => cost > 0)) {
      const title = draw("title", {}, `${each.name}, n = ${formatNumber(n)}: ${formatNumber(Math.round(cost * 10) / 10)}`);
      svg.append(draw("path", { d: MARKS[index % MARKS.length], transform: `translate(${x(n)} ${y(cost)})`, fill: ink }, title));
    }
    labels.push({ text: each.name, y: y(each.means.at(-1)[1]), ink });
  });
  if (!narrow)
    spreadLabels(labels.map((label) => label.y), top, height - bottom).forEach((at, index) => {
      const label = labels[index];
      const element = draw("text", { x: width - right + 10, y: at + 4, class: label.class ?? "plot-series" }, label.text);
      if (label.ink) element.setAttribute("fill", label.ink);
      svg.append(element);
    });
  return svg;
}
