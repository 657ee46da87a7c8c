// The branch rail: every run since the page was opened, each beginning where it left its parent. A branch can be laid beside
// the current one, named and closed.

import { lab } from "../store/lab.js";
import { isViolated } from "../store/violations.js";
import { build } from "../widgets/elements.js";
import { showMenu } from "../widgets/menu.js";
import { t } from "../words/text.js";

const ROW = 20;
const LABELS = 380; // pixels for titles and tools, on the right
const TOOLS = 130; // of these, for tools
const TOOLS_NARROW = 40; // where the menu alone has room
const NARROW = 560;
const NAME = { read: (text) => text || null, wanted: "wanted.name" };
const SVG = "http://www.w3.org/2000/svg";

export class BranchRail {
  constructor(element) {
    this.element = element;
    this.svg = element.appendChild(document.createElementNS(SVG, "svg"));
    this.tools = element.appendChild(build("div.rail-tools"));
    for (const name of ["branch", "language", "compare"]) lab.on(name, () => this.draw());
    new ResizeObserver(() => this.draw()).observe(element);
  }

  draw() {
    const { branches } = lab;
    const width = this.element.clientWidth;
    this.element.hidden = branches.length < 2;
    if (!width && branches.length > 1) window.requestAnimationFrame(() => this.draw());
    if (!width || branches.length < 2) return;
    const rows = sortByDescent(branches);
    const room = Math.max(120, width - Math.min(LABELS, width * 0.45));
    this.svg.setAttribute("height", rows.length * ROW);
    this.svg.replaceChildren(...rows.map((branch, row) => this.drawBranch(branch, row, rows, room, width)));
    this.tools.replaceChildren(...rows.map((branch, row) => this.buildTools(branch, row, width)));
    const here = rows.indexOf(lab.branch);
    if (here >= 0) this.element.scrollTop = Math.max(0, (here - 1.5) * ROW);
  }

  drawBranch(branch, row, rows, room, width) {
    const family = rows.filter((other) => rootOf(other) === rootOf(branch));
    const longest = Math.max(...family.map((other) => other.run.time), 1);
    const x = (time) => 8 + (room - 16) * Math.min(1, time / longest);
    const y = row * ROW + ROW / 2;
    const begin = branch.parent ? x(branch.at) : 8;
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", `branch${branch === lab.branch ? " here" : ""}`);
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
    const broken = branch.run.properties.some(isViolated);
    const [fill, stroke] = broken ? ["var(--violation)", "var(--violation)"] : ["var(--ground)", "var(--lane)"];
    const letters = Math.max(8, Math.floor((width - end - 14 - toolsAt(width)) / 6.2));
    const label = title.length > letters ? `${title.slice(0, letters - 1)}…` : title;
    group.innerHTML = `
      <rect class="hit" x="0" y="${row * ROW}" width="${width}" height="${ROW}" rx="4"/>
      <path class="line" d="${elbow}"/>
      ${branch.parent ? `<circle cx="${begin}" cy="${above}" r="2.6" fill="var(--ink)"/>` : ""}
      <circle cx="${end}" cy="${y}" r="3.4" fill="${fill}" stroke="${stroke}" stroke-width="1.4"/>
      <text class="label" x="${end + 16}" y="${y + 0.5}"></text>`;
    group.querySelector("text").textContent = label;
    group.append(Object.assign(document.createElementNS(SVG, "title"), { textContent: title }));
    const go = () => lab.show(branch);
    group.addEventListener("click", go);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      go();
    });
    return group;
  }

  /** What can be done to a branch: beside the current one as a button, and all of it in a menu. */
  buildTools(branch, row, width) {
    const title = titleOf(branch);
    const on = lab.compared === branch;
    const lay = () => lab.compare(on ? null : branch);
    const key = on ? "branch.alone" : "branch.beside";
    const more = { type: "button", "data-branch": branch.id, "aria-label": t("branch.menu", { title }), "aria-haspopup": "menu" };
    const beside = { type: "button", "data-branch": branch.id, "aria-pressed": String(on), title: t("branch.compare", { title }), onclick: lay };
    return build(
      "div",
      { style: `top:${row * ROW}px` },
      branch === lab.branch || width < NARROW ? null : build("button.compare", beside, t(key)),
      build("button.more", { ...more, onclick: (event) => this.offer(branch, event, key, lay) }, "⋯"),
    );
  }

  offer(branch, { clientX, clientY, currentTarget }, key, lay) {
    const box = currentTarget.getBoundingClientRect();
    const point = clientX || clientY ? { clientX, clientY } : { clientX: box.left, clientY: box.top };
    const others = lab.branches.some((each) => rootOf(each) !== rootOf(branch)) || branch.parent !== null;
    showMenu(point, { title: titleOf(branch) }, [
      ...(branch === lab.branch ? [] : [{ name: "beside", label: t(key), run: lay }]),
      { name: "name", label: t("branch.name"), value: branch.title, kind: NAME, run: (name) => lab.nameBranch(branch, name) },
      ...(others ? [{ name: "close", label: t("branch.close"), run: () => lab.closeBranch(branch) }] : []),
    ]);
  }
}

function toolsAt(width) {
  return width < NARROW ? TOOLS_NARROW : TOOLS;
}

/** The title of a branch. */
export function titleOf(branch) {
  if (branch.name) return branch.name;
  const named = branch.title || branch.run.scenario?.title;
  if (named) return branch.parent ? `${named} · t=${branch.at}` : named;
  const { algorithm, ids } = branch.run;
  return t("branch.root", { algorithm, n: ids.length, seed: branch.scenario?.seed ?? 0 });
}

function rootOf(branch) {
  return branch.parent ? rootOf(branch.parent) : branch;
}

/** Each branch below its parent, the older first. */
function sortByDescent(branches) {
  const children = (parent) => branches.filter((branch) => branch.parent === parent);
  const walk = (branch) => [branch, ...children(branch).flatMap(walk)];
  return branches.filter((branch) => branch.parent === null).flatMap(walk);
}
