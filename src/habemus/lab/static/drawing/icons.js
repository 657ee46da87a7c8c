// The icons of roles and faults on a canvas.

import { ICON_PATH, ROLE_COLOUR, VIOLATION } from "./palette.js";

const paths = Object.fromEntries(Object.entries(ICON_PATH).map(([name, d]) => [name, new Path2D(d)]));
const diamond = new Path2D("M0 -5 L5 0 L0 5 L-5 0 Z");

/** Draw an icon around the origin. */
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
