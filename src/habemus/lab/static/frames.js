// One loop for all that is drawn: it runs while something has to be, and measures how smoothly it does.

const painters = new Set();
const REMEMBERED = 600;
let asked = false;

/** Have `paint(now)` called in the next frame after each call of the function returned; again while it returns true. */
export function painter(paint) {
  const entry = { paint, due: false };
  painters.add(entry);
  return () => {
    entry.due = true;
    wake();
  };
}

function wake() {
  if (asked) return;
  asked = true;
  window.requestAnimationFrame(frame);
}

function frame(now) {
  asked = false;
  const begun = performance.now();
  for (const entry of painters) {
    if (!entry.due) continue;
    entry.due = false;
    if (entry.paint(now)) entry.due = true;
  }
  frames.note(now, performance.now() - begun);
  if ([...painters].some((entry) => entry.due)) wake();
}

/** How smoothly it plays: the time between frames and the work in each, in milliseconds. */
export const frames = {
  intervals: [],
  work: [],
  before: null,
  measuring: false,

  /** Forget what was measured. */
  reset() {
    this.intervals = [];
    this.work = [];
    this.before = null;
  },

  note(now, work) {
    if (!this.measuring) {
      this.before = null;
      return;
    }
    if (this.before !== null) {
      this.intervals.push(now - this.before);
      this.work.push(work);
      if (this.intervals.length > REMEMBERED) {
        this.intervals.shift();
        this.work.shift();
      }
    }
    this.before = now;
  },

  /** Frames a second, on average. */
  get fps() {
    return this.intervals.length ? 1000 / mean(this.intervals) : 0;
  },

  /** The milliseconds between frames that all but one in a hundred stay below. */
  get slowest() {
    const sorted = [...this.intervals].sort((a, b) => a - b);
    return sorted.length ? sorted[Math.floor(sorted.length * 0.99)] : 0;
  },

  /** The milliseconds of work in a frame, on average. */
  get labour() {
    return this.work.length ? mean(this.work) : 0;
  },
};

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Whether things should jump rather than move. */
export function calm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
