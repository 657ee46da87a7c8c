// What is painted around the processes of the stage: timers that run down, the step just taken, the leader each names.

import { drawIcon } from "../drawing/icons.js";
import { measureText } from "../drawing/label-board.js";
import { FONT } from "../drawing/palette.js";
import { lab } from "../store/lab.js";

export const AFTERGLOW = 34; // how long a step is echoed and a lost message remembered, along the axis

/** Paint the running timers of each process as arcs that shrink. */
export function paintTimers(ctx, stage) {
  const { model, cursor, position } = lab;
  const now = model.timeAt(position);
  ctx.lineWidth = 1.5;
  for (const node of stage.processes.nodes) {
    const timers = model.timers.at(node.seat, cursor).sort((one, other) => one.deadline - other.deadline);
    timers.slice(0, 2).forEach((timer, k) => {
      const left = (timer.deadline - now) / Math.max(1, timer.deadline - timer.setAt);
      if (left <= 0) return;
      ctx.strokeStyle = stage.colours.lane;
      ctx.globalAlpha = 0.8;
      ctx.beginPath();
      const radius = stage.radius + 5 + 3 * k;
      ctx.arc(...stage.at[node.seat], radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, left));
      ctx.stroke();
      ctx.globalAlpha = 1;
    });
  }
}

/** Paint a fading ring around processes that have just taken a step. */
export function paintEcho(ctx, stage, jumps) {
  const { model, cursor, position } = lab;
  const echoed = new Set();
  for (let i = cursor; i >= 0 && position - model.reach[i] < AFTERGLOW; i--) {
    if (model.lanes[i] < 0 || model.events[i].kind === "lost" || echoed.has(model.lanes[i])) continue;
    echoed.add(model.lanes[i]);
    const age = Math.max(0, (position - model.positions[i]) / AFTERGLOW);
    if (age >= 1) continue;
    ctx.beginPath();
    ctx.arc(...stage.at[model.lanes[i]], stage.radius + 2 + (jumps ? 0 : 5 * age), 0, 2 * Math.PI);
    ctx.strokeStyle = stage.colours.ink;
    ctx.globalAlpha = (i === cursor ? 0.75 : 0.35) * (1 - age);
    ctx.lineWidth = 1.4;
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

/** Paint beside each process the leader that it names, if that is another process. */
export function paintBeliefs(ctx, stage) {
  if (stage.radius < 12 || !stage.states) return;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const node of stage.processes.nodes) {
    const state = stage.states[node.seat];
    if (state.leader === null || state.leader === node.id || state.status === "crashed") continue;
    const [x, y] = stage.at[node.seat];
    const [ux, uy] = stage.outward(node.seat);
    const text = String(state.leader);
    const font = `600 10px ${FONT}`;
    const wide = measureText(ctx, text, font);
    const far = stage.radius + 16 + (2 + wide / 2) * Math.abs(ux); // beside a process it needs more room than below it
    const [cx, cy] = [x + ux * far, y + uy * far];
    ctx.save();
    ctx.translate(cx - wide / 2 - 2, cy);
    ctx.scale(0.62, 0.62);
    drawIcon(ctx, "leader", stage.colours);
    ctx.restore();
    ctx.font = font;
    ctx.fillStyle = stage.colours.soft;
    ctx.fillText(text, cx + 6, cy + 0.5);
  }
}
