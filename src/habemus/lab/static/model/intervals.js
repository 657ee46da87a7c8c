// Finds the intervals that overlap a window, sixty times a second, without looking at all of them.

const BLOCK = 32;

export class Intervals {
  /** Interval i is from `starts[i]` to `ends[i]`; they need not be sorted. */
  constructor(starts, ends) {
    this.order = Uint32Array.from(starts.keys()).sort((a, b) => starts[a] - starts[b]);
    this.starts = Float64Array.from(this.order, (i) => starts[i]);
    this.ends = Float64Array.from(this.order, (i) => ends[i]);
    this.latest = new Float64Array(Math.ceil(starts.length / BLOCK)).fill(-Infinity);
    this.ends.forEach((end, k) => {
      this.latest[(k / BLOCK) | 0] = Math.max(this.latest[(k / BLOCK) | 0], end);
    });
  }

  /** Calls `visit(i)` for each interval that begins at `high` or before and ends at `low` or later. */
  within(low, high, visit) {
    const stop = firstAbove(this.starts, high);
    for (let block = 0; block * BLOCK < stop; block++) {
      if (this.latest[block] < low) continue;
      const last = Math.min(stop, (block + 1) * BLOCK);
      for (let k = block * BLOCK; k < last; k++) if (this.ends[k] >= low) visit(this.order[k]);
    }
  }
}

/** The first index in a sorted array whose value, or `of` whose item, is above `value`. */
export function firstAbove(sorted, value, of = itself) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(sorted[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function itself(item) {
  return item;
}
