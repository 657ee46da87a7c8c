// Where events lie along the diagram's time axis, by the same rules as in the printed diagram (habemus/trace/axis.py).
//
// The events of a process within one tick are spread over slots, in causal order, so that no two coincide. Periods in which
// many messages are under way get more room; periods in which nothing happens get little, and the axis is broken there.
// Playback runs along this axis, too: idle time passes quickly, and crowded time slowly.

const ROOMY = { slot: 20, step: 38, perMessage: 15, longest: 2.2 };
const DENSE = { slot: 7, step: 18, perMessage: 0, longest: 2.2 };
const DENSEST = { slot: 5, step: 10, perMessage: 0, longest: 2.2 };
const MOST_ROOMY_LANES = 32;
const MOST_DENSE_LANES = 64;
const MOST_COUNTED_CELLS = 2_000_000;

/** The axis of a run: `position` of each event, `moments` {time, start, end}, `breaks`, the positions where it is broken, `length`. */
export function layAxis(model) {
  const { events } = model;
  const n = model.ids.length;
  const scale = n <= MOST_ROOMY_LANES ? ROOMY : n <= MOST_DENSE_LANES ? DENSE : DENSEST;
  const slots = slotsOf(model);
  const depth = new Map();
  events.forEach((event, i) => depth.set(event.time, Math.max(depth.get(event.time) ?? 0, slots[i])));
  const times = [...depth.keys()].sort((a, b) => a - b);
  const gaps = times.slice(1).map((time, k) => time - times[k]);
  const usual = median(gaps) || 1;
  const crowds = crowdsOf(model, times);
  const moments = [];
  const breaks = [];
  let at = 0;
  times.forEach((time, k) => {
    if (k > 0) {
      const wanted = (scale.step * gaps[k - 1]) / usual;
      let room = Math.max(scale.step * 0.75, Math.min(wanted, scale.step * scale.longest));
      room = Math.max(room, scale.perMessage * Math.min(crowds[k - 1], 10));
      if (wanted > 2 * room) breaks.push(at + room / 2);
      at += room;
    }
    const end = at + depth.get(time) * scale.slot;
    moments.push({ time, start: at, end });
    at = end;
  });
  const starts = new Map(moments.map((moment) => [moment.time, moment.start]));
  const position = new Float64Array(events.length);
  events.forEach((event, i) => (position[i] = starts.get(event.time) + slots[i] * scale.slot));
  return { position, moments, breaks, length: moments.length ? moments.at(-1).end : 0 };
}

/** For each event its slot within its tick: after what happened before it at its process and what caused it. */
function slotsOf({ events, lanes, senderOf }) {
  const slots = new Int32Array(events.length);
  const last = new Map();
  let time = null;
  let floor = 0;
  let highest = -1;
  events.forEach((event, i) => {
    if (event.time !== time) [time, floor, highest] = [event.time, 0, -1];
    const causes = [];
    for (const envelope of event.received ?? []) {
      const cause = senderOf.get(envelope.message);
      if (cause !== undefined && events[cause].time === time) causes.push(cause);
    }
    const lane = lanes[i];
    let slot;
    if (lane < 0) {
      slot = highest + 1; // a fault of the network concerns all processes: later events come below it
      floor = slot + 1;
    } else if (event.kind === "lost" && causes.length) {
      slot = Math.max(...causes.map((cause) => slots[cause]));
    } else {
      slot = floor;
      const before = last.get(lane);
      if (before !== undefined && events[before].time === time) slot = Math.max(slot, slots[before] + 1);
      for (const cause of causes) slot = Math.max(slot, slots[cause] + 1);
      last.set(lane, i);
    }
    slots[i] = slot;
    highest = Math.max(highest, slot);
  });
  return slots;
}

/**
 * For each gap between moments, how many messages cross between the same two lanes in it, at the busiest place. A
 * message that is under way for several gaps counts as a part in each: its label needs room only once.
 */
function crowdsOf({ ids, events, transmissions, closesRing }, times) {
  const crowds = new Float64Array(times.length);
  const lanes = ids.length;
  if (lanes > MOST_ROOMY_LANES || times.length * lanes > MOST_COUNTED_CELLS) return crowds;
  const index = new Map(times.map((time, k) => [time, k]));
  const width = lanes + 1;
  const steps = new Float64Array((times.length + 1) * width); // differences in both directions, summed up below
  for (const transmission of transmissions) {
    const first = index.get(events[transmission.sent].time);
    const last = transmission.end >= 0 ? index.get(events[transmission.end].time) : first;
    let [low, high] = transmission.from < transmission.to ? [transmission.from, transmission.to] : [transmission.to, transmission.from];
    if (closesRing(transmission)) [low, high] = [0, 1];
    const part = 1 / Math.max(1, last - first);
    const beyond = Math.max(last, first + 1);
    steps[first * width + low] += part;
    steps[first * width + high] -= part;
    steps[beyond * width + low] -= part;
    steps[beyond * width + high] += part;
  }
  const row = new Float64Array(width);
  for (let k = 0; k < times.length; k++) {
    let sum = 0;
    for (let lane = 0; lane < width; lane++) {
      row[lane] += steps[k * width + lane];
      sum += row[lane];
      crowds[k] = Math.max(crowds[k], sum);
    }
  }
  return crowds;
}

function median(values) {
  if (!values.length) return 0;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
