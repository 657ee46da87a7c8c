// A run as the page needs it: what the list of events only implies, computed once, so that any moment can be shown at once.
//
// Events are named by their index throughout (a `cursor` is the index of the last event that has happened), processes by
// their seat (which is also their lane in the diagram) or their id.

import { layAxis } from "./axis.js";
import { Causality } from "./causality.js";
import { Cuts } from "./cuts.js";
import { Declared } from "./declared.js";
import { Fields, bySeat, followProcesses, periodAt } from "./histories.js";
import { Intervals, firstAbove } from "./intervals.js";
import { Tally } from "./tally.js";
import { Timers } from "./timers.js";
import { LOST, followMessages } from "./transmissions.js";
import { same } from "./values.js";

const BEFORE_ALL = -14; // where the lanes begin, above the first event
const AFTER_ALL = 30;

export class Model {
  constructor(run) {
    this.run = run;
    this.events = run.events;
    this.ids = run.ids;
    this.n = run.ids.length;
    this.seatOf = new Map(run.ids.map((id, seat) => [id, seat]));
    this.indexOf = new Map(this.events.map((event, i) => [event.event, i]));
    this.ring = isRing(run);
    this.closesRing = ({ from, to }) => this.ring && Math.abs(from - to) === this.n - 1;
    this.lanes = Int32Array.from(this.events, (event) => this.laneOf(event));
    Object.assign(this, followProcesses(this));
    this.roleLists = bySeat(this.roles, this.n).map(byLayer);
    this.outageLists = bySeat(this.outages, this.n);
    this.beliefLists = bySeat(this.beliefs, this.n);
    this.suspicionLists = bySeat(this.suspicions, this.n);
    this.leaders = [...new Set(this.beliefs.map((belief) => belief.what))]; // in the order in which they were named
    Object.assign(this, followMessages(this.events, this.seatOf, run.types)); // in the order of their declaration
    this.typesSeen = this.types.filter((type) => this.sends.has(type) || run.before?.byType.has(type));
    const never = this.events.length;
    this.transmissionWindows = new Intervals(
      this.transmissions.map(({ sent }) => sent),
      this.transmissions.map(({ end }) => (end < 0 ? never : end - 1)),
    );
    this.layAxis();
    this.cuts = new Cuts(this);
    this.networkEvents = this.cuts.events;
    this.timers = new Timers(this);
    this.declared = new Declared(this);
    this.fields = []; // by seat, from when they are first asked for
    this.count();
  }

  laneOf(event) {
    const process = event.kind === "lost" ? event.received[0].to : event.process;
    return this.seatOf.get(process) ?? -1;
  }

  // Processes ---------------------------------------------------------------------------------------------------------

  /** What a process looks like from outside after an event: {role, roles, status, leader, suspects, place, value}. */
  processAt(seat, cursor) {
    const held = this.roleLists[seat].map((periods) => periodAt(periods, cursor)).filter(Boolean);
    const roles = held.sort((one, other) => one.start - other.start).map((period) => period.what);
    const outage = periodAt(this.outageLists[seat], cursor);
    return {
      roles,
      role: ["leader", "inside", "candidate", "waiting"].find((role) => roles.includes(role)) ?? "",
      status: outage ? (outage.what === "crash" ? "crashed" : "paused") : "up",
      leader: periodAt(this.beliefLists[seat], cursor)?.what ?? null,
      suspects: periodAt(this.suspicionLists[seat], cursor)?.what ?? [],
      place: this.declared.placeOf(seat, cursor),
      value: this.declared.valueOf(seat, cursor),
    };
  }

  /** All processes after an event, by seat. */
  processesAt(cursor) {
    if (this.shown?.cursor !== cursor) {
      this.shown = { cursor, processes: this.ids.map((_, seat) => this.processAt(seat, cursor)) };
    }
    return this.shown.processes;
  }

  /** The fields of each layer of a process after an event, bottom first: [{layer, fields, durable}]. */
  stateAt(seat, cursor) {
    const { initial, durable } = this.run;
    this.fields[seat] ??= new Fields(initial?.[this.ids[seat]] ?? {}, durable, this.steps[seat].map((i) => [i, this.events[i]]));
    return this.fields[seat].at(cursor);
  }

  /** The last event at a process at or before the cursor; -1 if it has done nothing yet. */
  lastStep(seat, cursor) {
    return this.steps[seat][firstAbove(this.steps[seat], cursor) - 1] ?? -1;
  }

  // Messages and links ------------------------------------------------------------------------------------------------

  /** Calls `visit(transmission)` for each message under way after an event. */
  underWay(cursor, visit) {
    this.transmissionWindows.within(cursor, cursor, (i) => visit(this.transmissions[i]));
  }

  /** Whether a type of messages, given by its number, belongs to a layer below the topmost. */
  isBelow(kind) {
    return (this.run.layers_of_types?.[this.types[kind]] ?? 0) > 0;
  }

  /** Whether the network lost a message in the tick in which it was sent. */
  lostAtOnce({ fate, sent, end }) {
    return fate === LOST && this.events[end].time === this.events[sent].time;
  }

  /** The links that are cut after an event: "a b" -> [a, b], one way each. */
  cutsAt(cursor) {
    return this.cuts.at(cursor);
  }

  // Time --------------------------------------------------------------------------------------------------------------

  layAxis() {
    const axis = layAxis(this);
    this.positions = axis.position;
    this.moments = axis.moments;
    this.breaks = axis.breaks;
    this.start = BEFORE_ALL;
    this.length = axis.length + AFTER_ALL;
    this.reach = new Float64Array(this.events.length); // how far along the axis all events up to this one lie
    let furthest = BEFORE_ALL;
    this.positions.forEach((position, i) => {
      furthest = Math.max(furthest, position);
      this.reach[i] = furthest;
    });
    this.momentStarts = Float64Array.from(this.moments, (moment) => moment.start);
    this.spanWindows = new Intervals(
      this.transmissions.map((transmission) => this.positions[transmission.sent]),
      this.transmissions.map((transmission) => this.endPosition(transmission)),
    );
    this.roleWindows = this.windowsOf(this.roles);
    this.beliefWindows = this.windowsOf(this.beliefs);
    this.order = Uint32Array.from(this.positions.keys()).sort((a, b) => this.positions[a] - this.positions[b]);
    this.ordered = Float64Array.from(this.order, (i) => this.positions[i]);
  }

  /** Where periods lie along the axis. */
  windowsOf(periods) {
    const at = (index, otherwise) => (index < 0 ? otherwise : this.positions[index]);
    return new Intervals(
      periods.map(({ start }) => at(start, this.start)),
      periods.map(({ end }) => at(end, this.length)),
    );
  }

  /** Where the arrow of a message ends along the axis. */
  endPosition(transmission) {
    if (transmission.end >= 0) return this.positions[transmission.end];
    return Math.min(this.length, this.positions[transmission.sent] + 60);
  }

  /** Where the axis stands once all events up to the cursor have happened. */
  reachOf(cursor) {
    return cursor < 0 ? this.start : this.reach[cursor];
  }

  /** The last event that has happened at a position of the axis. */
  cursorAt(position) {
    return firstAbove(this.reach, position) - 1;
  }

  /** The time at a position of the axis, in ticks, with fractions. */
  timeAt(position) {
    const { moments } = this;
    if (!moments.length) return 0;
    const k = firstAbove(this.momentStarts, position) - 1;
    if (k < 0) return moments[0].time;
    const moment = moments[k];
    if (position <= moment.end || k === moments.length - 1) return moment.time;
    const next = moments[k + 1];
    return moment.time + ((position - moment.end) / (next.start - moment.end)) * (next.time - moment.time);
  }

  /** Where a time lies on the axis, after an event and before the next one. */
  positionAt(time, cursor) {
    const { moments } = this;
    const after = this.reachOf(cursor);
    const before = cursor + 1 < this.events.length ? this.positions[cursor + 1] - 0.01 : this.length;
    const k = moments.findLastIndex((moment) => moment.time <= time);
    if (k < 0) return after;
    const [moment, next] = [moments[k], moments[k + 1]];
    const passed = next ? ((time - moment.time) / (next.time - moment.time)) * (next.start - moment.end) : 0;
    return Math.max(after, Math.min(before, moment.end + passed));
  }

  /** The tick of the cursor's event; 0 before the first. */
  timeOf(cursor) {
    return cursor < 0 ? 0 : this.events[cursor].time;
  }

  /** The last event of the next tick (`direction` 1) or of the tick before (-1). */
  tickFrom(cursor, direction) {
    const { events } = this;
    if (direction > 0) {
      if (cursor >= events.length - 1) return cursor;
      let i = cursor + 1;
      while (i + 1 < events.length && events[i + 1].time === events[cursor + 1].time) i++;
      return i;
    }
    if (cursor < 0) return -1;
    let i = cursor;
    while (i >= 0 && events[i].time === events[cursor].time) i--;
    return i;
  }

  // Counting ----------------------------------------------------------------------------------------------------------

  count() {
    const tally = this.run.before?.copy() ?? new Tally(); // a run without its beginning brings along what that has cost
    this.sentUpTo = new Uint32Array(this.events.length + 1); // how many messages the first k events sent
    this.bitsUpTo = new Float64Array(this.events.length + 1);
    this.roundsUpTo = new Uint32Array(this.events.length + 1);
    for (let k = 0; k <= this.events.length; k++) {
      if (k > 0) tally.add(this.events[k - 1]);
      this.sentUpTo[k] = tally.messages;
      this.bitsUpTo[k] = tally.bits;
      this.roundsUpTo[k] = tally.rounds;
    }
  }

  /** How many messages each process has handled up to an event, by seat. */
  handledBy(cursor) {
    return this.receipts.map((events) => firstAbove(events, cursor));
  }

  /** How many messages of each type were sent up to an event. */
  sentByType(cursor) {
    const before = (type) => this.run.before?.byType.get(type) ?? 0;
    return new Map(this.typesSeen.map((type) => [type, before(type) + firstAbove(this.sends.get(type) ?? [], cursor)]));
  }

  // Causality ---------------------------------------------------------------------------------------------------------

  /** The events that may have led to this one and those it may have led to, with itself in both. */
  cone(index) {
    this.causality ??= new Causality(this.events, this.indexOf);
    return this.causality.cone(index);
  }

  /** The first event in which this run differs from another. */
  divergenceFrom(other) {
    const shorter = Math.min(this.events.length, other.events.length);
    for (let i = 0; i < shorter; i++) {
      const [one, two] = [this.events[i], other.events[i]];
      if (one.time !== two.time || one.process !== two.process || !same(one, two)) return i;
    }
    return shorter;
  }
}

/** The periods of a process as a list for each layer. */
function byLayer(periods) {
  const layers = new Map(periods.map(({ layer }) => [layer, []]));
  for (const period of periods) layers.get(period.layer).push(period);
  return [...layers.values()];
}

function isRing({ ids, edges }) {
  if (ids.length <= 3 || edges.length !== ids.length) return false;
  const pairs = new Set(edges.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`));
  return ids.every((id, seat) => {
    const next = ids[(seat + 1) % ids.length];
    return pairs.has(`${Math.min(id, next)} ${Math.max(id, next)}`);
  });
}
