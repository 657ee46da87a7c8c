// The stage: the processes in their places, as they are at this moment, and the messages on their way between them.
//
// Processes are SVG, so that each can be pointed at, tabbed to and read out; links and messages are painted on canvases,
// so that hundreds can move at once. A message is where its arrow in the diagram crosses the line of now.

import { drawIcon, widthOf } from "./drawing.js";
import { calm, painter } from "./frames.js";
import { lab } from "./lab.js";
import { layOut } from "./layouts.js";
import { LOST, UNDER_WAY, labelOf } from "./model.js";
import { FONT, ICON_PATH, ROLE_COLOUR, coloursOf } from "./palette.js";
import { listed, t } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";
const AFTERGLOW = 34; // how long a step is echoed and a lost message remembered, along the axis
const MOST_TABBED = 24;
const MOST_LABELLED = 60;
const MOST_WITH_TRAILS = 120;
const MOST_DRAWN_ONE_BY_ONE = 400;
const ASIDE = 5; // messages keep to the right of their link

export class Stage {
  /** `choose(what, point)` hears of clicks: {process}, {message}, {link}, {processes} or null. */
  constructor(element, choose) {
    this.element = element;
    this.choose = choose;
    this.links = element.appendChild(document.createElement("canvas"));
    this.moving = element.appendChild(document.createElement("canvas"));
    this.svg = element.appendChild(document.createElementNS(SVG, "svg"));
    this.caption = element.appendChild(document.createElement("div"));
    this.caption.className = "corner top";
    this.legend = element.appendChild(document.createElement("div"));
    this.legend.className = "corner legend";
    this.table = element.appendChild(document.createElement("table"));
    this.table.className = "unseen";
    this.colours = coloursOf("light");
    this.nodes = [];
    this.shown = new Set(); // messages whose labels were shown in the last frame: they go first, so that none flickers
    this.accused = new Set();
    this.invalidate = painter(() => this.paint());
    this.invalidateLinks = painter(() => this.paintLinks());
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
    const { model } = lab;
    this.lost = model.flights
      .filter((flight) => flight.fate === LOST)
      .sort((a, b) => model.positions[a.end] - model.positions[b.end]);
    this.shown = new Set();
    this.drawLegend();
  }

  setTheme(theme) {
    this.colours = coloursOf(theme);
    this.drawLegend();
    this.invalidateLinks();
    this.invalidate();
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
    for (const canvas of [this.links, this.moving]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const sides = 44;
    const above = 74;
    const below = 62;
    const reachX = Math.max(40, width / 2 - sides);
    const reachY = Math.max(40, (height - above - below) / 2);
    const round = Math.min(reachX, reachY);
    const free = !isRound(this.points); // what is no circle may fill the room
    const [scaleX, scaleY] = free ? [Math.min(reachX, round * 1.5), Math.min(reachY, round * 1.5)] : [round, round];
    const [cx, cy] = [width / 2, above + (height - above - below) / 2];
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
      node.text.style.display = inside || (node.place % every === 0 && node.place + every <= this.nodes.length) ? "" : "none";
      const away = inside ? r * 0.78 + 3 : r + 4;
      const scale = inside ? 1 : 0.7;
      node.sign.setAttribute("transform", `translate(${(away * 0.9).toFixed(1)} ${(-away * 0.95).toFixed(1)}) scale(${scale})`);
    }
    this.update();
    this.invalidateLinks();
    this.invalidate();
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
        const sign = state.status === "crashed" || crowded ? "" : state.status === "paused" ? "M-2.5 -4 V4 M2.5 -4 V4" : ICON_PATH[state.role];
        node.sign.setAttribute("d", sign ?? "");
        node.sign.setAttribute("fill", state.status === "paused" ? "none" : (ROLE_COLOUR[state.role] ?? "none"));
        node.sign.style.strokeWidth = state.status === "paused" ? 2.2 : "";
      }
      const label = this.describe(node.id, state);
      if (node.label !== label) node.group.setAttribute("aria-label", (node.label = label));
    }
    this.updateCaption();
    const cuts = model.cutsAt(cursor);
    if (cuts !== this.cuts) {
      this.cuts = cuts;
      this.invalidateLinks();
    }
    this.invalidate();
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
    const who = (role) => states.flatMap((state, place) => (state.roles.includes(role) && state.status !== "crashed" ? [lab.model.ids[place]] : []));
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
    const head = ["table.process", "table.status", "table.role", "table.leader"].map((key) => `<th scope="col">${t(key)}</th>`);
    const rows = this.states.slice(0, 100).map((state, place) => {
      const cells = [t(`status.${state.status}`), state.roles.map((role) => t(`role.${role}`)).join(", "), state.leader ?? ""];
      return `<tr><th scope="row">${model.ids[place]}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
    });
    const caption = t("table.stage", { time: model.timeOf(lab.cursor) });
    this.table.innerHTML = `<caption>${caption}</caption><thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody>`;
  }

  drawLegend() {
    if (!lab.model) return;
    this.legend.replaceChildren(
      ...lab.model.types.slice(0, 8).map((type, kind) => {
        const ink = this.colours.inkOf(kind);
        const item = document.createElement("span");
        const dash = ink.dash.length ? ` stroke-dasharray="${ink.dash.join(" ")}"` : "";
        item.innerHTML = `<svg width="22" height="8" style="position:static;width:22px;height:8px" aria-hidden="true"><path d="M0 4 H15" stroke="${ink.line}" stroke-width="1.6"${dash}/><path d="M22 4 L14 1 V7 Z" fill="${ink.line}"/></svg>`;
        item.append(type);
        return item;
      }),
    );
  }

  // Painting ----------------------------------------------------------------------------------------------------------

  paintLinks() {
    if (!this.at) return false;
    const ctx = this.links.getContext("2d");
    const { colours, ratio, at } = this;
    const { model } = lab;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    const cuts = this.cuts ?? new Map();
    const whole = new Path2D();
    const broken = new Path2D();
    const signs = new Path2D();
    for (const [a, b] of this.edges) {
      const [p, q] = [at[model.placeOf.get(a)], at[model.placeOf.get(b)]];
      const there = cuts.has(`${a} ${b}`);
      const back = cuts.has(`${b} ${a}`);
      const path = there || back ? broken : whole;
      path.moveTo(...p);
      path.lineTo(...q);
      if (there !== back) addBlock(signs, there ? p : q, there ? q : p); // one way: a bar where nothing gets through
    }
    ctx.lineWidth = 1;
    ctx.strokeStyle = colours.lane;
    ctx.globalAlpha = Math.max(0.06, Math.min(0.45, 14 / this.edges.length + 0.05));
    ctx.stroke(whole);
    ctx.globalAlpha = Math.max(0.18, Math.min(0.9, 30 / this.edges.length));
    ctx.strokeStyle = colours.ink;
    ctx.setLineDash([2, 5]);
    ctx.stroke(broken);
    ctx.setLineDash([]);
    ctx.lineWidth = 2;
    ctx.stroke(signs);
    ctx.globalAlpha = 1;
    if (this.hovered?.link) {
      const [a, b] = this.hovered.link;
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.moveTo(...at[model.placeOf.get(a)]);
      ctx.lineTo(...at[model.placeOf.get(b)]);
      ctx.stroke();
    }
    return false;
  }

  /** Where a message is between its sender and its receiver, from 0 to 1. */
  progress(flight) {
    const { model, position } = lab;
    if (this.calm) return 0.5;
    const begin = model.positions[flight.sent];
    const end = flight.fate === UNDER_WAY ? model.length + 60 : model.endPosition(flight);
    const whole = flight.fate === LOST ? 0.82 : 1;
    return whole * Math.max(0, Math.min(1, (position - begin) / Math.max(1, end - begin)));
  }

  /** The point of a message, a little to the right of its way so that two in opposite directions pass each other. */
  pointOf(flight, progress = this.progress(flight)) {
    const [x1, y1] = this.at[flight.from];
    const [x2, y2] = this.at[flight.to];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const gap = Math.min(this.radius + 3, length / 3);
    const along = gap + (length - 2 * gap) * progress;
    const aside = Math.min(ASIDE, this.radius * 0.5);
    return [x1 + ux * along - uy * aside, y1 + uy * along + ux * aside];
  }

  paint() {
    const { model, cursor, position } = lab;
    if (!this.at || !model) return false;
    const ctx = this.moving.getContext("2d");
    const { ratio } = this;
    this.calm = calm();
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    if (this.timersFit) this.paintTimers(ctx, model, cursor, position);
    this.paintEcho(ctx, model, cursor, position);
    const flights = [];
    model.underWay(cursor, (flight) => {
      if (!model.diedAtOnce(flight)) flights.push(flight);
    });
    const size = Math.max(2, Math.min(4.6, this.radius * 0.4));
    if (flights.length > MOST_DRAWN_ONE_BY_ONE) this.paintCrowd(ctx, flights, size);
    else {
      const dots = flights.map((flight) => ({ flight, at: this.pointOf(flight) }));
      this.paintDots(ctx, dots, size);
      this.paintLabels(ctx, dots, size);
    }
    this.flights = flights;
    this.paintLosses(ctx, model, position);
    this.paintBeliefs(ctx);
    return false;
  }

  /** So many messages that only their number can be seen. */
  paintCrowd(ctx, flights, size) {
    let kind = -1;
    for (const flight of flights) {
      if (flight.kind !== kind) ctx.fillStyle = this.colours.inkOf((kind = flight.kind)).line;
      const progress = this.progress(flight);
      const [x1, y1] = this.at[flight.from];
      const [x2, y2] = this.at[flight.to];
      ctx.fillRect(x1 + (x2 - x1) * progress - size / 2, y1 + (y2 - y1) * progress - size / 2, size, size);
    }
  }

  paintDots(ctx, dots, size) {
    const { colours } = this;
    for (const { flight, at: [x, y] } of dots) {
      const ink = colours.inkOf(flight.kind);
      if (dots.length <= MOST_WITH_TRAILS) {
        const [x0, y0] = this.pointOf(flight, 0);
        ctx.strokeStyle = ink.line;
        ctx.globalAlpha = 0.4;
        ctx.lineWidth = 1.2;
        ctx.setLineDash(ink.dash);
        ctx.beginPath();
        ctx.moveTo(x0, y0);
        ctx.lineTo(x, y);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.globalAlpha = 1;
      }
      ctx.beginPath();
      ctx.arc(x, y, size, 0, 2 * Math.PI);
      ctx.fillStyle = flight.copy ? colours.ground : ink.line;
      ctx.fill();
      ctx.strokeStyle = flight.copy ? ink.line : colours.ground;
      ctx.lineWidth = 1.4;
      ctx.stroke();
      if (lab.selected?.message === flight.carried.message || this.hovered?.message === flight.carried.message) {
        ctx.beginPath();
        ctx.arc(x, y, size + 4, 0, 2 * Math.PI);
        ctx.strokeStyle = lab.selected?.message === flight.carried.message ? "#0072B2" : colours.ink;
        ctx.lineWidth = 1.6;
        ctx.stroke();
      }
    }
  }

  paintTimers(ctx, model, cursor, position) {
    const now = model.timeAt(position);
    ctx.lineWidth = 1.5;
    for (const node of this.nodes) {
      const timers = model.timersAt(node.place, cursor).sort((one, other) => one.deadline - other.deadline);
      timers.slice(0, 2).forEach((timer, k) => {
        const left = (timer.deadline - now) / Math.max(1, timer.deadline - timer.setAt);
        if (left <= 0) return;
        ctx.strokeStyle = this.colours.lane;
        ctx.globalAlpha = 0.8;
        ctx.beginPath();
        const radius = this.radius + 5 + 3 * k;
        ctx.arc(...this.at[node.place], radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, left));
        ctx.stroke();
        ctx.globalAlpha = 1;
      });
    }
  }

  /** The step that has just been taken, fading. */
  paintEcho(ctx, model, cursor, position) {
    const echoed = new Set();
    for (let i = cursor; i >= 0 && position - model.reach[i] < AFTERGLOW; i--) {
      if (model.lanes[i] < 0 || model.events[i].kind === "lost" || echoed.has(model.lanes[i])) continue;
      echoed.add(model.lanes[i]);
      const age = Math.max(0, (position - model.positions[i]) / AFTERGLOW);
      if (age >= 1) continue;
      ctx.beginPath();
      ctx.arc(...this.at[model.lanes[i]], this.radius + 2 + (calm() ? 0 : 5 * age), 0, 2 * Math.PI);
      ctx.strokeStyle = this.colours.ink;
      ctx.globalAlpha = (i === cursor ? 0.75 : 0.35) * (1 - age);
      ctx.lineWidth = 1.4;
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  /** Messages that have just been lost: a cross where each died. */
  paintLosses(ctx, model, position) {
    for (let k = this.lost.length - 1; k >= 0; k--) {
      const flight = this.lost[k];
      const age = (position - model.positions[flight.end]) / AFTERGLOW;
      if (flight.end > lab.cursor || age < 0) continue;
      if (age > 1) break;
      const [x, y] = this.pointOf(flight, model.diedAtOnce(flight) ? 0.25 : 0.82);
      ctx.strokeStyle = this.colours.inkOf(flight.kind).line;
      ctx.globalAlpha = 1 - age * age;
      ctx.lineWidth = 2;
      ctx.lineCap = "round";
      ctx.beginPath();
      ctx.moveTo(x - 4, y - 4);
      ctx.lineTo(x + 4, y + 4);
      ctx.moveTo(x - 4, y + 4);
      ctx.lineTo(x + 4, y - 4);
      ctx.stroke();
      ctx.lineCap = "butt";
    }
    ctx.globalAlpha = 1;
  }

  paintLabels(ctx, dots, size) {
    const shown = new Set();
    if (dots.length > MOST_LABELLED || this.radius < 8) {
      this.shown = shown;
      return;
    }
    const font = `11px ${FONT}`;
    const taken = this.at.map(([x, y]) => [x - this.radius - 2, y - this.radius - 2, x + this.radius + 2, y + this.radius + 2]);
    for (const { at: [x, y] } of dots) taken.push([x - size, y - size, x + size, y + size]);
    const first = dots.filter(({ flight }) => this.shown.has(flight.number));
    const rest = dots.filter(({ flight }) => !this.shown.has(flight.number));
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.font = font;
    ctx.lineJoin = "round";
    for (const { flight, at: [x, y] } of [...first, ...rest]) {
      const text = labelOf(flight.carried);
      const wide = widthOf(ctx, text, font);
      const spots = [[x + size + 4, y], [x - size - 4 - wide, y], [x - wide / 2, y - size - 9], [x - wide / 2, y + size + 9]];
      const spot = spots.find(([left, middle]) => {
        const [l, top, r, bottom] = [left - 1, middle - 7, left + wide + 1, middle + 7];
        if (l < 2 || r > this.width - 2 || top < 2 || bottom > this.height - 2) return false;
        return taken.every(([l2, t2, r2, b2]) => r < l2 || l > r2 || bottom < t2 || top > b2);
      });
      if (!spot) continue;
      taken.push([spot[0] - 1, spot[1] - 7, spot[0] + wide + 1, spot[1] + 7]);
      shown.add(flight.number);
      ctx.strokeStyle = this.colours.ground;
      ctx.lineWidth = 3;
      ctx.strokeText(text, ...spot);
      ctx.fillStyle = this.colours.inkOf(flight.kind).text;
      ctx.fillText(text, ...spot);
    }
    this.shown = shown;
  }

  /** Beside each process, small, the leader that it names, if that is another. */
  paintBeliefs(ctx) {
    if (this.radius < 12 || !this.states) return;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const node of this.nodes) {
      const state = this.states[node.place];
      if (state.leader === null || state.leader === node.id || state.status === "crashed") continue;
      const [x, y] = this.at[node.place];
      const [ux, uy] = this.outward(node.place);
      const far = this.radius + 17;
      const text = String(state.leader);
      const font = `600 10px ${FONT}`;
      const wide = widthOf(ctx, text, font);
      const [cx, cy] = [x + ux * far, y + uy * far];
      ctx.save();
      ctx.translate(cx - wide / 2 - 2, cy);
      ctx.scale(0.62, 0.62);
      drawIcon(ctx, "leader", this.colours);
      ctx.restore();
      ctx.font = font;
      ctx.fillStyle = this.colours.soft;
      ctx.fillText(text, cx + 6, cy + 0.5);
    }
  }

  // Pointing ----------------------------------------------------------------------------------------------------------

  /** What is at a point of the stage: {process}, {message}, {link} or null. */
  find(x, y) {
    if (!this.at) return null;
    const { model } = lab;
    for (const flight of this.flights ?? []) {
      const [px, py] = this.pointOf(flight);
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
        this.invalidateLinks();
        this.invalidate();
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
      this.invalidateLinks();
      this.invalidate();
    });
    svg.addEventListener("keydown", (event) => {
      const node = event.target.closest?.(".node");
      if (!node || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      const box = node.getBoundingClientRect();
      this.choose({ process: Number(node.dataset.id) }, { clientX: box.right, clientY: box.top, keyboard: true });
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
    lasso.path.setAttribute("d", `M${lasso.points.map((point) => point.map((v) => v.toFixed(1)).join(" ")).join(" L")} Z`);
  }
}

function isRound(points) {
  return points.every(([x, y]) => Math.abs(Math.hypot(x, y) - 1) < 1e-6 || Math.hypot(x, y) < 1e-6);
}

function addBlock(path, from, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const [x, y] = [from[0] + dx * 0.62, from[1] + dy * 0.62];
  path.moveTo(x - uy * 6, y + ux * 6);
  path.lineTo(x + uy * 6, y - ux * 6);
  path.moveTo(x - ux * 8 - uy * 3.5, y - uy * 8 + ux * 3.5);
  path.lineTo(x - ux * 2, y - uy * 2);
  path.lineTo(x - ux * 8 + uy * 3.5, y - uy * 8 - ux * 3.5);
}

function put(data, name, value) {
  if (data[name] !== value) data[name] = value;
}

function distance(px, py, [x1, y1], [x2, y2]) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = Math.max(0, Math.min(1, ((px - x1) * dx + (py - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(px - x1 - along * dx, py - y1 - along * dy);
}

/** Whether a polygon contains a point. */
function contains(points, [x, y]) {
  let inside = false;
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [[x1, y1], [x2, y2]] = [points[i], points[j]];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}
