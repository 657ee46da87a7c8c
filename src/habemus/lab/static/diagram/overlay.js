// What changes with the cursor, painted over the tiles of the diagram: the veil over the future, the line of the present, and
// what is highlighted: the causal past and future under the pointer, the selection, the witness of a violation, the first
// difference between two branches.

import { CHOSEN, FONT, VIOLATION } from "../drawing/palette.js";
import { drawArrows } from "./arrows.js";
import { drawLabels, placeLabels } from "./labels.js";
import { drawMarks } from "./marks.js";

const ICON = 8; // pixels from the middle of a mark to its edge
const MARGIN = 40; // pixels by which marks, arrow heads and labels may exceed their position

export class Overlay {
  /** `diagram` says what is in view and what is highlighted. */
  constructor(diagram) {
    this.diagram = diagram;
  }

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
    }
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1;
    ctx.globalAlpha = 0.55;
    ctx.beginPath();
    ctx.moveTo(0, now);
    ctx.lineTo(frame.right + 14, now);
    ctx.stroke();
    ctx.globalAlpha = 1;
    if (!lit) {
      this.finishMarks(ctx, model, frame, cursor, now);
      this.finishLabels(ctx, cursor, now); // over the line: it strikes through none of them
    }
    const ring = (events, style) => this.ringEvents(ctx, model, frame, view, events, style);
    if (divergence !== null && divergence < model.events.length) this.paintDivergence(ctx, model, frame);
    if (witness) ring(witness.events, { radius: 12, colour: VIOLATION, width: 2.4 });
    if (cursor >= 0) ring([cursor], { radius: 9, colour: colours.ink, width: 1.4 });
    if (selected?.event !== undefined) ring([selected.event], { radius: 10, colour: CHOSEN, width: 2 });
    if (selected?.message !== undefined) {
      const transmissions = model.transmissionsOf.get(selected.message) ?? [];
      drawArrows(ctx, model, frame, transmissions, colours, { width: 3.2 });
    }
  }

  /** Veil what is drawn at or above the present but happens later within the same tick. */
  veilLater(ctx, model, frame, cursor, now) {
    ctx.globalAlpha = 0.74;
    ctx.fillStyle = this.diagram.colours.ground;
    const time = model.timeOf(cursor);
    for (let i = cursor + 1; i < model.events.length && model.events[i].time === time; i++) {
      const y = frame.y(model.positions[i]);
      if (model.lanes[i] < 0 || y > now) continue;
      ctx.beginPath();
      ctx.arc(frame.x(model.lanes[i]), y, Math.min(9, frame.spacing * 0.45), 0, 2 * Math.PI);
      ctx.fill();
    }
    const labels = this.diagram.tiles.labelsInView;
    fillBoxes(ctx, labels.filter(({ index, y, reach }) => index > cursor && y - reach < now));
    ctx.globalAlpha = 1;
  }

  /** Draw marks of what has happened whole, where they lie on the line of the present. */
  finishMarks(ctx, model, frame, cursor, now) {
    const { indices } = this.diagram.inView(model, frame, now - ICON, now + ICON);
    drawMarks(ctx, model, frame, indices.filter((i) => i <= cursor), this.diagram.colours);
  }

  /** Draw labels of what has happened whole, even where they reach beyond the present. */
  finishLabels(ctx, cursor, now) {
    const { colours, tiles } = this.diagram;
    const labels = tiles.labelsInView.filter((label) => label.index <= cursor && label.y + label.reach > now);
    ctx.fillStyle = colours.ground;
    fillBoxes(ctx, labels.filter(({ y, reach }) => y - reach < now));
    drawLabels(ctx, labels, colours);
  }

  paintLit(ctx, model, frame, view) {
    const { colours, lit } = this.diagram;
    const { past, future } = lit;
    const near = this.diagram.inView(model, frame, view.top - MARGIN, view.bottom + MARGIN);
    const before = ({ sent, end }) => end >= 0 && past[sent] && past[end];
    const after = ({ sent, end }) => future[sent] && (end < 0 || future[end]);
    const transmissions = near.transmissions.filter(
      (transmission) => before(transmission) || after(transmission) || transmission.envelope.message === lit.message,
    );
    const indices = near.indices.filter((i) => past[i] || future[i]);
    drawArrows(ctx, model, frame, transmissions, colours, { width: 2 });
    drawMarks(ctx, model, frame, indices, colours);
    const { top, bottom } = view;
    drawLabels(ctx, placeLabels(ctx, model, frame, { top, bottom, transmissions, indices, networkEvents: [] }), colours);
  }

  /** Mark where this run begins to differ from the one beside it. */
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
    ctx.fillStyle = this.diagram.colours.alarm;
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

/** Fill the boxes of some labels. */
function fillBoxes(ctx, labels) {
  for (const { corners } of labels) {
    ctx.beginPath();
    for (let k = 0; k < corners.length; k += 2) ctx.lineTo(corners[k], corners[k + 1]);
    ctx.fill();
  }
}
