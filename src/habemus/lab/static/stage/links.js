// The links of the stage on a canvas of their own: whole, with a direction, cut, and cut one way.

import { makePainter } from "../drawing/frames.js";
import { lab } from "../store/lab.js";

export class Links {
  /** `stage` says where the processes are; the canvas is put into its element. */
  constructor(stage) {
    this.stage = stage;
    this.canvas = stage.element.appendChild(document.createElement("canvas"));
    this.invalidate = makePainter(() => this.paint());
  }

  paint() {
    if (!this.stage.at) return false;
    const ctx = this.canvas.getContext("2d");
    const { colours, ratio, at } = this.stage;
    const { model } = lab;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.stage.width, this.stage.height);
    const cuts = this.stage.cuts ?? new Map();
    const whole = new Path2D();
    const broken = new Path2D();
    const signs = new Path2D();
    const [pointed, heads] = [new Path2D(), new Path2D()]; // links with a direction, and their arrow heads
    for (const [a, b] of this.stage.edges) {
      const [p, q] = [at[model.seatOf.get(a)], at[model.seatOf.get(b)]];
      const there = cuts.has(`${a} ${b}`);
      const back = cuts.has(`${b} ${a}`);
      const path = there || back ? broken : whole;
      path.moveTo(...p);
      path.lineTo(...q);
      if (model.declared.oriented) addDirections(pointed, heads, model, [a, b], [p, q], this.stage.radius);
      if (there !== back) addBarrier(signs, there ? p : q, there ? q : p); // one way: a bar where nothing gets through
    }
    ctx.lineWidth = 1;
    ctx.strokeStyle = colours.lane;
    ctx.globalAlpha = Math.max(0.06, Math.min(0.45, 14 / this.stage.edges.length + 0.05));
    ctx.stroke(whole);
    ctx.globalAlpha = 0.75;
    ctx.strokeStyle = ctx.fillStyle = colours.lane;
    ctx.lineWidth = 1.4;
    ctx.stroke(pointed);
    ctx.fill(heads);
    ctx.lineWidth = 1;
    ctx.globalAlpha = Math.max(0.18, Math.min(0.9, 30 / this.stage.edges.length));
    ctx.strokeStyle = colours.ink;
    ctx.setLineDash([2, 5]);
    ctx.stroke(broken);
    ctx.setLineDash([]);
    ctx.lineWidth = 2;
    ctx.stroke(signs);
    ctx.globalAlpha = 1;
    if (this.stage.pointing.hovered?.link) {
      const [a, b] = this.stage.pointing.hovered.link;
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.moveTo(...at[model.seatOf.get(a)]);
      ctx.lineTo(...at[model.seatOf.get(b)]);
      ctx.stroke();
    }
    return false;
  }
}

/** A bar across a link and an arrow head before it, where nothing gets through one way. */
function addBarrier(path, from, to) {
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

/** The direction of a link as its ends see it; if they do not agree, which a message under way will mend, both. */
function addDirections(pointed, heads, model, [a, b], [p, q], radius) {
  const [forth, back] = model.declared.directionOf(model.seatOf.get(a), model.seatOf.get(b), lab.cursor);
  if (!forth && !back) return;
  pointed.moveTo(...p);
  pointed.lineTo(...q);
  if (forth) addHead(heads, p, q, radius);
  if (back) addHead(heads, q, p, radius);
}

function addHead(heads, from, to, radius) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const [x, y] = [to[0] - ux * (radius + 2), to[1] - uy * (radius + 2)];
  heads.moveTo(x, y);
  heads.lineTo(x - ux * 11 - uy * 4.5, y - uy * 11 + ux * 4.5);
  heads.lineTo(x - ux * 11 + uy * 4.5, y - uy * 11 - ux * 4.5);
  heads.closePath();
}
