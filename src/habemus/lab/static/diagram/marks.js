// The marks of the diagram: a dot or an icon for each event, on the lane of its process.

import { drawIcon } from "../drawing/icons.js";
import { iconOf } from "../drawing/palette.js";

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
