// A plot of curves over a common axis, both axes linear from 0: `{name, ink, points: [[x, y]...]}`, and marks at some x.

import { formatNumber } from "../words/text.js";

const SVG = "http://www.w3.org/2000/svg";
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 130, 28, 40];

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function listTicks(most) {
  const step = 10 ** Math.floor(Math.log10(most || 1));
  const size = most / step > 5 ? 2 * step : most / step > 2 ? step : step / 2;
  return Array.from({ length: Math.floor(most / size) + 1 }, (_, k) => k * size);
}

/** Draw the curves; what is higher than `most` is cut off. */
export function drawCurves(curves, { width, height = 260, across, upward, most, marks = [] }) {
  const points = curves.flatMap((curve) => curve.points);
  const [farthest, highest] = [Math.max(...points.map(([x]) => x)), most ?? Math.max(...points.map(([, y]) => y), 1e-9)];
  const x = (value) => LEFT + (value / farthest) * (width - LEFT - RIGHT);
  const y = (value) => height - BOTTOM - (Math.min(value, highest) / highest) * (height - TOP - BOTTOM);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "plot" });
  for (const value of listTicks(highest))
    svg.append(
      draw("path", { d: `M${LEFT} ${y(value)} H${width - RIGHT}`, class: "plot-grid" }),
      draw("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end", class: "plot-tick" }, formatNumber(value)),
    );
  for (const value of listTicks(farthest))
    svg.append(draw("text", { x: x(value), y: height - BOTTOM + 18, "text-anchor": "middle", class: "plot-tick" }, formatNumber(value)));
  for (const { at, name, ink } of marks)
    svg.append(
      draw("path", { d: `M${x(at)} ${TOP} V${height - BOTTOM}`, stroke: ink, "stroke-dasharray": "4 3", fill: "none" }),
      draw("text", { x: x(at) + 4, y: TOP + 8, class: "plot-tick", fill: ink }, name),
    );
  for (const { name, ink, points: own, dots } of curves) {
    const path = own.map(([px, py], k) => `${k ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join(" ");
    svg.append(draw("path", { d: path, fill: "none", stroke: ink, "stroke-width": 1.8 }));
    if (dots) for (const [px, py] of own) svg.append(draw("circle", { cx: x(px), cy: y(py), r: 3, fill: ink }));
    const [endX, endY] = own.at(-1);
    svg.append(draw("text", { x: x(endX) + 6, y: y(endY) + 4, class: "plot-tick", fill: ink }, name));
  }
  svg.append(
    draw("text", { x: LEFT, y: 14, class: "plot-name" }, upward),
    draw("text", { x: width - RIGHT, y: height - 6, "text-anchor": "end", class: "plot-name" }, across),
  );
  return svg;
}
