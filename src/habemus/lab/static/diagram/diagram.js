// The space-time diagram on a canvas: time runs down, a lane for each process, an arrow for each message.
//
// What does not change with the cursor is drawn once into tiles and then only copied (tiles.js), so that a diagram of any
// size scrolls smoothly. What does change is painted over them (overlay.js).

import { makePainter, prefersReducedMotion } from "../drawing/frames.js";
import { measureText } from "../drawing/label-board.js";
import { FONT, coloursOf } from "../drawing/palette.js";
import { firstAbove } from "../model/intervals.js";
import { lab } from "../store/lab.js";
import { t } from "../words/text.js";
import { OUT_LEFT, OUT_RIGHT } from "./arrows.js";
import { bundleLanes, placeLanes } from "./placing.js";
import { Pointing } from "./pointing.js";
import { Overlay } from "./overlay.js";
import { Tiles } from "./tiles.js";

const GUTTER = 48; // for the times
const HEADING = 30; // for the ids
const BELOW_NOW = 24; // pixels between the present of a live run and the lower edge, at least
const NOW_AT = 0.6; // where in the view the present is during playback, from 0 (top) to 1
const NEAR_HEADING = 14; // pixels from an id
const ABOVE = 6; // between the top of the picture and the start of the lanes

export class Diagram {
  /**
   * `moment()` returns what to show: {model, cursor, position}. `pick(what, point)` is called for clicks on an {event}, a
   * {message} or a {position}, `hover(what, point)` with what the pointer is on.
   */
  constructor(element, { moment, pick = () => {}, hover = () => {} }) {
    this.element = element;
    this.moment = moment;
    this.pick = pick;
    this.hover = hover;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = -1;
    element.append(this.canvas);
    this.ctx = this.canvas.getContext("2d", { alpha: false });
    this.colours = coloursOf("light");
    this.zoom = { x: 1, y: 1 };
    this.scroll = { x: 0, y: 0 };
    this.following = true;
    this.tiles = new Tiles(this);
    this.lit = null; // {past, future, message}: what is highlighted under the pointer
    this.selected = null;
    this.witness = null; // {events: Set, processes: Set}
    this.divergence = null;
    this.invalidate = makePainter(() => this.paint());
    new ResizeObserver(() => this.resize()).observe(element);
    this.overlay = new Overlay(this);
    this.pointing = new Pointing(this, GUTTER, HEADING);
  }

  /** Draw all tiles again. */
  reset() {
    this.tiles.clear();
    this.lit = null;
    if (this.pointing) this.pointing.key = "";
    this.invalidate();
  }

  /** Show another run. */
  open() {
    this.zoom = { x: 1, y: 1 };
    this.scroll.x = 0;
    this.following = true;
    this.settled = false;
    this.reset();
  }

  setTheme(theme) {
    this.colours = coloursOf(theme);
    this.reset();
  }

  /** Keep the present in view from now on. */
  follow() {
    this.following = true;
    this.invalidate();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const ratio = (window.devicePixelRatio || 1) * (this.element.currentCSSZoom ?? 1);
    if (!width || !height) return;
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.settled = false;
    this.reset();
  }

  /** Where lanes and moments lie in the whole picture. */
  get frame() {
    const { model } = this.moment();
    const left = OUT_LEFT + 8;
    const room = this.width - GUTTER - left - this.beyond(model);
    const { places, spacing } = placeLanes(model.ids, lab.collapsed, room, this.zoom.x);
    const right = left + places.at(-1);
    const start = ABOVE - model.start;
    return {
      spacing,
      left,
      right,
      width: right + this.beyond(model),
      height: (model.length + start) * this.zoom.y + 24,
      x: (lane) => left + places[lane],
      y: (position) => (position + start) * this.zoom.y,
      position: (y) => y / this.zoom.y - start,
    };
  }

  /** The room beside the last lane: for what leaves a ring there, and for labels. */
  beyond(model) {
    return model.ring && model.n <= 64 ? OUT_RIGHT + 6 : 40;
  }

  // Painting ----------------------------------------------------------------------------------------------------------

  paint() {
    const { model, cursor, position } = this.moment();
    if (!this.width) return false;
    const { ctx, colours, ratio } = this;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = colours.ground;
    ctx.fillRect(0, 0, this.width, this.height);
    if (!model) return false;
    const frame = this.frame;
    const now = frame.y(position);
    const moving = this.approach(frame, now);
    const view = { top: this.scroll.y, bottom: this.scroll.y + this.height - HEADING };
    ctx.save();
    ctx.beginPath();
    ctx.rect(GUTTER, HEADING, this.width - GUTTER, this.height - HEADING);
    ctx.clip();
    ctx.translate(GUTTER - this.scroll.x, HEADING - this.scroll.y);
    this.tiles.copy(ctx, model, frame, view);
    this.overlay.paint(ctx, model, frame, view, cursor, now);
    ctx.restore();
    this.paintHeading(ctx, model, frame, cursor);
    this.paintTimes(ctx, model, frame, view, position, now);
    return moving;
  }

  /** Scroll towards the present, smoothly; returns whether there is still some way to go. */
  approach(frame, now) {
    const { scroll } = this;
    const highest = Math.max(0, frame.height - (this.height - HEADING));
    const clamp = (value) => Math.max(0, Math.min(highest, value));
    scroll.x = Math.max(0, Math.min(Math.max(0, frame.width - (this.width - GUTTER)), scroll.x));
    if (!this.following) {
      scroll.y = clamp(scroll.y);
      return false;
    }
    const target = clamp(now - (this.height - HEADING) * NOW_AT);
    const far = target - scroll.y;
    if (!this.settled || prefersReducedMotion() || Math.abs(far) < 0.5) {
      scroll.y = target;
      this.settled = true;
      return false;
    }
    scroll.y += far * (Math.abs(far) > 3000 ? 1 : 0.28);
    if (lab.live) scroll.y = Math.max(scroll.y, clamp(now - (this.height - HEADING) + BELOW_NOW)); // events may come faster than frames
    return true;
  }

  /** The events and messages that reach between two heights. */
  inView(model, frame, top, bottom) {
    const [low, high] = [frame.position(top), frame.position(bottom)];
    const within = model.order.subarray(firstAbove(model.ordered, low - 1e-9), firstAbove(model.ordered, high));
    const isCollapsed = (seat) => lab.collapsed.has(model.ids[seat]);
    const indices = lab.collapsed.size ? within.filter((i) => !isCollapsed(model.lanes[i])) : within;
    const transmissions = [];
    model.spanWindows.within(low - 40, high, (i) => {
      const { envelope, from, to } = model.transmissions[i];
      if (lab.hidden.has(envelope.type) || (isCollapsed(from) && isCollapsed(to))) return;
      transmissions.push(model.transmissions[i]);
    });
    const networkEvents = model.networkEvents.filter((i) => model.positions[i] >= low && model.positions[i] <= high);
    return { indices, transmissions, networkEvents };
  }

  paintHeading(ctx, model, frame, cursor) {
    const { colours } = this;
    ctx.save();
    ctx.beginPath();
    ctx.rect(GUTTER, 0, this.width - GUTTER, HEADING);
    ctx.clip();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const font = `600 ${frame.spacing < 30 ? 11 : 13}px ${FONT}`;
    ctx.font = font;
    const states = model.processesAt(cursor);
    let written = -Infinity;
    for (const seats of bundleLanes(model.ids, lab.collapsed)) {
      const lane = seats[0];
      const x = GUTTER + (frame.x(lane) + frame.x(seats.at(-1))) / 2 - this.scroll.x;
      const closed = lab.collapsed.has(model.ids[lane]);
      const text = closed ? `+${seats.length}` : String(model.ids[lane]);
      const chosen = seats.some((seat) => this.selected?.process === model.ids[seat]);
      const half = measureText(ctx, text, font) / 2;
      if (x - half < written + 5 || x < -20 || x > this.width + 20) continue;
      written = x + half;
      const accused = seats.some((seat) => this.witness?.processes.has(model.ids[seat]));
      const quiet = closed || states[lane].status === "crashed";
      ctx.fillStyle = accused ? colours.alarm : chosen ? colours.chosen : quiet ? colours.soft : colours.ink;
      ctx.fillText(text, x, HEADING / 2 + 2);
    }
    ctx.restore();
  }

  paintTimes(ctx, model, frame, view, position, now) {
    const { colours } = this;
    const x = GUTTER - 12;
    const at = (y) => y - this.scroll.y + HEADING;
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, HEADING - 8, GUTTER, this.height - HEADING + 8);
    ctx.clip();
    ctx.strokeStyle = colours.soft;
    ctx.lineWidth = 1;
    ctx.beginPath();
    let from = at(frame.y(model.start));
    const top = frame.position(view.top) - 2 * HEADING;
    for (let k = firstAbove(model.breaks, top); k < model.breaks.length; k++) {
      const y = at(frame.y(model.breaks[k]));
      if (y > this.height) break;
      ctx.moveTo(x, from);
      ctx.lineTo(x, y - 4);
      for (const shift of [-4, 4]) {
        ctx.moveTo(x - 5, y + shift + 2.5);
        ctx.lineTo(x + 5, y + shift - 2.5);
      }
      from = y + 4;
    }
    ctx.moveTo(x, from);
    ctx.lineTo(x, at(frame.y(model.length)));
    ctx.stroke();
    ctx.font = `10px ${FONT}`;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const clock = at(now);
    let written = -Infinity;
    for (let k = Math.max(0, firstAbove(model.momentStarts, top) - 1); k < model.moments.length; k++) {
      const moment = model.moments[k];
      const [start, end] = [at(frame.y(moment.start)), at(frame.y(moment.end))];
      if (start > this.height) break;
      ctx.lineWidth = 3;
      ctx.beginPath();
      ctx.moveTo(x, start);
      ctx.lineTo(x, end);
      ctx.stroke();
      if (start - written < 13) continue;
      written = start;
      if (Math.abs(start - clock) < 13) continue;
      ctx.fillStyle = colours.soft;
      ctx.fillText(String(moment.time), x - 7, start);
    }
    const text = String(Math.floor(model.timeAt(position)));
    const wide = measureText(ctx, text, `600 10px ${FONT}`) + 9;
    ctx.fillStyle = colours.ink;
    ctx.beginPath();
    ctx.roundRect(x - 3 - wide, clock - 7.5, wide, 15, 4);
    ctx.fill();
    ctx.fillStyle = colours.ground;
    ctx.font = `600 10px ${FONT}`;
    ctx.fillText(text, x - 7, clock + 0.5);
    ctx.restore();
    ctx.font = `10px ${FONT}`;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillStyle = colours.soft;
    ctx.fillText(model.run.unit ?? t("ticks"), x + 6, HEADING / 2 + 2);
  }

  // Scrolling and zooming ------------------------------------------------------------------------------------------------------

  /** The position on the axis at a height of the element. */
  positionAt(y) {
    return this.frame.position(y - HEADING + this.scroll.y);
  }

  /** The processes whose id is written at a point of the heading: one, or those of lanes collapsed together. */
  headedAt(x) {
    const { model } = this.moment();
    const frame = this.frame;
    const at = x - GUTTER + this.scroll.x;
    const far = (seats) => Math.min(...seats.map((seat) => Math.abs(frame.x(seat) - at)));
    const bundles = bundleLanes(model.ids, lab.collapsed).sort((one, other) => far(one) - far(other));
    return far(bundles[0]) < NEAR_HEADING ? bundles[0].map((seat) => model.ids[seat]) : [];
  }

  pan(dx, dy) {
    this.following = false;
    this.scroll.x += dx;
    this.scroll.y += dy;
    this.invalidate();
  }

  /** Make lanes and time larger or smaller, keeping what is at a point where it is. */
  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const position = this.positionAt(y);
    const before = this.frame;
    const lane = (x - GUTTER + this.scroll.x - before.left) / before.spacing;
    this.zoom.x = Math.max(0.4, Math.min(30, this.zoom.x * factor));
    this.zoom.y = Math.max(0.3, Math.min(4, this.zoom.y * Math.sqrt(factor)));
    const after = this.frame;
    this.scroll.x = after.left + lane * after.spacing - (x - GUTTER);
    this.scroll.y = after.y(position) - (y - HEADING);
    this.following = false;
    this.tiles.clear();
    this.invalidate();
  }

  /** Show all lanes in the whole width again. */
  fit() {
    lab.openLanes();
    this.zoom = { x: 1, y: 1 };
    this.scroll.x = 0;
    this.following = true;
    this.settled = false;
    this.reset();
  }
}
