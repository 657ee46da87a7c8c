// The strokes of the space-time diagram on a canvas: lanes, arrows, marks, labels. Where things are is the frame's
// business (`frame.x(lane)`, `frame.y(position)`); which of them to draw, the caller's.

import { FAULTS, FONT, ICON_PATH, ROLE_COLOUR, VIOLATION, iconOf } from "./palette.js";
import { LabelBoard, along, beside, box } from "./labels.js";
import { LOST, RECEIVED, UNDER_WAY } from "./model.js";
import { labelOf } from "./values.js";
import { t } from "./text.js";

const LANE_PRICE = 1;
const ARROW_PRICE = 2;
const MESSAGE = { font: `11px ${FONT}`, size: 11, budget: 1 };
const CLAUSE = { font: `italic 10px ${FONT}`, size: 10, budget: 0.5 };
const FAULT = { font: `600 11px ${FONT}`, size: 11, budget: 4 };
const NARROWEST_FOR_LABELS = 26;
// Where a ring closes, an arrow leaves on one side and comes back on the other: how far from the lane, in pixels at most.
export const OUT_LEFT = 22;
export const OUT_RIGHT = 46;

const paths = Object.fromEntries(Object.entries(ICON_PATH).map(([name, d]) => [name, new Path2D(d)]));
const diamond = new Path2D("M0 -5 L5 0 L0 5 L-5 0 Z");

/** The pieces of the line of a message: [[x1, y1, x2, y2], ...]; two where the ring closes. */
export function arrowOf(model, frame, flight) {
  const begin = frame.y(model.positions[flight.sent]);
  let end = frame.y(model.endPosition(flight));
  const { from, to } = flight;
  const side = to > from ? 1 : -1;
  const [a, b] = [frame.x(from), frame.x(to)];
  const closing = model.closesRing(flight);
  const out = side > 0 ? Math.min(OUT_LEFT, frame.spacing * 0.4) : Math.min(OUT_RIGHT, frame.spacing * 0.85);
  const back = side > 0 ? Math.min(OUT_RIGHT, frame.spacing * 0.85) : Math.min(OUT_LEFT, frame.spacing * 0.4);
  if (model.diedAtOnce(flight)) {
    const reach = closing ? -side * out : Math.min(Math.abs(b - a) * 0.5, 70) * side;
    return [[a, begin, a + reach, begin + 8 + Math.min(26, Math.abs(reach) * 0.3)]];
  }
  if (flight.fate === UNDER_WAY && !closing) {
    const far = Math.min(0.8, Math.max(0.15, (end - begin) / 60));
    return [[a, begin, a + (b - a) * far, end]];
  }
  const short = flight.fate === LOST ? Math.min(10, frame.spacing * 0.16) : 0;
  if (!closing) return [[a, begin, b - side * short, end]];
  const turn = begin + ((end - begin) * out) / (out + back);
  const first = [a, begin, a - side * out, turn];
  if (flight.fate === UNDER_WAY) return [first];
  return [first, [b + side * back, turn, b + side * short, end]];
}

/** Draw the lines of messages; `flights` in any order. */
export function drawFlights(ctx, model, frame, flights, colours, { width = 1.5 } = {}) {
  const groups = new Map();
  for (const flight of flights) {
    const faint = flight.fate === UNDER_WAY || flight.copy;
    const key = `${flight.kind} ${faint}`;
    if (!groups.has(key)) groups.set(key, { kind: flight.kind, faint, flights: [] });
    groups.get(key).flights.push(flight);
  }
  const small = frame.spacing < 14;
  for (const { kind, faint, flights: alike } of groups.values()) {
    const ink = colours.inkOf(kind);
    const lines = new Path2D();
    const heads = new Path2D();
    const crosses = new Path2D();
    for (const flight of alike) {
      const pieces = arrowOf(model, frame, flight);
      pieces.forEach((piece, number) => {
        let [x1, y1, x2, y2] = piece;
        const last = number === pieces.length - 1;
        if (last && flight.fate === RECEIVED) {
          const gap = small ? 1.5 : ["step", "timeout"].includes(iconOf(model.events[flight.end])) ? 4 : 9;
          [x2, y2] = shortened(x1, y1, x2, y2, gap);
          addHead(heads, x1, y1, x2, y2, small ? 4 : 8.5);
          [x2, y2] = shortened(x1, y1, x2, y2, small ? 2 : 5);
        } else if (last && flight.fate === LOST) {
          const arm = small ? 2 : 4;
          crosses.moveTo(x2 - arm, y2 - arm);
          crosses.lineTo(x2 + arm, y2 + arm);
          crosses.moveTo(x2 - arm, y2 + arm);
          crosses.lineTo(x2 + arm, y2 - arm);
        }
        lines.moveTo(x1, y1);
        lines.lineTo(x2, y2);
      });
    }
    ctx.globalAlpha = faint ? 0.55 : 1;
    ctx.strokeStyle = ctx.fillStyle = ink.line;
    ctx.lineWidth = small ? Math.min(width, 1) : width;
    ctx.setLineDash(small ? [] : ink.dash);
    ctx.stroke(lines);
    ctx.setLineDash([]);
    ctx.lineWidth = small ? 1.2 : 2;
    ctx.lineCap = "round";
    ctx.stroke(crosses);
    ctx.lineCap = "butt";
    ctx.fill(heads);
    ctx.globalAlpha = 1;
  }
}

function addHead(path, x1, y1, x2, y2, size) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - size * ux, y2 - size * uy];
  const half = size * 0.4;
  path.moveTo(x2, y2);
  path.lineTo(bx - half * uy, by + half * ux);
  path.lineTo(bx + half * uy, by - half * ux);
  path.closePath();
}

function shortened(x1, y1, x2, y2, by) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  return [x2 - (by * (x2 - x1)) / length, y2 - (by * (y2 - y1)) / length];
}

/** Draw the marks of events on their lanes. */
export function drawMarks(ctx, model, frame, indices, colours) {
  const dots = new Path2D();
  const radius = Math.min(3.2, Math.max(1.4, frame.spacing * 0.22));
  const scale = Math.min(1, Math.max(0.45, frame.spacing / 22));
  const others = [];
  for (const i of indices) {
    const lane = model.lanes[i];
    const event = model.events[i];
    if (lane < 0 || event.kind === "lost") continue;
    const icon = iconOf(event);
    if (icon === "step") {
      const [x, y] = [frame.x(lane), frame.y(model.positions[i])];
      dots.moveTo(x + radius, y);
      dots.arc(x, y, radius, 0, 2 * Math.PI);
    } else others.push([i, icon]);
  }
  ctx.fillStyle = colours.ink;
  ctx.fill(dots);
  for (const [i, icon] of others) {
    ctx.save();
    ctx.translate(frame.x(model.lanes[i]), frame.y(model.positions[i]));
    ctx.scale(scale, scale);
    drawIcon(ctx, icon, colours);
    ctx.restore();
  }
}

/** Draw the sign for a kind of event, around the origin. */
export function drawIcon(ctx, icon, colours) {
  ctx.strokeStyle = colours.ink;
  ctx.lineJoin = "round";
  if (icon in paths) {
    ctx.fillStyle = ROLE_COLOUR[icon];
    ctx.lineWidth = 1;
    ctx.fill(paths[icon]);
    ctx.stroke(paths[icon]);
    return;
  }
  ctx.fillStyle = colours.ground;
  ctx.lineWidth = 1.6;
  if (icon === "timeout") {
    ctx.fill(diamond);
    ctx.stroke(diamond);
    return;
  }
  if (icon === "refuse") {
    ctx.strokeStyle = VIOLATION;
    ctx.lineWidth = 2.4;
    circle(ctx, 6);
    ctx.stroke();
    stroke(ctx, [[-4.2, 4.2, 4.2, -4.2]]);
    return;
  }
  circle(ctx, icon === "pause" || icon === "resume" ? 6 : 5.5);
  ctx.fill();
  ctx.stroke();
  ctx.fillStyle = colours.ink;
  if (icon === "pause") {
    ctx.lineWidth = 1.8;
    stroke(ctx, [[-2, -2.5, -2, 2.5], [2, -2.5, 2, 2.5]]);
  } else if (icon === "resume") ctx.fill(new Path2D("M-2 -3.4 L4 0 L-2 3.4 Z"));
  else if (icon === "recover") {
    circle(ctx, 2.4);
    ctx.fill();
  } else if (icon === "skew" || icon === "drift") stroke(ctx, [[0, -3.4, 0, 0], [0, 0, 2.6, 0]]);
}

function circle(ctx, radius) {
  ctx.beginPath();
  ctx.arc(0, 0, radius, 0, 2 * Math.PI);
}

function stroke(ctx, lines) {
  ctx.beginPath();
  for (const [x1, y1, x2, y2] of lines) {
    ctx.moveTo(x1, y1);
    ctx.lineTo(x2, y2);
  }
  ctx.stroke();
}

/** Draw the lanes between two heights: tinted while a role is held, dotted while paused, missing while down. */
export function drawLanes(ctx, model, frame, top, bottom, colours) {
  const yOf = (index, otherwise) => (index < 0 ? otherwise : frame.y(model.positions[index]));
  const ends = [frame.y(model.start), frame.y(model.length)];
  const narrow = Math.min(1, frame.spacing / 20);
  const tints = [...model.roles].sort((one, other) => tintWidth(other.what) - tintWidth(one.what));
  const tint = (place, from, to, colour, width, alpha, dash) => {
    if (to < top || from > bottom) return;
    ctx.globalAlpha = alpha;
    ctx.strokeStyle = colour;
    ctx.lineWidth = Math.max(1.5, width * narrow);
    ctx.setLineDash(dash);
    line(ctx, frame.x(place), from, frame.x(place), to);
  };
  for (const belief of model.beliefs) {
    if (model.ids[belief.place] === belief.what) continue; // who leads wears the broad tint
    const dash = [[], [5, 4], [1.5, 4]][model.leaders.indexOf(belief.what) % 3];
    const [from, to] = [yOf(belief.start, ends[0]), yOf(belief.end, ends[1])];
    tint(belief.place, from, to, ROLE_COLOUR.leader, 5, 0.34, dash);
  }
  for (const stretch of tints) {
    const colour = ROLE_COLOUR[stretch.what];
    if (!colour) continue;
    const [from, to] = [yOf(stretch.start, ends[0]), yOf(stretch.end, ends[1])];
    tint(stretch.place, from, to, colour, tintWidth(stretch.what), 0.38, []);
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colours.lane;
  ctx.lineWidth = frame.spacing < 14 ? 0.7 : 1.4;
  if (frame.spacing < 14) ctx.globalAlpha = 0.6;
  const solid = new Path2D();
  const dotted = new Path2D();
  const piece = (path, place, from, to) => {
    const [high, low] = [Math.max(from, top), Math.min(to, bottom)];
    if (low <= high) return;
    path.moveTo(frame.x(place), high);
    path.lineTo(frame.x(place), low);
  };
  for (let place = 0; place < model.n; place++) {
    let begin = ends[0];
    let over = false;
    for (const outage of model.outageLists[place]) {
      const [down, up] = [yOf(outage.start, ends[0]), yOf(outage.end, ends[1])];
      piece(solid, place, begin, down);
      if (outage.what === "pause") piece(dotted, place, down, up);
      begin = up;
      over = outage.end < 0;
    }
    if (!over) piece(solid, place, begin, ends[1]);
  }
  ctx.stroke(solid);
  ctx.setLineDash([1.5, 4]);
  ctx.stroke(dotted);
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function tintWidth(role) {
  return { leader: 14, inside: 10 }[role] ?? 6;
}

function line(ctx, x1, y1, x2, y2) {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

/** What a fault of the network is called in a diagram: `cut 1-4`, `partition 1 2 | 3 4`. */
export function faultText(event) {
  const name = t(`fault.${event.kind}`);
  const { subject } = event;
  if (!Array.isArray(subject)) return subject ? `${name} ${subject}` : name;
  if (event.kind === "partition") return `${name} ${subject.map((group) => group.join(" ")).join(" | ")}`;
  return `${name} ${subject.map(([a, b]) => `${a}-${b}`).join(", ")}`.trimEnd();
}

const widths = new Map();

/** The width of a text in a font, remembered. */
export function widthOf(ctx, text, font) {
  const key = `${font}|${text}`;
  if (!widths.has(key)) {
    ctx.font = font;
    widths.set(key, ctx.measureText(text).width);
  }
  return widths.get(key);
}

/**
 * Every label of its own (`own` events, `ownFlight` messages) that finds room between two heights: faults first, then
 * messages, shortest way first, then the names of clauses. A clause is named where it changes something, where no
 * message set it off, and where it runs first. A message whose whole label has no room shows its values alone: its
 * colour tells the type.
 */
export function placeLabels(ctx, model, frame, wanted) {
  const { top, bottom, flights, indices, networkEvents, own = all, ownFlight = all } = wanted;
  const board = new LabelBoard(2, top, frame.width - 2, bottom);
  if (frame.spacing < NARROWEST_FOR_LABELS && model.n > 1) return board.labels;
  const label = (text, style, more = {}) => ({
    text,
    font: style.font,
    width: widthOf(ctx, text, style.font) + 2,
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
    board.add(box(...at, size, size));
  }
  const arrows = flights.map((flight) => ({ flight, pieces: arrowOf(model, frame, flight) }));
  for (const { flight, pieces } of arrows) {
    for (const piece of pieces) board.add(piece, ARROW_PRICE);
    if (flight.fate === LOST) board.add(box(pieces.at(-1)[2], pieces.at(-1)[3], 9, 9));
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
    board.place(text, beside(...at, text.width, FAULT.size, 10), FAULT.budget);
  }
  const spacious = arrows.sort((one, other) => span(one.pieces[0]) - span(other.pieces[0]));
  for (const { flight, pieces } of spacious) {
    if (!ownFlight(flight)) continue;
    const texts = [labelOf(flight.carried)];
    if (texts[0].endsWith(")")) texts.push(texts[0].slice(flight.carried.type.length + 1, -1));
    for (const words of texts) {
      const text = label(words, MESSAGE, { kind: flight.kind, index: flight.sent });
      const spots = pieces.flatMap((piece) => [...along(piece, text.width, MESSAGE.size)]);
      if (board.place(text, spots, MESSAGE.budget)) break;
    }
  }
  marks.sort((one, other) => (one.icon === "step") - (other.icon === "step") || one.i - other.i);
  for (const { i, event, icon, at } of marks) {
    if (!event.clause || !own(i)) continue;
    const telling = event.kind !== "message" || Object.keys(event.changed ?? {}).length || model.firstOfClause.has(i);
    if (!telling) continue;
    const text = label(event.clause, CLAUSE, { colour: "soft", index: i });
    const gap = icon === "step" || icon === "timeout" ? 11 : 15;
    board.place(text, beside(...at, text.width, CLAUSE.size, gap), CLAUSE.budget);
  }
  return board.labels;
}

function all() {
  return true;
}

function span(piece) {
  return Math.abs(piece[0] - piece[2]);
}

/** Write labels where they were placed, each with a little ground around it. */
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
