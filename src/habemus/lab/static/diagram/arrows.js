// The arrows of the diagram: one for each message, from the event that sent it to the one that received or lost it.
//
// `frame` says where things are: `frame.x(lane)`, `frame.y(position)`. The caller says which arrows to draw.

import { BELOW, iconOf } from "../drawing/palette.js";
import { LOST, RECEIVED, UNDER_WAY } from "../model/transmissions.js";

// Where the ring closes, an arrow leaves the diagram on one side and enters on the other: how far from the lane, in pixels.
export const OUT_LEFT = 22;
export const OUT_RIGHT = 46;

/** The line of a message in pieces: [[x1, y1, x2, y2], ...]; two where the ring closes. */
export function arrowOf(model, frame, transmission) {
  const begin = frame.y(model.positions[transmission.sent]);
  let end = frame.y(model.endPosition(transmission));
  const { from, to } = transmission;
  const side = to > from ? 1 : -1;
  const [a, b] = [frame.x(from), frame.x(to)];
  const closing = model.closesRing(transmission);
  const out = side > 0 ? Math.min(OUT_LEFT, frame.spacing * 0.4) : Math.min(OUT_RIGHT, frame.spacing * 0.85);
  const back = side > 0 ? Math.min(OUT_RIGHT, frame.spacing * 0.85) : Math.min(OUT_LEFT, frame.spacing * 0.4);
  if (model.lostAtOnce(transmission)) {
    const reach = closing ? -side * out : Math.min(Math.abs(b - a) * 0.5, 70) * side;
    return [[a, begin, a + reach, begin + 8 + Math.min(26, Math.abs(reach) * 0.3)]];
  }
  if (transmission.fate === UNDER_WAY && !closing) {
    const far = Math.min(0.8, Math.max(0.15, (end - begin) / 60));
    return [[a, begin, a + (b - a) * far, end]];
  }
  const short = transmission.fate === LOST ? Math.min(10, frame.spacing * 0.16) : 0;
  if (!closing) return [[a, begin, b - side * short, end]];
  const turn = begin + ((end - begin) * out) / (out + back);
  const first = [a, begin, a - side * out, turn];
  if (transmission.fate === UNDER_WAY) return [first];
  return [first, [b + side * back, turn, b + side * short, end]];
}

/** Draw the arrows of some transmissions. */
export function drawArrows(ctx, model, frame, transmissions, colours, { width = 1.5 } = {}) {
  const groups = new Map();
  for (const transmission of transmissions) {
    const faint = transmission.fate === UNDER_WAY || transmission.copy;
    const key = `${transmission.kind} ${faint}`;
    if (!groups.has(key)) groups.set(key, { kind: transmission.kind, faint, transmissions: [] });
    groups.get(key).transmissions.push(transmission);
  }
  const small = frame.spacing < 14;
  for (const { kind, faint, transmissions: alike } of groups.values()) {
    const ink = colours.inkOf(kind);
    const lines = new Path2D();
    const heads = new Path2D();
    const crosses = new Path2D();
    for (const transmission of alike) {
      const pieces = arrowOf(model, frame, transmission);
      pieces.forEach((piece, number) => {
        let [x1, y1, x2, y2] = piece;
        const last = number === pieces.length - 1;
        if (last && transmission.fate === RECEIVED) {
          const gap = small ? 1.5 : ["step", "timeout"].includes(iconOf(model.events[transmission.end])) ? 4 : 9;
          [x2, y2] = shortened(x1, y1, x2, y2, gap);
          addHead(heads, x1, y1, x2, y2, small ? 4 : 8.5);
          [x2, y2] = shortened(x1, y1, x2, y2, small ? 2 : 5);
        } else if (last && transmission.fate === LOST) {
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
    const below = model.isBelow(kind);
    ctx.lineWidth = (small ? Math.min(width, 1) : width) * (below ? BELOW.width : 1);
    ctx.setLineDash(small ? [] : below ? BELOW.dash : ink.dash);
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
  path.lineTo(bx + half * uy, by - half * ux); // filling closes it; closePath() would take longer with each head before it
}

function shortened(x1, y1, x2, y2, by) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  return [x2 - (by * (x2 - x1)) / length, y2 - (by * (y2 - y1)) / length];
}
