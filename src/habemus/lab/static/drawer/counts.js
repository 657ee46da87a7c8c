// What an algorithm declares to be counted or plotted: counts beside their bounds up to the cursor, and levels over time.

import { firstAbove } from "../model/intervals.js";
import { lab } from "../store/lab.js";
import { build } from "../widgets/elements.js";
import { formatNumber, hasWords, t } from "../words/text.js";

const SVG = "http://www.w3.org/2000/svg";
const INKS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#A89B00", "#56B4E9", "#757B85"];
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [300, 150, 26, 18];
const HUNDRED = 100;

/** The value of a series after an event, and the largest up to there. */
function valueAt({ changes }, cursor) {
  const events = changes.map(([event]) => event);
  const last = firstAbove(events, lab.model.events[cursor]?.event ?? -1) - 1;
  const past = changes.slice(0, last + 1).map(([, value]) => value);
  return { now: past.at(-1) ?? 0, most: Math.max(0, ...past) };
}

function titleOf(title) {
  return hasWords(`count.${title}`) ? t(`count.${title}`) : title;
}

/** Each count as a bar up to the cursor, with its bound. */
export function countParts() {
  const { run, cursor } = lab;
  if (!run.counts?.length) return [];
  const titles = [...new Set(run.counts.map(({ title }) => title))];
  return titles.flatMap((title) => {
    const group = run.counts.filter((series) => series.title === title);
    const widest = Math.max(1, ...group.map(({ bound, most }) => Math.max(bound, most)));
    const share = (value) => `${((100 * value) / widest).toFixed(1)}%`;
    const rows = group.map((series) => {
      const { now, most } = valueAt(series, cursor);
      const said = t("count.of", { now: formatNumber(now), most: formatNumber(most), bound: formatNumber(series.bound) });
      return build(
        "div.count",
        { title: said },
        build("span.count-name", {}, series.k === null ? "" : `k = ${series.k}`),
        build("div.gauge", { role: "img", "aria-label": said }, build("i", { style: `width:${share(most)}` }), build("b", { style: `left:${share(series.bound)}` })),
        build("span.count-value", {}, `${formatNumber(most)} ≤ ${formatNumber(series.bound)}`),
      );
    });
    return [build("h2", {}, `${titleOf(title)} ≤ ${group[0].formula}`), build("div.counts", {}, rows)];
  });
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The levels at which the selected process, or the first one, suspects the others, up to the cursor. */
export function levelParts() {
  const { model, run, cursor, selected } = lab;
  if (!run.plotted) return [];
  const watching = selected?.process ?? model.ids[0];
  const seat = model.seatOf.get(watching);
  const others = model.ids.filter((id) => id !== watching).slice(0, INKS.length);
  const points = new Map(others.map((id) => [id, [[0, 0]]]));
  for (const index of model.steps[seat]) {
    if (index > cursor) break;
    const event = model.events[index];
    const levels = event.changed?.[run.plotted];
    if (levels) for (const id of others) points.get(id).push([event.time, (levels[id] ?? 0) / HUNDRED]);
  }
  const end = Math.max(1, run.time);
  const top = 1.5 * run.threshold;
  const x = (time) => LEFT + (time / end) * (WIDTH - LEFT - 34);
  const y = (level) => HEIGHT - BOTTOM - (Math.min(level, top) / top) * (HEIGHT - BOTTOM - 8);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot levels", role: "img", "aria-label": t("levels.title", { id: watching }) });
  for (const level of [0, run.threshold]) {
    svg.append(
      draw("path", { d: `M${LEFT} ${y(level)} H${WIDTH - 34}`, class: level ? "levels-threshold" : "plot-grid" }),
      draw("text", { x: LEFT - 5, y: y(level) + 4, "text-anchor": "end", class: "plot-tick" }, formatNumber(level)),
    );
  }
  const now = model.timeOf(cursor);
  others.forEach((id, number) => {
    const own = [...points.get(id)];
    own.push([now, own.at(-1)[1]]);
    const path = own.map(([time, level], k) => (k ? `H${x(time).toFixed(1)} V${y(level).toFixed(1)}` : `M${x(time)} ${y(level)}`)).join(" ");
    svg.append(draw("path", { d: path, fill: "none", stroke: INKS[number], "stroke-width": 1.4, "data-of": id }));
    const level = own.at(-1)[1];
    if (level > 0) svg.append(draw("text", { x: x(now) + 3, y: y(level) + 4, class: "plot-tick", fill: INKS[number] }, String(id)));
  });
  return [build("h2", {}, t("levels.title", { id: watching })), build("figure.levels-figure", {}, svg), build("p.soft", {}, t("levels.means"))];
}

/** What a reader of the figures has to know, if the algorithm says something. */
export function remarkParts() {
  const key = `remark.${lab.run.algorithm}`;
  return hasWords(key) ? [build("p.soft", {}, t(key))] : [];
}
