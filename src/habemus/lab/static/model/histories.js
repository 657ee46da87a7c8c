// The history of each process: its steps, and from which event to which it held a role, was down, named a leader, suspected
// others. Such a period is {seat, what, start, end}; an `end` of -1 means that it lasts to the end of the run.

import { firstAbove } from "./intervals.js";

/** The steps, receipts and periods of all processes: {steps, receipts, roles, outages, beliefs, suspicions, firstOfClause}. */
export function followProcesses({ events, lanes, ids, seatOf, run }) {
  const steps = ids.map(() => []); // the events at each process, by seat
  const receipts = ids.map(() => []); // the events in which each process handled a message, by seat, once for each message
  const [roles, outages, beliefs, suspicions] = [[], [], [], []];
  const open = new Map(); // key -> the period that has not ended
  const close = (key, i) => {
    if (open.has(key)) open.get(key).end = i;
    open.delete(key);
  };
  const begin = (list, key, seat, what, i, more = {}) => {
    close(key, i);
    const period = { seat, what, start: i, end: -1, ...more };
    list.push(period);
    open.set(key, period);
  };
  for (const [id, layers] of Object.entries(run.initial ?? {})) {
    const seat = seatOf.get(Number(id));
    for (const fields of Object.values(layers)) {
      if (typeof fields.leader === "number") begin(beliefs, `belief ${seat}`, seat, fields.leader, -1);
    }
  }
  events.forEach((event, i) => {
    const seat = lanes[i];
    if (seat < 0 || event.kind === "lost") return;
    steps[seat].push(i);
    for (const _ of event.received ?? []) receipts[seat].push(i);
    if (event.kind === "crash") {
      for (const [key, period] of [...open]) if (period.seat === seat) close(key, i);
      begin(outages, `outage ${seat}`, seat, "crash", i);
    } else if (event.kind === "pause" && !event.clause) begin(outages, `outage ${seat}`, seat, "pause", i);
    else if (["recover", "resume"].includes(event.kind) && !event.clause) close(`outage ${seat}`, i);
    if (event.role !== undefined && event.role !== null) {
      const key = `role ${seat} ${event.layer ?? ""}`;
      if (event.role) begin(roles, key, seat, event.role, i, { layer: event.layer ?? "" });
      else close(key, i);
    }
    const changed = event.changed ?? {};
    if ("leader" in changed) {
      if (changed.leader === null) close(`belief ${seat}`, i);
      else begin(beliefs, `belief ${seat}`, seat, changed.leader, i);
    }
    if (Array.isArray(changed.suspected)) begin(suspicions, `suspected ${seat}`, seat, changed.suspected, i);
    else if (event.kind === "suspect" || event.kind === "trust") {
      const others = (open.get(`suspected ${seat}`)?.what ?? []).filter((id) => id !== event.subject);
      const suspected = event.kind === "suspect" ? [...others, event.subject] : others;
      begin(suspicions, `suspected ${seat}`, seat, suspected, i);
    }
  });
  return { steps, receipts, roles, outages, beliefs, suspicions, firstOfClause: firstOfClause(events) };
}

/** The events in which a clause runs for the first time. */
function firstOfClause(events) {
  const clauses = new Set();
  const first = new Set();
  events.forEach(({ clause }, i) => {
    if (clause && !clauses.has(clause)) first.add(i);
    clauses.add(clause);
  });
  return first;
}

/** Whether a period has begun and not ended after an event. */
export function covers(period, cursor) {
  return period.start <= cursor && (period.end < 0 || cursor < period.end);
}

/** The period that covers an event; undefined if none does. `periods` follow each other. */
export function periodAt(periods, cursor) {
  const latest = periods[firstAbove(periods, cursor, startOf) - 1];
  return latest && covers(latest, cursor) ? latest : undefined;
}

/** Periods as a list for each seat. */
export function bySeat(periods, n) {
  const lists = Array.from({ length: n }, () => []);
  for (const period of periods) lists[period.seat].push(period);
  return lists;
}

/** The fields of a process through a run: what each was after which event. */
export class Fields {
  /** `steps` are the events at the process: [[index, event], ...]. */
  constructor(initial, durable, steps) {
    this.layers = Object.entries(initial).map(([layer, fields]) => ({
      layer,
      durable: durable?.[layer] ?? [],
      changes: new Map(Object.entries(fields).map(([name, value]) => [name, { indices: [-1], values: [value] }])),
    }));
    let down = false;
    for (const [index, event] of steps) {
      if (event.kind === "crash") down = true;
      else if (down && event.kind === "recover") {
        down = false;
        for (const { layer, durable: kept, changes } of this.layers) {
          for (const name of changes.keys()) if (!kept.includes(name)) note(changes, name, index, initial[layer][name]);
        }
      }
      const target = this.layers.find(({ layer }) => layer === event.layer) ?? this.layers.at(-1);
      if (target) for (const [name, value] of Object.entries(event.changed ?? {})) note(target.changes, name, index, value);
    }
  }

  /** The fields of each layer after an event, bottom first: [{layer, fields, durable}]. */
  at(cursor) {
    return this.layers.map(({ layer, durable, changes }) => {
      const known = [...changes].map(([name, { indices, values }]) => [name, values[firstAbove(indices, cursor) - 1]]);
      return { layer, fields: Object.fromEntries(known.filter(([, value]) => value !== undefined)), durable };
    });
  }
}

function note(changes, name, index, value) {
  if (!changes.has(name)) changes.set(name, { indices: [], values: [] });
  const { indices, values } = changes.get(name);
  indices.push(index);
  values.push(value);
}

function startOf({ start }) {
  return start;
}
