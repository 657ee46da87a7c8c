// Playback: the run plays along the diagram's axis, not by the tick, so that idle stretches pass quickly and crowded ones
// slowly. It stops where a property is violated.

import { frames, makePainter, prefersReducedMotion } from "../drawing/frames.js";
import { lab } from "../store/lab.js";
import { firstViolation } from "../store/violations.js";

const PACE = 55; // along the axis in a second, at speed 1
const LONGEST_FRAME = 100; // milliseconds that count at most, after a hidden tab or a long task

lab.frames = frames;

let before = null;
export const startClock = makePainter((now) => {
  if (!lab.playing) {
    before = null;
    return false;
  }
  const passed = before === null ? 0 : Math.min(LONGEST_FRAME, now - before);
  before = now;
  advance(passed / 1000);
  return lab.playing;
});

function advance(seconds) {
  const { model } = lab;
  const from = lab.cursor;
  const target = Math.min(model.length, lab.position + PACE * lab.speed * seconds);
  const violated = firstViolation(from, model.cursorAt(target));
  if (violated !== null) {
    lab.seek(violated);
    lab.pause();
    lab.emit("violation", violated);
    return;
  }
  if (prefersReducedMotion()) {
    const next = model.cursorAt(target);
    if (next > from) lab.seek(next); // jumps from event to event; only the clock moves between them
    lab.position = target;
  } else lab.seekPosition(target);
  if (target >= model.length) lab.pause();
}

/** Go one event forward or back. */
export function step(by) {
  if (!lab.model) return;
  lab.pause();
  const from = lab.cursor;
  lab.seek(from + by);
  announceViolation(from);
}

/** Go to the end of the next tick, or back to the end of the one before. */
export function stepTick(direction) {
  if (!lab.model) return;
  lab.pause();
  const from = lab.cursor;
  lab.seek(lab.model.tickFrom(from, direction));
  announceViolation(from);
}

function announceViolation(from) {
  const violated = firstViolation(from, lab.cursor);
  if (violated !== null) lab.emit("violation", violated);
}

export function togglePlaying() {
  if (lab.playing) lab.pause();
  else lab.play();
}
