// One animation loop for all canvases: it runs while something has to be painted, and measures its frames.

const painters = new Set();
const REMEMBERED = 600;
let asked = false;

/** Returns a function that has `paint(now)` called in the next frame, and in those after it as long as it returns true. */
export function makePainter(paint) {
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

/** The measured frames: the time between them and the work in each, in milliseconds. */
export const frames = {
  intervals: [],
  work: [],
  before: null,
  measuring: false,

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

  /** Mean frames per second. */
  get fps() {
    return this.intervals.length ? 1000 / mean(this.intervals) : 0;
  },

  /** The 99th percentile of the milliseconds between frames. */
  get slowest() {
    const sorted = [...this.intervals].sort((a, b) => a - b);
    return sorted.length ? sorted[Math.floor(sorted.length * 0.99)] : 0;
  },

  /** Mean milliseconds of work in a frame. */
  get meanWork() {
    return this.work.length ? mean(this.work) : 0;
  },
};

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Whether the user wants things to jump rather than move. */
export function prefersReducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
