// The labels of the diagram: messages, clauses and faults, placed where they cover nothing.

import { LabelBoard, boxCorners, measureText, spotsAlong, spotsBeside } from "../drawing/label-board.js";
import { FAULTS, FONT, iconOf } from "../drawing/palette.js";
import { LOST } from "../model/transmissions.js";
import { labelOf } from "../model/values.js";
import { t } from "../words/text.js";
import { arrowOf } from "./arrows.js";

const LANE_PRICE = 1;
const ARROW_PRICE = 2;
const MESSAGE = { font: `11px ${FONT}`, size: 11, budget: 1 };
const CLAUSE = { font: `italic 10px ${FONT}`, size: 10, budget: 0.5 };
const FAULT = { font: `600 11px ${FONT}`, size: 11, budget: 4 };
const NARROWEST_FOR_LABELS = 26;

/** The label of a fault of the network: `cut 1-4`, `partition 1 2 | 3 4`. */
export function faultText(event) {
  const name = t(`fault.${event.kind}`);
  const { subject } = event;
  if (!Array.isArray(subject)) return subject ? `${name} ${subject}` : name;
  if (event.kind === "partition") return `${name} ${subject.map((group) => group.join(" ")).join(" | ")}`;
  return `${name} ${subject.map(([a, b]) => `${a}-${b}`).join(", ")}`.trimEnd();
}

/**
 * Place the labels of some events (`own`) and messages (`ownArrow`) between two heights, as far as there is room: faults
 * first, then messages, the shortest arrows first, then the names of clauses. A clause is named where it changes a field,
 * where no message triggered it, and where it runs for the first time. A message without room for its whole label has none: its
 * colour tells the type.
 */
export function placeLabels(ctx, model, frame, wanted) {
  const { top, bottom, transmissions, indices, networkEvents, own = all, ownArrow = all } = wanted;
  const board = new LabelBoard(2, top, frame.width - 2, bottom);
  if (frame.spacing < NARROWEST_FOR_LABELS && model.n > 1) return board.labels;
  const label = (text, style, more = {}) => ({
    text,
    font: style.font,
    width: measureText(ctx, text, style.font) + 2,
    height: style.size * 1.15,
    ...more,
  });
  for (let lane = 0; lane < model.n; lane++) board.add([frame.x(lane), top, frame.x(lane), bottom], LANE_PRICE);
  const marks = [];
  for (const i of indices) {
    const event = model.events[i];
    if (model.lanes[i] < 0 || event.kind === "lost") continue;
    const icon = iconOf(event);
    const at = [frame.x(model.lanes[i]), frame.y(model.positions[i])];
    marks.push({ i, event, icon, at });
    const size = icon === "step" || icon === "timeout" ? 9 : 15;
    board.add(boxCorners(...at, size, size));
  }
  const arrows = transmissions.map((transmission) => ({ transmission, pieces: arrowOf(model, frame, transmission) }));
  for (const { transmission, pieces } of arrows) {
    for (const piece of pieces) board.add(piece, ARROW_PRICE);
    if (transmission.fate === LOST) board.add(boxCorners(pieces.at(-1)[2], pieces.at(-1)[3], 9, 9));
  }
  for (const i of networkEvents) {
    const text = label(faultText(model.events[i]), FAULT, { colour: "ink", index: i });
    const y = frame.y(model.positions[i]) - 8;
    const shifts = Array.from({ length: 40 }, (_, k) => 10 * k);
    const spots = shifts.map((by) => ({ x: frame.left + text.width / 2 + by, y, angle: 0, penalty: by / 100 }));
    board.place(text, spots, FAULT.budget);
  }
  for (const { i, event, icon, at } of marks) {
    if (!FAULTS.includes(icon) || !own(i)) continue;
    const text = label(t(`fault.${event.kind}`), FAULT, { colour: "ink", index: i });
    board.place(text, spotsBeside(...at, text.width, FAULT.size, 10), FAULT.budget);
  }
  const spacious = arrows.sort((one, other) => span(one.pieces[0]) - span(other.pieces[0]));
  for (const { transmission, pieces } of spacious) {
    if (!ownArrow(transmission)) continue;
    const text = label(labelOf(transmission.envelope), MESSAGE, { kind: transmission.kind, index: transmission.sent });
    const spots = pieces.flatMap((piece) => [...spotsAlong(piece, text.width, MESSAGE.size)]);
    board.place(text, spots, MESSAGE.budget);
  }
  marks.sort((one, other) => (one.icon === "step") - (other.icon === "step") || one.i - other.i);
  for (const { i, event, icon, at } of marks) {
    if (!event.clause || !own(i)) continue;
    const telling = event.kind !== "message" || Object.keys(event.changed ?? {}).length || model.firstOfClause.has(i);
    if (!telling) continue;
    const text = label(event.clause, CLAUSE, { colour: "soft", index: i });
    const gap = icon === "step" || icon === "timeout" ? 11 : 15;
    board.place(text, spotsBeside(...at, text.width, CLAUSE.size, gap), CLAUSE.budget);
  }
  return board.labels;
}

function all() {
  return true;
}

function span(piece) {
  return Math.abs(piece[0] - piece[2]);
}

/** Draw placed labels, each with a little background around it. */
export function drawLabels(ctx, labels, colours) {
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  ctx.lineWidth = 3;
  ctx.strokeStyle = colours.ground;
  for (const label of labels) {
    ctx.save();
    ctx.translate(label.x, label.y);
    if (label.angle) ctx.rotate((label.angle * Math.PI) / 180);
    ctx.font = label.font;
    ctx.fillStyle = label.kind === undefined ? colours[label.colour] : colours.inkOf(label.kind).text;
    ctx.strokeText(label.text, 0, 0);
    ctx.fillText(label.text, 0, 0);
    ctx.restore();
  }
}
