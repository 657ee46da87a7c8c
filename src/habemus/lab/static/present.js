// What changes with the moment, painted over the diagram: the future behind a veil, the line of now, and what is lit up:
// the causal past and future under the pointer, what is selected, the witness of a violation, the first difference.

import { drawFlights, drawLabels, drawMarks, placeLabels } from "./drawing.js";
import { CHOSEN, FONT, VIOLATION } from "./palette.js";

const MARGIN = 40; // how far marks, heads and labels reach out of their place

export class Present {
  /** `diagram` says what is in view and what is to be lit. */
  constructor(diagram) {
    this.diagram = diagram;
  }

  /** Paint the present over the picture. */
  paint(ctx, model, frame, view, cursor, now) {
    const { colours, divergence, lit, scroll, selected, width, witness } = this.diagram;
    const wide = Math.max(frame.width, width + scroll.x);
    const veil = (top, bottom, alpha) => {
      ctx.globalAlpha = alpha;
      ctx.fillStyle = colours.ground;
      ctx.fillRect(0, top, wide, bottom - top);
      ctx.globalAlpha = 1;
    };
    if (lit) {
      veil(view.top, view.bottom, 0.84);
      this.paintLit(ctx, model, frame, view);
    } else if (now < view.bottom) {
      veil(Math.max(view.top, now + 0.5), view.bottom, 0.74);
      this.veilLater(ctx, model, frame, cursor, now);
      this.finishLabels(ctx, cursor, now);
    }
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1;
    ctx.globalAlpha = 0.55;
    ctx.beginPath();
    ctx.moveTo(0, now);
    ctx.lineTo(frame.right + 14, now);
    ctx.stroke();
    ctx.globalAlpha = 1;
    const ring = (events, style) => this.ringEvents(ctx, model, frame, view, events, style);
    if (divergence !== null && divergence < model.events.length) this.paintDivergence(ctx, model, frame);
    if (witness) ring(witness.events, { radius: 12, colour: VIOLATION, width: 2.4 });
    if (cursor >= 0) ring([cursor], { radius: 9, colour: colours.ink, width: 1.4 });
    if (selected?.event !== undefined) ring([selected.event], { radius: 10, colour: CHOSEN, width: 2 });
    if (selected?.message !== undefined) {
      const flights = model.flightsOf.get(selected.message) ?? [];
      drawFlights(ctx, model, frame, flights, colours, { width: 3.2 });
    }
  }

  /** What has not happened yet although it is drawn at or above the present: same tick, later turn. */
  veilLater(ctx, model, frame, cursor, now) {
    ctx.globalAlpha = 0.74;
    ctx.fillStyle = this.diagram.colours.ground;
    for (let i = cursor + 1; i < model.events.length && model.reach[i] <= this.diagram.moment().position; i++) {
      const y = frame.y(model.positions[i]);
      if (model.lanes[i] < 0 || y > now) continue;
      ctx.beginPath();
      ctx.arc(frame.x(model.lanes[i]), y, Math.min(9, frame.spacing * 0.45), 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }

  /** Labels of what has happened are whole, even where they reach beyond the present. */
  finishLabels(ctx, cursor, now) {
    const { colours, tiles } = this.diagram;
    const straddles = (label) => label.index <= cursor && label.y + label.reach > now;
    drawLabels(ctx, tiles.labelsInView.filter(straddles), colours);
  }

  paintLit(ctx, model, frame, view) {
    const { colours, lit } = this.diagram;
    const { past, future } = lit;
    const near = this.diagram.inView(model, frame, view.top - MARGIN, view.bottom + MARGIN);
    const before = ({ sent, end }) => end >= 0 && past[sent] && past[end];
    const after = ({ sent, end }) => future[sent] && (end < 0 || future[end]);
    const flights = near.flights.filter(
      (flight) => before(flight) || after(flight) || flight.carried.message === lit.message,
    );
    const indices = near.indices.filter((i) => past[i] || future[i]);
    drawFlights(ctx, model, frame, flights, colours, { width: 2 });
    drawMarks(ctx, model, frame, indices, colours);
    const { top, bottom } = view;
    drawLabels(ctx, placeLabels(ctx, model, frame, { top, bottom, flights, indices, networkEvents: [] }), colours);
  }

  /** Where this run begins to differ from the one beside it. */
  paintDivergence(ctx, model, frame) {
    const y = frame.y(model.positions[this.diagram.divergence]) - 11 * this.diagram.zoom.y;
    ctx.strokeStyle = VIOLATION;
    ctx.lineWidth = 1.4;
    ctx.setLineDash([3, 3]);
    ctx.beginPath();
    ctx.moveTo(0, y);
    ctx.lineTo(frame.right + 14, y);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = VIOLATION;
    ctx.font = `600 15px ${FONT}`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText("≠", frame.right + 18, y);
  }

  ringEvents(ctx, model, frame, view, indices, { radius, colour, width }) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    const reach = Math.min(radius, Math.max(4, frame.spacing * 0.6));
    for (const i of indices) {
      if (model.lanes[i] === undefined || model.lanes[i] < 0) continue;
      const y = frame.y(model.positions[i]);
      if (y < view.top - 20 || y > view.bottom + 20) continue;
      ctx.beginPath();
      ctx.arc(frame.x(model.lanes[i]), y, reach, 0, 2 * Math.PI);
      ctx.stroke();
    }
  }
}
