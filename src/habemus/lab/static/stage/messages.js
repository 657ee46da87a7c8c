// The messages of the stage on a canvas: those under way, and those just lost.
//
// A message is where its arrow in the diagram crosses the line of the present. It keeps a little to the right of its link,
// so that two in opposite directions pass each other.

import { makePainter, prefersReducedMotion } from "../drawing/frames.js";
import { measureText } from "../drawing/label-board.js";
import { CHOSEN, FONT } from "../drawing/palette.js";
import { firstAbove } from "../model/intervals.js";
import { LOST, UNDER_WAY } from "../model/transmissions.js";
import { labelOf } from "../model/values.js";
import { lab } from "../store/lab.js";
import { AFTERGLOW, paintBeliefs, paintEcho, paintTimers } from "./surroundings.js";

const MOST_LABELLED = 20; // of more, the legend tells the types
const MOST_WITH_TRAILS = 120;
const MOST_DRAWN_ONE_BY_ONE = 400;
const BELOW = 0.7; // how large dots of lower layers are
const ASIDE = 5; // pixels to the right of the link

export class Messages {
  /** `stage` says where the processes are; the canvas is put into its element. */
  constructor(stage) {
    this.stage = stage;
    this.canvas = stage.element.appendChild(document.createElement("canvas"));
    this.shown = new Set(); // messages with a label in the last frame: they are placed first, so that no label flickers
    this.transmissions = [];
    this.lost = [];
    this.invalidate = makePainter(() => this.paint());
  }

  /** Show another run, or the same with other events. */
  open(model) {
    this.lost = model.transmissions
      .filter((transmission) => transmission.fate === LOST)
      .sort((a, b) => model.positions[a.end] - model.positions[b.end]);
    this.shown = new Set();
    this.invalidate();
  }

  /** Where a message is between its sender and its receiver, from 0 to 1. */
  progress(transmission) {
    const { model, position } = lab;
    if (this.jumps) return 0.5;
    const begin = model.positions[transmission.sent];
    const end = transmission.fate === UNDER_WAY ? model.length + 60 : model.endPosition(transmission);
    const whole = transmission.fate === LOST ? 0.82 : 1;
    return whole * Math.max(0, Math.min(1, (position - begin) / Math.max(1, end - begin)));
  }

  /** Where a message is on the stage. */
  pointOf(transmission, progress = this.progress(transmission)) {
    const [x1, y1] = this.stage.at[transmission.from];
    const [x2, y2] = this.stage.at[transmission.to];
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
    const ctx = this.canvas.getContext("2d");
    const { ratio } = this.stage;
    this.jumps = prefersReducedMotion();
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.stage.width, this.stage.height);
    if (this.stage.timersFit) paintTimers(ctx, this.stage);
    paintEcho(ctx, this.stage, this.jumps);
    const transmissions = [];
    model.underWay(cursor, (transmission) => {
      if (!model.lostAtOnce(transmission) && !lab.hidden.has(transmission.envelope.type)) transmissions.push(transmission);
    });
    const size = Math.max(2, Math.min(4.6, this.stage.radius * 0.4));
    if (transmissions.length > MOST_DRAWN_ONE_BY_ONE) this.paintCrowd(ctx, transmissions, size);
    else {
      const dots = transmissions.map((transmission) => ({ transmission, at: this.pointOf(transmission) }));
      this.paintDots(ctx, dots, size);
      this.paintLabels(ctx, dots, size);
    }
    this.transmissions = transmissions;
    this.paintLosses(ctx, model, position);
    paintBeliefs(ctx, this.stage);
    return false;
  }

  /** Paint so many messages that only their density can be seen. */
  paintCrowd(ctx, transmissions, size) {
    let kind = -1;
    for (const transmission of transmissions) {
      if (transmission.kind !== kind) ctx.fillStyle = this.stage.colours.inkOf((kind = transmission.kind)).line;
      const progress = this.progress(transmission);
      const [x1, y1] = this.stage.at[transmission.from];
      const [x2, y2] = this.stage.at[transmission.to];
      ctx.fillRect(x1 + (x2 - x1) * progress - size / 2, y1 + (y2 - y1) * progress - size / 2, size, size);
    }
  }

  paintDots(ctx, dots, size) {
    const { colours } = this.stage;
    for (const { transmission, at: [x, y] } of dots) {
      const ink = colours.inkOf(transmission.kind);
      if (dots.length <= MOST_WITH_TRAILS) {
        const [x0, y0] = this.pointOf(transmission, 0);
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
      ctx.arc(x, y, lab.model.isBelow(transmission.kind) ? size * BELOW : size, 0, 2 * Math.PI);
      ctx.fillStyle = transmission.copy ? colours.ground : ink.line;
      ctx.fill();
      ctx.strokeStyle = transmission.copy ? ink.line : colours.ground;
      ctx.lineWidth = 1.4;
      ctx.stroke();
      if (lab.selected?.message === transmission.envelope.message || this.stage.pointing.hovered?.message === transmission.envelope.message) {
        ctx.beginPath();
        ctx.arc(x, y, size + 4, 0, 2 * Math.PI);
        ctx.strokeStyle = lab.selected?.message === transmission.envelope.message ? CHOSEN : colours.ink;
        ctx.lineWidth = 1.6;
        ctx.stroke();
      }
    }
  }

  /** Paint a cross where a message has just been lost. */
  paintLosses(ctx, model, position) {
    for (let k = firstAbove(this.lost, position, ({ end }) => model.positions[end]) - 1; k >= 0; k--) {
      const transmission = this.lost[k];
      const age = (position - model.positions[transmission.end]) / AFTERGLOW;
      if (age > 1) break;
      if (transmission.end > lab.cursor) continue;
      if (lab.hidden.has(transmission.envelope.type)) continue;
      const [x, y] = this.pointOf(transmission, model.lostAtOnce(transmission) ? 0.25 : 0.82);
      ctx.strokeStyle = this.stage.colours.inkOf(transmission.kind).line;
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
    const first = dots.filter(({ transmission }) => this.shown.has(transmission.number));
    const rest = dots.filter(({ transmission }) => !this.shown.has(transmission.number));
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.font = font;
    ctx.lineJoin = "round";
    for (const { transmission, at: [x, y] } of [...first, ...rest]) {
      const text = labelOf(transmission.envelope);
      const wide = measureText(ctx, text, font);
      const beside = [[x + size + 4, y], [x - size - 4 - wide, y]];
      const spots = [...beside, [x - wide / 2, y - size - 9], [x - wide / 2, y + size + 9]];
      const spot = spots.find(([left, middle]) => {
        const [l, top, r, bottom] = [left - 1, middle - 7, left + wide + 1, middle + 7];
        if (l < 2 || r > this.stage.width - 2 || top < 2 || bottom > this.stage.height - 2) return false;
        return taken.every(([l2, t2, r2, b2]) => r < l2 || l > r2 || bottom < t2 || top > b2);
      });
      if (!spot) continue;
      taken.push([spot[0] - 1, spot[1] - 7, spot[0] + wide + 1, spot[1] + 7]);
      shown.add(transmission.number);
      ctx.strokeStyle = this.stage.colours.ground;
      ctx.lineWidth = 3;
      ctx.strokeText(text, ...spot);
      ctx.fillStyle = this.stage.colours.inkOf(transmission.kind).text;
      ctx.fillText(text, ...spot);
    }
    this.shown = shown;
  }
}
