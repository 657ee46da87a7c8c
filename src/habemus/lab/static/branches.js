// The branch rail: every run of this visit, each from where it left the one before it. None is ever lost.

import { lab } from "./lab.js";
import { t } from "./text.js";

const ROW = 20;
const LABELS = 300; // kept free on the right
const SVG = "http://www.w3.org/2000/svg";

export class Rail {
  constructor(element) {
    this.element = element;
    this.svg = element.appendChild(document.createElementNS(SVG, "svg"));
    for (const name of ["branch", "language", "compare"]) lab.on(name, () => this.draw());
    new ResizeObserver(() => this.draw()).observe(element);
  }

  draw() {
    const { branches } = lab;
    const width = this.element.clientWidth;
    this.element.hidden = branches.length < 2;
    if (!width && branches.length > 1) window.requestAnimationFrame(() => this.draw());
    if (!width || branches.length < 2) return;
    const rows = inOrder(branches);
    const room = Math.max(120, width - Math.min(LABELS, width * 0.45));
    this.svg.setAttribute("height", rows.length * ROW);
    this.svg.replaceChildren(...rows.map((branch, row) => this.bough(branch, row, rows, room, width)));
    const here = rows.indexOf(lab.branch);
    if (here >= 0) this.element.scrollTop = Math.max(0, (here - 1.5) * ROW);
  }

  bough(branch, row, rows, room, width) {
    const family = rows.filter((other) => rootOf(other) === rootOf(branch));
    const longest = Math.max(...family.map((other) => other.run.time), 1);
    const x = (time) => 8 + (room - 16) * Math.min(1, time / longest);
    const y = row * ROW + ROW / 2;
    const begin = branch.parent ? x(branch.model.timeOf(branch.from)) : 8;
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", `bough${branch === lab.branch ? " here" : ""}`);
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.dataset.branch = branch.id;
    const title = titleOf(branch);
    group.setAttribute("aria-label", t("branch.go", { title }));
    if (branch === lab.branch) group.setAttribute("aria-current", "true");
    const parentRow = branch.parent ? rows.indexOf(branch.parent) : row;
    const above = parentRow * ROW + ROW / 2;
    const end = Math.max(begin + 5, x(branch.run.time));
    const fork = `M${begin} ${above} V${y - 5} Q${begin} ${y} ${begin + 5} ${y} H${end}`;
    const elbow = branch.parent ? fork : `M${begin} ${y} H${end}`;
    const broken = branch.run.properties?.some((property) => property.verdict === false);
    const [fill, stroke] = broken ? ["var(--violation)", "var(--violation)"] : ["var(--ground)", "var(--lane)"];
    const letters = Math.max(8, Math.floor((width - end - 60) / 6));
    const label = title.length > letters ? `${title.slice(0, letters - 1)}…` : title;
    group.innerHTML = `
      <rect class="hit" x="0" y="${row * ROW}" width="${width}" height="${ROW}" rx="4"/>
      <path class="line" d="${elbow}"/>
      ${branch.parent ? `<circle cx="${begin}" cy="${above}" r="2.6" fill="var(--ink)"/>` : ""}
      <circle cx="${end}" cy="${y}" r="3.4" fill="${fill}" stroke="${stroke}" stroke-width="1.4"/>
      <text class="label" x="${end + 10}" y="${y + 0.5}"></text>`;
    group.querySelector("text").textContent = label;
    group.append(Object.assign(document.createElementNS(SVG, "title"), { textContent: title }));
    const go = () => lab.show(branch);
    group.addEventListener("click", go);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      go();
    });
    if (branch !== lab.branch) group.append(this.compareButton(branch, y, width));
    return group;
  }

  compareButton(branch, y, width) {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "compare");
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    const on = lab.compared === branch;
    group.setAttribute("aria-pressed", String(on));
    group.setAttribute("aria-label", t("branch.compare", { title: titleOf(branch) }));
    group.setAttribute("transform", `translate(${width - 30} ${y - 8})`);
    group.innerHTML = `
      <rect class="beside-hit" x="-5" y="-2" width="30" height="20"/>
      <path class="beside" d="M1 1 H8 V15 H1 Z M12 1 H19 V15 H12 Z"/>
      <title></title>`;
    group.querySelector("title").textContent = t("branch.compare", { title: titleOf(branch) });
    const toggle = (event) => {
      event.stopPropagation();
      event.preventDefault();
      lab.compare(on ? null : branch);
    };
    group.addEventListener("click", toggle);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter") toggle(event);
    });
    return group;
  }
}

/** What a branch is called. */
export function titleOf(branch) {
  const named = branch.title || branch.run.scenario?.title;
  if (named) return branch.parent ? `${named} · t=${branch.model.timeOf(branch.from) + 1}` : named;
  const { algorithm, ids } = branch.run;
  return t("branch.root", { algorithm, n: ids.length, seed: branch.scenario?.seed ?? 0 });
}

function rootOf(branch) {
  return branch.parent ? rootOf(branch.parent) : branch;
}

/** Each branch below the one it left, the older first. */
function inOrder(branches) {
  const children = (parent) => branches.filter((branch) => branch.parent === parent);
  const walk = (branch) => [branch, ...children(branch).flatMap(walk)];
  return branches.filter((branch) => branch.parent === null).flatMap(walk);
}
