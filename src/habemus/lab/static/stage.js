// The stage: the processes in their places, as they are at this moment, and the messages on their way between them.
//
// Processes are SVG, so that each can be pointed at, tabbed to and read out; links and messages are painted on canvases,
// so that hundreds can move at once.

import { contains, distance } from "./geometry.js";
import { lab } from "./lab.js";
import { layOut } from "./layouts.js";
import { ICON_PATH, ROLE_COLOUR, coloursOf } from "./palette.js";
import { listed, t } from "./text.js";
import { Traffic } from "./traffic.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST_TABBED = 24;
const MOST_ROWS = 100;
const PAUSED = "M-2.5 -4 V4 M2.5 -4 V4";

export class Stage {
  /** `choose(what, point)` hears of clicks: {process}, {message}, {link}, {processes} or null. */
  constructor(element, choose) {
    this.element = element;
    this.choose = choose;
    this.traffic = new Traffic(this);
    this.svg = element.appendChild(document.createElementNS(SVG, "svg"));
    this.caption = element.appendChild(document.createElement("div"));
    this.caption.className = "corner top";
    this.legend = element.appendChild(document.createElement("div"));
    this.legend.className = "corner legend";
    this.table = element.appendChild(document.createElement("table"));
    this.table.className = "unseen";
    this.colours = coloursOf("light");
    this.nodes = [];
    this.accused = new Set();
    new ResizeObserver(() => this.resize()).observe(element);
    this.listen();
  }

  /** Another run. */
  open() {
    const { run, model } = lab;
    this.points = layOut(run);
    this.svg.replaceChildren();
    this.nodes = model.ids.map((id, place) => this.makeNode(id, place));
    this.edges = run.edges;
    this.grow();
    this.resize();
  }

  /** The same run with more events, or other ones. */
  grow() {
    this.traffic.open(lab.model);
    this.drawLegend();
  }

  setTheme(theme) {
    this.colours = coloursOf(theme);
    this.drawLegend();
    this.traffic.invalidateLinks();
    this.traffic.invalidate();
  }

  makeNode(id, place) {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "node");
    group.setAttribute("role", "button");
    group.dataset.id = id;
    if (lab.model.n <= MOST_TABBED) group.setAttribute("tabindex", "0");
    const add = (name, className) => {
      const part = group.appendChild(document.createElementNS(SVG, name));
      part.setAttribute("class", className);
      return part;
    };
    const node = {
      id,
      place,
      group,
      halo: add("circle", "halo"),
      blame: add("circle", "blame"),
      doubt: add("circle", "doubt"),
      disc: add("circle", "disc"),
      text: add("text", "id"),
      sign: add("path", "sign"),
    };
    node.text.textContent = id;
    this.svg.append(group);
    return node;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height || !this.points) return;
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this, { width, height, ratio });
    const sides = 52; // a process, and beside it the leader that it names
    const [top, bottom] = [74, 62];
    const reachX = Math.max(40, width / 2 - sides);
    const reachY = Math.max(40, (height - top - bottom) / 2);
    const round = Math.min(reachX, reachY);
    const free = !isRound(this.points); // what is no circle may fill the room
    const [scaleX, scaleY] = free ? [Math.min(reachX, round * 1.5), Math.min(reachY, round * 1.5)] : [round, round];
    const [cx, cy] = [width / 2, top + (height - top - bottom) / 2];
    this.centre = [cx, cy];
    this.at = this.points.map(([x, y]) => [cx + x * scaleX, cy + y * scaleY]);
    const closest = this.closest();
    this.radius = Math.max(3, Math.min(19, closest * 0.36));
    this.timersFit = closest >= 2 * (this.radius + 6);
    const every = Math.max(1, Math.ceil((26 * this.nodes.length) / (2 * Math.PI * round)));
    for (const node of this.nodes) {
      node.role = undefined; // whether it has a sign depends on its size
      const [x, y] = this.at[node.place];
      const r = this.radius;
      node.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      node.disc.setAttribute("r", r);
      node.halo.setAttribute("r", r + 5);
      node.blame.setAttribute("r", r + 4);
      node.doubt.setAttribute("r", r + 3.5);
      const inside = r >= 9;
      const [ux, uy] = this.outward(node.place);
      node.text.setAttribute("x", inside ? 0 : ux * (r + 12));
      node.text.setAttribute("y", inside ? 0 : uy * (r + 12));
      node.text.style.fontSize = `${inside ? Math.min(13, r * (String(node.id).length > 2 ? 0.75 : 0.95)) : 10}px`;
      const spaced = !free && node.place % every === 0 && node.place + every <= this.nodes.length;
      node.text.style.display = inside || spaced ? "" : "none";
      const away = inside ? r * 0.78 + 3 : r + 4;
      const scale = inside ? 1 : 0.7;
      const [aside, above] = [(away * 0.9).toFixed(1), (-away * 0.95).toFixed(1)];
      node.sign.setAttribute("transform", `translate(${aside} ${above}) scale(${scale})`);
    }
    this.update();
    this.traffic.resize(width, height, ratio);
  }

  closest() {
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

  outward(place) {
    const [dx, dy] = [this.at[place][0] - this.centre[0], this.at[place][1] - this.centre[1]];
    const far = Math.hypot(dx, dy);
    return far < 1 ? [0, 1] : [dx / far, dy / far];
  }

  /** The processes as they are after the cursor's event. */
  update() {
    const { model, cursor, selected } = lab;
    if (!model || !this.at) return;
    const chosen = new Set(selected?.processes ?? (selected?.process === undefined ? [] : [selected.process]));
    const suspected = new Set();
    this.states = model.worldAt(cursor);
    this.states.forEach((state) => {
      if (state.status === "up") state.suspects.forEach((id) => suspected.add(id));
    });
    for (const node of this.nodes) {
      const state = this.states[node.place];
      const data = node.group.dataset;
      put(data, "role", state.status === "crashed" ? "" : state.role);
      put(data, "status", state.status);
      put(data, "suspected", String(suspected.has(node.id)));
      put(data, "chosen", String(chosen.has(node.id)));
      put(data, "accused", String(this.accused.has(node.id)));
      if (node.role !== state.role || node.status !== state.status) {
        node.role = state.role;
        node.status = state.status;
        const crowded = this.radius < 6 && !["leader", "inside"].includes(state.role);
        const paused = state.status === "paused";
        const sign = paused ? PAUSED : (ICON_PATH[state.role] ?? "");
        node.sign.setAttribute("d", state.status === "crashed" || crowded ? "" : sign);
        node.sign.setAttribute("fill", paused ? "none" : (ROLE_COLOUR[state.role] ?? "none"));
        node.sign.style.strokeWidth = paused ? 2.2 : "";
      }
      const label = this.describe(node.id, state);
      if (node.label !== label) node.group.setAttribute("aria-label", (node.label = label));
    }
    this.updateCaption();
    const cuts = model.cutsAt(cursor);
    if (cuts !== this.cuts) {
      this.cuts = cuts;
      this.traffic.invalidateLinks();
    }
    this.traffic.invalidate();
  }

  describe(id, state) {
    const parts = [t("process", { id })];
    if (state.status !== "up") parts.push(t(`status.${state.status}`));
    for (const role of state.roles) parts.push(t(`role.${role}`));
    if (state.leader !== null && state.leader !== id) parts.push(t("names", { id: state.leader }));
    return parts.join(", ");
  }

  updateCaption() {
    const { states } = this;
    const holds = (state, role) => state.status !== "crashed" && state.roles.includes(role);
    const who = (role) => lab.model.ids.filter((_, place) => holds(states[place], role));
    const [leaders, insiders] = [who("leader"), who("inside")];
    const said = [];
    if (leaders.length === 1) said.push(t("caption.leader", { id: leaders[0] }));
    else if (leaders.length > 1) said.push(t("caption.leaders", { ids: listed(leaders.slice(0, 4)) }));
    if (insiders.length === 1) said.push(t("caption.inside", { id: insiders[0] }));
    else if (insiders.length > 1) said.push(t("caption.insiders", { ids: listed(insiders.slice(0, 4)) }));
    const text = said.join(" · ");
    if (this.captionText !== text) {
      this.captionText = text;
      this.caption.replaceChildren(Object.assign(document.createElement("strong"), { textContent: text }));
    }
  }

  /** The processes as a table, for those who cannot see the stage. */
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
    this.states.slice(0, MOST_ROWS).forEach(({ status, roles, leader }, place) => {
      const row = this.table.tBodies[0].insertRow();
      const held = roles.map((role) => t(`role.${role}`)).join(", ");
      for (const cell of [model.ids[place], t(`status.${status}`), held, leader ?? ""]) row.insertCell().textContent = cell;
    });
  }

  drawLegend() {
    if (!lab.model) return;
    this.legend.replaceChildren(
      ...lab.model.types.slice(0, 8).map((type, kind) => {
        const ink = this.colours.inkOf(kind);
        const item = document.createElement("span");
        const dash = ink.dash.length ? ` stroke-dasharray="${ink.dash.join(" ")}"` : "";
        const line = `<path d="M0 4 H15" stroke="${ink.line}" stroke-width="1.6"${dash}/>`;
        const tip = `<path d="M22 4 L14 1 V7 Z" fill="${ink.line}"/>`;
        item.innerHTML = `<svg class="sample" width="22" height="8" aria-hidden="true">${line}${tip}</svg>`;
        item.append(type);
        return item;
      }),
    );
  }

  // Pointing ----------------------------------------------------------------------------------------------------------

  /** What is at a point of the stage: {process}, {message}, {link} or null. */
  find(x, y) {
    if (!this.at) return null;
    const { model } = lab;
    for (const flight of this.traffic.flights) {
      const [px, py] = this.traffic.pointOf(flight);
      if (Math.hypot(px - x, py - y) < 9) return { message: flight.carried.message };
    }
    let best = null;
    let nearest = Math.max(8, this.radius + 2);
    this.at.forEach(([px, py], place) => {
      const far = Math.hypot(px - x, py - y);
      if (far < nearest) [nearest, best] = [far, { process: model.ids[place] }];
    });
    if (best) return best;
    nearest = 6;
    for (const link of this.edges) {
      const far = distance(x, y, this.at[model.placeOf.get(link[0])], this.at[model.placeOf.get(link[1])]);
      if (far < nearest) [nearest, best] = [far, { link }];
    }
    return best;
  }

  listen() {
    const { svg, element } = this;
    const local = (event) => {
      const box = element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let lasso = null;
    svg.addEventListener("pointerdown", (event) => {
      const [x, y] = local(event);
      if (!this.at || event.button !== 0) return;
      const found = this.find(x, y);
      lasso = { points: [[x, y]], free: found === null || found.link !== undefined, path: null };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const [x, y] = local(event);
      if (lasso) {
        if (lasso.free) this.stretch(lasso, x, y);
        return;
      }
      const found = this.find(x, y);
      const key = JSON.stringify(found);
      if (key !== this.hoverKey) {
        this.hoverKey = key;
        this.hovered = found;
        svg.style.cursor = found ? "pointer" : "default";
        this.traffic.invalidateLinks();
        this.traffic.invalidate();
      }
    });
    svg.addEventListener("pointerup", (event) => {
      const [x, y] = local(event);
      const drawn = lasso;
      lasso = null;
      if (!drawn) return;
      if (drawn.path) {
        drawn.path.remove();
        const inside = lab.model.ids.filter((_, place) => contains(drawn.points, this.at[place]));
        this.choose(inside.length ? { processes: inside } : null, event);
      } else this.choose(this.find(x, y), event);
    });
    svg.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.hoverKey = "";
      this.traffic.invalidateLinks();
      this.traffic.invalidate();
    });
    svg.addEventListener("keydown", (event) => {
      const node = event.target.closest?.(".node");
      if (!node || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      const box = node.getBoundingClientRect();
      const point = { clientX: box.right, clientY: box.top, shiftKey: event.shiftKey };
      this.choose({ process: Number(node.dataset.id) }, point);
    });
    svg.addEventListener("focusin", (event) => {
      const node = event.target.closest?.(".node");
      if (node && node.matches(":focus-visible")) lab.select({ process: Number(node.dataset.id) });
    });
  }

  stretch(lasso, x, y) {
    const [x0, y0] = lasso.points[0];
    if (!lasso.path && Math.hypot(x - x0, y - y0) < 6) return;
    if (!lasso.path) {
      lasso.path = document.createElementNS(SVG, "path");
      lasso.path.setAttribute("class", "lasso");
      this.svg.append(lasso.path);
    }
    lasso.points.push([x, y]);
    const corners = lasso.points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`);
    lasso.path.setAttribute("d", `M${corners.join(" L")} Z`);
  }
}

function isRound(points) {
  return points.every(([x, y]) => Math.abs(Math.hypot(x, y) - 1) < 1e-6 || Math.hypot(x, y) < 1e-6);
}

function put(data, name, value) {
  if (data[name] !== value) data[name] = value;
}
