// The diagram of the whole run in tiles: each is drawn when it first comes into view, and then only copied.
//
// Labels are placed one row of tiles at a time and stay within their row, so that they never overlap, in whatever order
// the rows are drawn.

import { firstAbove } from "../model/intervals.js";
import { arrowOf, drawArrows } from "./arrows.js";
import { drawLabels, placeLabels } from "./labels.js";
import { drawLanes } from "./lanes.js";
import { drawMarks } from "./marks.js";

const WIDEST = 1600;
const TILE_PIXELS = 900_000;
const MOST_PIXELS = 14_000_000;
const MARGIN = 40; // pixels by which marks, arrow heads and labels may exceed their position

export class Tiles {
  /** `diagram` says what is in view, how large a pixel is, and in which colours. */
  constructor(diagram) {
    this.diagram = diagram;
    this.canvases = new Map(); // "row column" -> canvas, the least recently used first
    this.spare = []; // canvases to draw other tiles on: a new one costs more than what is drawn on it
    this.clear();
  }

  /** Forget all tiles: the run, the size or the language has changed. */
  clear() {
    this.spare.push(...this.canvases.values());
    this.canvases.clear();
    this.labels = new Map(); // row -> its labels
    this.rows = [];
  }

  /** Copy the tiles in view, after drawing those that are missing. */
  copy(ctx, model, frame, view) {
    const { ratio, scroll, width } = this.diagram;
    const wide = Math.min(WIDEST, Math.ceil(frame.width));
    const tall = Math.max(96, Math.min(480, Math.round(TILE_PIXELS / (wide * ratio * ratio))));
    this.rows = range(Math.max(0, view.top) / tall, Math.min(frame.height, view.bottom) / tall);
    const columns = range(scroll.x / wide, Math.min(frame.width, scroll.x + width) / wide);
    for (const row of this.rows) {
      for (const column of columns) {
        const canvas = this.tile(model, frame, row, column, wide, tall);
        ctx.drawImage(canvas, column * wide, row * tall, canvas.width / ratio, canvas.height / ratio);
      }
    }
  }

  /** The labels of all rows in view. */
  get labelsInView() {
    return this.rows.flatMap((row) => this.labels.get(row) ?? []);
  }

  tile(model, frame, row, column, wide, tall) {
    const key = `${row} ${column}`;
    const known = this.canvases.get(key);
    if (known) {
      this.canvases.delete(key);
      this.canvases.set(key, known);
      return known;
    }
    const { colours, ratio } = this.diagram;
    const canvas = this.blank(Math.ceil(wide * ratio), Math.ceil(tall * ratio));
    const ctx = canvas.getContext("2d", { alpha: false });
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = colours.ground;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    const top = row * tall;
    ctx.setTransform(ratio, 0, 0, ratio, -column * wide * ratio, -top * ratio);
    const near = this.diagram.inView(model, frame, top - MARGIN, top + tall + MARGIN);
    this.draw(ctx, model, frame, near, top, top + tall);
    if (!this.labels.has(row)) this.labels.set(row, placeOwnLabels(ctx, model, frame, near, top, top + tall));
    drawLabels(ctx, this.labels.get(row), colours);
    this.canvases.set(key, canvas);
    return canvas;
  }

  /** A canvas to draw a tile on: a spare one, a new one, or that of the tile that has not been in view for longest. */
  blank(width, height) {
    this.spare = this.spare.filter((canvas) => canvas.width === width && canvas.height === height);
    if (this.spare.length) return this.spare.pop();
    if (this.canvases.size < Math.max(6, Math.floor(MOST_PIXELS / (width * height)))) {
      return Object.assign(document.createElement("canvas"), { width, height });
    }
    const [key, canvas] = this.canvases.entries().next().value;
    this.canvases.delete(key);
    return canvas;
  }

  draw(ctx, model, frame, near, top, bottom) {
    const { colours } = this.diagram;
    ctx.strokeStyle = colours.faint;
    ctx.lineWidth = 1;
    ctx.beginPath();
    let ruled = -Infinity;
    const [low, high] = [frame.position(top - 1), frame.position(bottom + 1)];
    for (let k = firstAbove(model.momentStarts, low); k < model.moments.length && model.momentStarts[k] <= high; k++) {
      const y = frame.y(model.momentStarts[k]);
      if (y - ruled < 5) continue;
      ruled = y;
      ctx.moveTo(0, y);
      ctx.lineTo(frame.right + 14, y);
    }
    ctx.stroke();
    drawLanes(ctx, model, frame, top - 2, bottom + 2, colours);
    ctx.setLineDash([6, 4]);
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1;
    for (const i of near.networkEvents) {
      const y = frame.y(model.positions[i]);
      ctx.beginPath();
      ctx.moveTo(frame.left - 12, y);
      ctx.lineTo(frame.right + 12, y);
      ctx.stroke();
    }
    ctx.setLineDash([]);
    drawArrows(ctx, model, frame, near.transmissions, colours);
    drawMarks(ctx, model, frame, near.indices, colours);
  }
}

/** Place the labels of events and arrows whose middle is in a row. */
function placeOwnLabels(ctx, model, frame, near, top, bottom) {
  const within = (y) => y >= top && y < bottom;
  const own = (i) => within(frame.y(model.positions[i]));
  const ownArrow = (transmission) => {
    const pieces = arrowOf(model, frame, transmission);
    return within((pieces[0][1] + pieces.at(-1)[3]) / 2);
  };
  const networkEvents = near.networkEvents.filter(own);
  return placeLabels(ctx, model, frame, { ...near, networkEvents, top, bottom, own, ownArrow });
}

/** The whole numbers from one value to another. */
function range(from, to) {
  const first = Math.floor(from);
  return Array.from({ length: Math.max(0, Math.floor(to) - first + 1) }, (_, k) => first + k);
}
