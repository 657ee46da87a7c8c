// What moves on the stage: messages on their way, timers running down, the echo of the last steps; and the links below.
//
// A message is where its arrow in the diagram crosses the line of now. It keeps a little to the right of its link, so
// that two in opposite directions pass each other.

import { drawIcon, widthOf } from "./drawing.js";
import { calm, painter } from "./frames.js";
import { lab } from "./lab.js";
import { LOST, UNDER_WAY } from "./model.js";
import { labelOf } from "./values.js";
import { CHOSEN, FONT } from "./palette.js";

const AFTERGLOW = 34; // how long a step is echoed and a lost message remembered, along the axis
const MOST_LABELLED = 60;
const MOST_WITH_TRAILS = 120;
const MOST_DRAWN_ONE_BY_ONE = 400;
const ASIDE = 5; // messages keep to the right of their link

export class Traffic {
  /** `stage` says where the processes are; two canvases are put into its element. */
  constructor(stage) {
    this.stage = stage;
    this.links = stage.element.appendChild(document.createElement("canvas"));
    this.moving = stage.element.appendChild(document.createElement("canvas"));
    this.shown = new Set(); // messages whose labels were shown in the last frame: they go first, so that none flickers
    this.flights = [];
    this.lost = [];
    this.invalidate = painter(() => this.paint());
    this.invalidateLinks = painter(() => this.paintLinks());
  }

  /** Another run, or the same with more events. */
  open(model) {
    this.lost = model.flights
      .filter((flight) => flight.fate === LOST)
      .sort((a, b) => model.positions[a.end] - model.positions[b.end]);
    this.shown = new Set();
    this.invalidateLinks();
    this.invalidate();
  }

  resize(width, height, ratio) {
    for (const canvas of [this.links, this.moving]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.invalidateLinks();
    this.invalidate();
  }

  /** The links: whole, cut, and cut one way. */
  paintLinks() {
    if (!this.stage.at) return false;
    const ctx = this.links.getContext("2d");
    const { colours, ratio, at } = this.stage;
    const { model } = lab;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.stage.width, this.stage.height);
    const cuts = this.stage.cuts ?? new Map();
    const whole = new Path2D();
    const broken = new Path2D();
    const signs = new Path2D();
    for (const [a, b] of this.stage.edges) {
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
    ctx.globalAlpha = Math.max(0.06, Math.min(0.45, 14 / this.stage.edges.length + 0.05));
    ctx.stroke(whole);
    ctx.globalAlpha = Math.max(0.18, Math.min(0.9, 30 / this.stage.edges.length));
    ctx.strokeStyle = colours.ink;
    ctx.setLineDash([2, 5]);
    ctx.stroke(broken);
    ctx.setLineDash([]);
    ctx.lineWidth = 2;
    ctx.stroke(signs);
    ctx.globalAlpha = 1;
    if (this.stage.hovered?.link) {
      const [a, b] = this.stage.hovered.link;
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
    const [x1, y1] = this.stage.at[flight.from];
    const [x2, y2] = this.stage.at[flight.to];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const gap = Math.min(this.stage.radius + 3, length / 3);
    const along = gap + (length - 2 * gap) * progress;
    const aside = Math.min(ASIDE, this.stage.radius * 0.5);
    return [x1 + ux * along - uy * aside, y1 + uy * along + ux * aside];
  }

  paint() {
    const { model, cursor, position } = lab;
    if (!this.stage.at || !model) return false;
    const ctx = this.moving.getContext("2d");
    const { ratio } = this.stage;
    this.calm = calm();
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.stage.width, this.stage.height);
    if (this.stage.timersFit) this.paintTimers(ctx, model, cursor, position);
    this.paintEcho(ctx, model, cursor, position);
    const flights = [];
    model.underWay(cursor, (flight) => {
      if (!model.diedAtOnce(flight)) flights.push(flight);
    });
    const size = Math.max(2, Math.min(4.6, this.stage.radius * 0.4));
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
      if (flight.kind !== kind) ctx.fillStyle = this.stage.colours.inkOf((kind = flight.kind)).line;
      const progress = this.progress(flight);
      const [x1, y1] = this.stage.at[flight.from];
      const [x2, y2] = this.stage.at[flight.to];
      ctx.fillRect(x1 + (x2 - x1) * progress - size / 2, y1 + (y2 - y1) * progress - size / 2, size, size);
    }
  }

  paintDots(ctx, dots, size) {
    const { colours } = this.stage;
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
      if (lab.selected?.message === flight.carried.message || this.stage.hovered?.message === flight.carried.message) {
        ctx.beginPath();
        ctx.arc(x, y, size + 4, 0, 2 * Math.PI);
        ctx.strokeStyle = lab.selected?.message === flight.carried.message ? CHOSEN : colours.ink;
        ctx.lineWidth = 1.6;
        ctx.stroke();
      }
    }
  }

  paintTimers(ctx, model, cursor, position) {
    const now = model.timeAt(position);
    ctx.lineWidth = 1.5;
    for (const node of this.stage.nodes) {
      const timers = model.timers.at(node.place, cursor).sort((one, other) => one.deadline - other.deadline);
      timers.slice(0, 2).forEach((timer, k) => {
        const left = (timer.deadline - now) / Math.max(1, timer.deadline - timer.setAt);
        if (left <= 0) return;
        ctx.strokeStyle = this.stage.colours.lane;
        ctx.globalAlpha = 0.8;
        ctx.beginPath();
        const radius = this.stage.radius + 5 + 3 * k;
        ctx.arc(...this.stage.at[node.place], radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, left));
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
      ctx.arc(...this.stage.at[model.lanes[i]], this.stage.radius + 2 + (this.calm ? 0 : 5 * age), 0, 2 * Math.PI);
      ctx.strokeStyle = this.stage.colours.ink;
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
      ctx.strokeStyle = this.stage.colours.inkOf(flight.kind).line;
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
    if (dots.length > MOST_LABELLED || this.stage.radius < 8) {
      this.shown = shown;
      return;
    }
    const font = `11px ${FONT}`;
    const clear = this.stage.radius + 2;
    const taken = this.stage.at.map(([x, y]) => [x - clear, y - clear, x + clear, y + clear]);
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
      const beside = [[x + size + 4, y], [x - size - 4 - wide, y]];
      const spots = [...beside, [x - wide / 2, y - size - 9], [x - wide / 2, y + size + 9]];
      const spot = spots.find(([left, middle]) => {
        const [l, top, r, bottom] = [left - 1, middle - 7, left + wide + 1, middle + 7];
        if (l < 2 || r > this.stage.width - 2 || top < 2 || bottom > this.stage.height - 2) return false;
        return taken.every(([l2, t2, r2, b2]) => r < l2 || l > r2 || bottom < t2 || top > b2);
      });
      if (!spot) continue;
      taken.push([spot[0] - 1, spot[1] - 7, spot[0] + wide + 1, spot[1] + 7]);
      shown.add(flight.number);
      ctx.strokeStyle = this.stage.colours.ground;
      ctx.lineWidth = 3;
      ctx.strokeText(text, ...spot);
      ctx.fillStyle = this.stage.colours.inkOf(flight.kind).text;
      ctx.fillText(text, ...spot);
    }
    this.shown = shown;
  }

  /** Beside each process, small, the leader that it names, if that is another. */
  paintBeliefs(ctx) {
    if (this.stage.radius < 12 || !this.stage.states) return;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const node of this.stage.nodes) {
      const state = this.stage.states[node.place];
      if (state.leader === null || state.leader === node.id || state.status === "crashed") continue;
      const [x, y] = this.stage.at[node.place];
      const [ux, uy] = this.stage.outward(node.place);
      const far = this.stage.radius + 17;
      const text = String(state.leader);
      const font = `600 10px ${FONT}`;
      const wide = widthOf(ctx, text, font);
      const [cx, cy] = [x + ux * far, y + uy * far];
      ctx.save();
      ctx.translate(cx - wide / 2 - 2, cy);
      ctx.scale(0.62, 0.62);
      drawIcon(ctx, "leader", this.stage.colours);
      ctx.restore();
      ctx.font = font;
      ctx.fillStyle = this.stage.colours.soft;
      ctx.fillText(text, cx + 6, cy + 0.5);
    }
  }
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
