// The stage: the network at one moment, with its processes, its links, and the messages under way.
//
// Processes are SVG, so that each can be pointed at, tabbed to and read out; links and messages are painted on canvases,
// so that hundreds can move at once.

import { BELOW, coloursOf } from "../drawing/palette.js";
import { nameOfType } from "../model/message-names.js";
import { lab } from "../store/lab.js";
import { build } from "../widgets/elements.js";
import { formatList, t } from "../words/text.js";
import { layOut } from "./layouts.js";
import { Links } from "./links.js";
import { Messages } from "./messages.js";
import { StagePointing } from "./pointing.js";
import { Processes } from "./processes.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST_ROWS = 100;
const MOST_TYPES = 8; // in the legend
const BESIDE_LEGEND = 50; // pixels between it and the middle of a process: half of that, and the leader that it names

export class Stage {
  /** `choose(what, point)` is called for clicks: {process}, {message}, {link}, {processes} or null. */
  constructor(element, choose) {
    this.element = element;
    this.links = new Links(this);
    this.messages = new Messages(this);
    const svg = element.appendChild(document.createElementNS(SVG, "svg"));
    this.processes = new Processes(this, svg);
    this.pointing = new StagePointing(this, svg, choose);
    this.caption = element.appendChild(document.createElement("div"));
    this.caption.className = "corner top";
    this.legend = element.appendChild(document.createElement("div"));
    this.legend.className = "corner legend";
    this.table = element.appendChild(document.createElement("table"));
    this.table.className = "unseen";
    this.colours = coloursOf("light");
    this.witnesses = new Set(); // the processes that show how a property is violated
    new ResizeObserver(() => this.resize()).observe(element);
  }

  /** Show another run. */
  open() {
    this.points = layOut(lab.run);
    this.at = undefined; // while the stage is behind another pane, nobody knows how large it will be
    this.edges = lab.run.edges;
    this.processes.open();
    this.legendContent = "";
    this.legendWhole = false;
    this.grow();
  }

  /** Show the same run with other events. */
  grow() {
    this.messages.open(lab.model);
    this.links.invalidate();
    this.drawLegend();
  }

  setTheme(theme) {
    this.colours = coloursOf(theme);
    this.drawLegend();
    this.invalidate();
  }

  /** Have links and messages painted again in the next frame. */
  invalidate() {
    this.links.invalidate();
    this.messages.invalidate();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height || !this.points) return;
    const ratio = (window.devicePixelRatio || 1) * (this.element.currentCSSZoom ?? 1);
    Object.assign(this, { width, height, ratio });
    const sides = lab.model?.declared.field ? 84 : 58; // a process, and beside it the leader that it names, or its field
    const [top, bottom] = [74, Math.max(62, this.legend.offsetHeight + BESIDE_LEGEND)];
    const reachX = Math.max(40, width / 2 - sides);
    const reachY = Math.max(40, (height - top - bottom) / 2);
    const round = Math.min(reachX, reachY);
    const free = !isRound(this.points); // only a circle has to keep its proportions
    const [scaleX, scaleY] = free ? [Math.min(reachX, round * 1.5), Math.min(reachY, round * 1.5)] : [round, round];
    const [cx, cy] = [width / 2, top + (height - top - bottom) / 2];
    this.centre = [cx, cy];
    this.at = this.points.map(([x, y]) => [cx + x * scaleX, cy + y * scaleY]);
    const closest = this.leastDistance();
    this.radius = Math.max(3, Math.min(19, closest * 0.36));
    this.timersFit = closest >= 2 * (this.radius + 6);
    this.processes.arrange(round, free);
    for (const { canvas } of [this.links, this.messages]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.update();
    this.invalidate();
  }

  /** How far the two closest processes are from each other, in pixels. */
  leastDistance() {
    let least = Math.min(this.width, this.height) / 3;
    const { at } = this;
    const n = at.length;
    for (let a = 0; a < n; a++) {
      for (let b = a + 1; b < Math.min(n, n > 200 ? a + 3 : n); b++) {
        least = Math.min(least, Math.hypot(at[a][0] - at[b][0], at[a][1] - at[b][1]));
      }
    }
    return least;
  }

  /** The direction from the centre of the stage to a process. */
  outward(seat) {
    const [dx, dy] = [this.at[seat][0] - this.centre[0], this.at[seat][1] - this.centre[1]];
    const far = Math.hypot(dx, dy);
    return far < 1 ? [0, 1] : [dx / far, dy / far];
  }

  /** Show the processes as they are after the cursor's event. */
  update() {
    const { model, cursor } = lab;
    if (!model || !this.at) return;
    this.states = model.processesAt(cursor);
    this.processes.update(this.states);
    this.updateCaption();
    const cuts = model.cutsAt(cursor);
    if (cuts !== this.cuts || model.declared.oriented) {
      this.cuts = cuts;
      this.links.invalidate();
    }
    this.messages.invalidate();
  }

  updateCaption() {
    const { states } = this;
    const holds = (state, role) => state.status !== "crashed" && state.roles.includes(role);
    const who = (role) => lab.model.ids.filter((_, seat) => holds(states[seat], role));
    const [leaders, insiders] = [who("leader"), who("inside")];
    const said = [];
    if (leaders.length === 1) said.push(t("caption.leader", { id: leaders[0] }));
    else if (leaders.length > 1) said.push(t("caption.leaders", { ids: formatList(leaders.slice(0, 4)) }));
    if (insiders.length === 1) said.push(t("caption.inside", { id: insiders[0] }));
    else if (insiders.length > 1) said.push(t("caption.insiders", { ids: formatList(insiders.slice(0, 4)) }));
    const text = said.join(" · ");
    if (this.captionText !== text) {
      this.captionText = text;
      this.caption.replaceChildren(Object.assign(document.createElement("strong"), { textContent: text }));
    }
  }

  /** Write the processes to a table, for screen readers. */
  updateTable() {
    const { model } = lab;
    if (!this.states) return;
    const caption = t("table.stage", { time: model.timeOf(lab.cursor) });
    this.table.innerHTML = `<caption></caption><thead><tr></tr></thead><tbody></tbody>`;
    this.table.caption.textContent = caption;
    for (const key of ["table.process", "table.status", "table.role", "table.leader"]) {
      const head = this.table.tHead.rows[0].appendChild(document.createElement("th"));
      head.scope = "col";
      head.textContent = t(key);
    }
    this.states.slice(0, MOST_ROWS).forEach(({ status, roles, leader }, seat) => {
      const row = this.table.tBodies[0].insertRow();
      const held = roles.map((role) => t(`role.${role}`)).join(", ");
      for (const cell of [model.ids[seat], t(`status.${status}`), held, leader ?? ""]) row.insertCell().textContent = cell;
    });
  }

  drawLegend() {
    if (!lab.model) return;
    const content = JSON.stringify([lab.model.typesSeen, this.legendWhole, [...lab.hidden], this.colours.dark, lab.language, lab.run.message_names]);
    if (content === this.legendContent) return; // its buttons stay in place while a live run grows
    this.legendContent = content;
    const seen = lab.model.typesSeen;
    const more = seen.length - MOST_TYPES;
    const whole = this.legendWhole || more <= 1; // one more type takes no more room than the words that there is one
    this.legend.replaceChildren(
      ...(whole ? seen : seen.slice(0, MOST_TYPES)).map((type) => {
        const kind = lab.model.types.indexOf(type);
        const ink = this.colours.inkOf(kind);
        const below = lab.model.isBelow(kind);
        const { dash, width } = below ? BELOW : { dash: ink.dash, width: 1 };
        const dashed = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
        const line = `<path d="M0 4 H15" stroke="${ink.line}" stroke-width="${1.6 * width}"${dashed}/>`;
        const tip = `<path d="M22 4 L14 1 V7 Z" fill="${ink.line}"/>`;
        const pressed = String(!lab.hidden.has(type));
        const item = build("button", { type: "button", "aria-pressed": pressed, title: t("legend.toggle"), "data-type": type });
        item.innerHTML = `<svg class="sample" width="22" height="8" aria-hidden="true">${line}${tip}</svg>`;
        item.append(nameOfType(type));
        item.addEventListener("click", () => lab.toggleType(type));
        return item;
      }),
      ...(more > 1 ? [this.buildFolding(whole, more)] : []),
    );
    this.resize(); // it may have more lines now
  }

  /** The button that shows all types in the legend, or the first ones only. */
  buildFolding(whole, more) {
    const words = whole ? t("legend.fewer") : t("legend.more", { count: more });
    const fold = () => {
      this.legendWhole = !whole;
      this.drawLegend();
      this.legend.querySelector(".folding").focus();
    };
    return build("button.folding", { type: "button", "aria-expanded": String(whole), onclick: fold }, words);
  }
}

function isRound(points) {
  return points.every(([x, y]) => Math.abs(Math.hypot(x, y) - 1) < 1e-6 || Math.hypot(x, y) < 1e-6);
}
