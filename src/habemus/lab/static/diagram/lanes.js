// The lanes of the diagram: a line for each process, which shows its role, its leader, and when it is down.

import { ROLE_COLOUR } from "../drawing/palette.js";

/** Draw the lanes between two heights: tinted during a role, dotted during a pause, missing after a crash. */
export function drawLanes(ctx, model, frame, top, bottom, colours) {
  const yOf = (index, otherwise) => (index < 0 ? otherwise : frame.y(model.positions[index]));
  const ends = [frame.y(model.start), frame.y(model.length)];
  const narrow = Math.min(1, frame.spacing / 20);
  const visible = (windows, periods) => {
    const found = [];
    windows.within(frame.position(top), frame.position(bottom), (k) => found.push(periods[k]));
    return found;
  };
  const tint = ({ seat, start, end }, colour, width, alpha, dash) => {
    const [from, to] = [yOf(start, ends[0]), yOf(end, ends[1])];
    const high = Math.max(from, top);
    ctx.globalAlpha = alpha;
    ctx.strokeStyle = colour;
    ctx.lineWidth = Math.max(1.5, width * narrow);
    ctx.setLineDash(dash);
    ctx.lineDashOffset = high - from;
    line(ctx, frame.x(seat), high, frame.x(seat), Math.min(to, bottom));
  };
  for (const belief of visible(model.beliefWindows, model.beliefs)) {
    if (model.ids[belief.seat] === belief.what) continue; // a leader has the broad tint of its role
    const dash = [[], [5, 4], [1.5, 4]][model.leaders.indexOf(belief.what) % 3];
    tint(belief, ROLE_COLOUR.leader, 5, 0.34, dash);
  }
  const roles = visible(model.roleWindows, model.roles).filter(({ what }) => what in ROLE_COLOUR);
  for (const role of roles.sort((one, other) => tintWidth(other.what) - tintWidth(one.what))) {
    tint(role, ROLE_COLOUR[role.what], tintWidth(role.what), 0.38, []);
  }
  ctx.lineDashOffset = 0;
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colours.lane;
  ctx.lineWidth = frame.spacing < 14 ? 0.7 : 1.4;
  if (frame.spacing < 14) ctx.globalAlpha = 0.6;
  const solid = new Path2D();
  const dotted = new Path2D();
  const piece = (path, seat, from, to) => {
    const [high, low] = [Math.max(from, top), Math.min(to, bottom)];
    if (low <= high) return;
    path.moveTo(frame.x(seat), high);
    path.lineTo(frame.x(seat), low);
  };
  for (let seat = 0; seat < model.n; seat++) {
    let begin = ends[0];
    let over = false;
    for (const outage of model.outageLists[seat]) {
      const [down, up] = [yOf(outage.start, ends[0]), yOf(outage.end, ends[1])];
      piece(solid, seat, begin, down);
      if (outage.what === "pause") piece(dotted, seat, down, up);
      begin = up;
      over = outage.end < 0;
    }
    if (!over) piece(solid, seat, begin, ends[1]);
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
