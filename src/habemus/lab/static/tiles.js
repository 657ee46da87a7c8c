// The picture of the whole run in tiles, each drawn when it first comes into view and only copied from then on.
//
// Labels are placed a row of tiles at a time and keep within their row, so that they never overlap, whatever was drawn
// before.

import { arrowOf, drawFlights, drawLabels, drawLanes, drawMarks, placeLabels } from "./drawing.js";

const WIDEST = 1600;
const TILE_PIXELS = 900_000;
const MOST_PIXELS = 14_000_000;
const MARGIN = 40; // how far marks, heads and labels reach out of their place

export class Tiles {
  /** `diagram` says what is in view, how large a pixel is, and in which colours. */
  constructor(diagram) {
    this.diagram = diagram;
    this.clear();
  }

  /** Forget all: another run, size or language. */
  clear() {
    this.canvases = new Map(); // "row column" -> canvas, the least recently used first
    this.labels = new Map(); // row -> its labels
    this.rows = [];
  }

  /** Copy what is in view, drawing what is not there yet. */
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
    const { ratio } = this.diagram;
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(wide * ratio);
    canvas.height = Math.ceil(tall * ratio);
    const ctx = canvas.getContext("2d");
    const top = row * tall;
    ctx.setTransform(ratio, 0, 0, ratio, -column * wide * ratio, -top * ratio);
    const near = this.diagram.inView(model, frame, top - MARGIN, top + tall + MARGIN);
    this.draw(ctx, model, frame, near, top, top + tall);
    if (!this.labels.has(row)) this.labels.set(row, placeOwn(ctx, model, frame, near, top, top + tall));
    drawLabels(ctx, this.labels.get(row), this.diagram.colours);
    this.canvases.set(key, canvas);
    const most = Math.max(6, Math.floor(MOST_PIXELS / (canvas.width * canvas.height)));
    while (this.canvases.size > most) this.canvases.delete(this.canvases.keys().next().value);
    return canvas;
  }

  draw(ctx, model, frame, near, top, bottom) {
    const { colours } = this.diagram;
    ctx.strokeStyle = colours.faint;
    ctx.lineWidth = 1;
    ctx.beginPath();
    let ruled = -Infinity;
    for (const moment of model.moments) {
      const y = frame.y(moment.start);
      if (y < top - 1 || y > bottom + 1 || y - ruled < 5) continue;
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
    drawFlights(ctx, model, frame, near.flights, colours);
    drawMarks(ctx, model, frame, near.indices, colours);
  }
}

/** The labels of what has its middle in a row. */
function placeOwn(ctx, model, frame, near, top, bottom) {
  const within = (y) => y >= top && y < bottom;
  const own = (i) => within(frame.y(model.positions[i]));
  const ownFlight = (flight) => {
    const pieces = arrowOf(model, frame, flight);
    return within((pieces[0][1] + pieces.at(-1)[3]) / 2);
  };
  const networkEvents = near.networkEvents.filter(own);
  return placeLabels(ctx, model, frame, { ...near, networkEvents, top, bottom, own, ownFlight });
}

/** The whole numbers from one place to another. */
function range(from, to) {
  const first = Math.floor(from);
  return Array.from({ length: Math.max(0, Math.floor(to) - first + 1) }, (_, k) => first + k);
}
