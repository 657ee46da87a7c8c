// A run, understood: what the list of events only implies, computed once so that every moment can be shown at once.
//
// The flight of each message from the event that sent it to the one that received or lost it; who held which role, was
// down, paused, or named whom leader, from which event to which; which links are cut; where each event lies on the time
// axis; and from these, what the world looks like after any event. Events are meant by their index throughout, and
// processes by their place (lane) or their id.

import { layAxis } from "./axis.js";
import { Intervals, firstAbove } from "./intervals.js";
import { Tally } from "./tally.js";
import { Timers } from "./timers.js";

export const RECEIVED = 0;
export const LOST = 1;
export const UNDER_WAY = 2;

const BEFORE_ALL = -14; // where the lanes begin, above the first event
const AFTER_ALL = 30;

export class Model {
  constructor(run) {
    this.run = run;
    this.events = run.events;
    this.ids = run.ids;
    this.n = run.ids.length;
    this.placeOf = new Map(run.ids.map((id, place) => [id, place]));
    this.indexOf = new Map(this.events.map((event, i) => [event.event, i]));
    this.ring = isRing(run);
    this.closesRing = (flight) => this.ring && Math.abs(flight.from - flight.to) === this.n - 1;
    this.lanes = Int32Array.from(this.events, (event) => this.laneOf(event));
    this.followProcesses();
    this.followMessages();
    this.lay();
    this.followNetwork();
    this.timers = new Timers(this);
    this.count();
  }

  laneOf(event) {
    const process = event.kind === "lost" ? event.received[0].to : event.process;
    return this.placeOf.get(process) ?? -1;
  }

  // Processes ---------------------------------------------------------------------------------------------------------

  followProcesses() {
    this.steps = this.ids.map(() => []); // the events at each process, by place
    this.roles = []; // {place, layer, what, start, end}: end -1 means to the end
    this.outages = [];
    this.beliefs = [];
    this.suspicions = [];
    const held = new Map();
    const open = (list, key, place, what, i, more = {}) => {
      close(key, i);
      const stretch = { place, what, start: i, end: -1, ...more };
      list.push(stretch);
      held.set(key, stretch);
    };
    const close = (key, i) => {
      if (held.has(key)) held.get(key).end = i;
      held.delete(key);
    };
    for (const [id, layers] of Object.entries(this.run.initial ?? {})) {
      const place = this.placeOf.get(Number(id));
      for (const fields of Object.values(layers)) {
        if (typeof fields.leader === "number") open(this.beliefs, `belief ${place}`, place, fields.leader, -1);
      }
    }
    this.events.forEach((event, i) => {
      const place = this.lanes[i];
      if (place < 0 || event.kind === "lost") return;
      this.steps[place].push(i);
      if (event.kind === "crash") {
        for (const [key, stretch] of [...held]) if (stretch.place === place) close(key, i);
        open(this.outages, `outage ${place}`, place, "crash", i);
      } else if (event.kind === "pause" && !event.clause) open(this.outages, `outage ${place}`, place, "pause", i);
      else if (["recover", "resume"].includes(event.kind) && !event.clause) close(`outage ${place}`, i);
      if (event.role !== undefined && event.role !== null) {
        const key = `role ${place} ${event.layer ?? ""}`;
        if (event.role) open(this.roles, key, place, event.role, i, { layer: event.layer ?? "" });
        else close(key, i);
      }
      const changed = event.changed ?? {};
      if ("leader" in changed) {
        if (changed.leader === null) close(`belief ${place}`, i);
        else open(this.beliefs, `belief ${place}`, place, changed.leader, i);
      }
      if (Array.isArray(changed.suspected)) {
        open(this.suspicions, `suspected ${place}`, place, changed.suspected, i);
      } else if (event.kind === "suspect" || event.kind === "trust") {
        const before = held.get(`suspected ${place}`)?.what ?? [];
        const now = before.filter((id) => id !== event.subject);
        if (event.kind === "suspect") now.push(event.subject);
        open(this.suspicions, `suspected ${place}`, place, now, i);
      }
    });
    this.roleLists = byPlace(this.roles, this.n);
    this.outageLists = byPlace(this.outages, this.n);
    this.beliefLists = byPlace(this.beliefs, this.n);
    this.suspicionLists = byPlace(this.suspicions, this.n);
    this.leaders = [...new Set(this.beliefs.map((belief) => belief.what))]; // in the order in which they were named
    const clauses = new Set();
    this.firstOfClause = new Set(); // the events in which a clause runs for the first time
    this.events.forEach((event, i) => {
      if (event.clause && !clauses.has(event.clause)) this.firstOfClause.add(i);
      clauses.add(event.clause);
    });
  }

  /** What a process looks like from outside after an event: {role, roles, status, leader, suspects}. */
  processAt(place, cursor) {
    const roles = this.roleLists[place].filter((stretch) => covers(stretch, cursor)).map((stretch) => stretch.what);
    const outage = latest(this.outageLists[place], cursor);
    return {
      roles,
      role: ["leader", "inside", "candidate", "waiting"].find((role) => roles.includes(role)) ?? "",
      status: outage ? (outage.what === "crash" ? "crashed" : "paused") : "up",
      leader: latest(this.beliefLists[place], cursor)?.what ?? null,
      suspects: latest(this.suspicionLists[place], cursor)?.what ?? [],
    };
  }

  /** All processes after an event, by place. */
  worldAt(cursor) {
    if (this.world?.cursor !== cursor) {
      this.world = { cursor, processes: this.ids.map((_, place) => this.processAt(place, cursor)) };
    }
    return this.world.processes;
  }

  /** The fields of each layer of a process after an event, bottom first: [{layer, fields, durable}]. */
  stateAt(place, cursor) {
    const id = this.ids[place];
    const initial = this.run.initial?.[id] ?? {};
    const names = Object.keys(initial);
    const layers = names.map((layer) => ({
      layer,
      fields: structuredClone(initial[layer]),
      durable: this.run.durable?.[layer] ?? [],
    }));
    const upper = layers.at(-1);
    let down = false;
    for (const i of this.steps[place]) {
      if (i > cursor) break;
      const event = this.events[i];
      if (event.kind === "crash") down = true;
      else if (down && event.kind === "recover") {
        down = false;
        for (const known of layers) {
          for (const name of Object.keys(known.fields)) {
            if (!known.durable.includes(name)) known.fields[name] = structuredClone(initial[known.layer][name]);
          }
        }
      }
      const target = layers.find((known) => known.layer === event.layer) ?? upper;
      if (target) Object.assign(target.fields, event.changed ?? {});
    }
    return layers;
  }

  /** The last event at a process at or before the cursor; -1 if it has done nothing yet. */
  lastStep(place, cursor) {
    const steps = this.steps[place];
    const k = firstAbove(steps, cursor) - 1;
    return k < 0 ? -1 : steps[k];
  }

  // Messages ----------------------------------------------------------------------------------------------------------

  followMessages() {
    this.flights = []; // {carried, sent, end, fate, copy, from, to, kind}
    this.flightsOf = new Map(); // message number -> flights
    this.types = [...(this.run.types ?? [])]; // in order of first appearance, which a run without its beginning brings along
    this.senderOf = new Map();
    const kinds = new Map(this.types.map((type, kind) => [type, kind]));
    this.events.forEach((event, i) => {
      for (const carried of event.sent ?? []) this.senderOf.set(carried.message, i);
    });
    const arrivals = new Map();
    this.events.forEach((event, i) => {
      for (const carried of event.received ?? []) {
        if (!arrivals.has(carried.message)) arrivals.set(carried.message, []);
        arrivals.get(carried.message).push(i);
      }
    });
    this.events.forEach((event, i) => {
      for (const carried of event.sent ?? []) {
        if (!kinds.has(carried.type)) {
          kinds.set(carried.type, kinds.size);
          this.types.push(carried.type);
        }
        const common = {
          carried,
          sent: i,
          from: this.placeOf.get(carried.sender),
          to: this.placeOf.get(carried.to),
          kind: kinds.get(carried.type),
        };
        const ends = arrivals.get(carried.message);
        const flights = ends
          ? ends.map((end, copy) => {
              const fate = this.events[end].kind === "lost" ? LOST : RECEIVED;
              return { ...common, end, fate, copy: copy > 0 };
            })
          : [{ ...common, end: -1, fate: UNDER_WAY, copy: false }];
        this.flightsOf.set(carried.message, flights);
        this.flights.push(...flights);
      }
    });
    this.flights.forEach((flight, number) => (flight.number = number));
    const never = this.events.length;
    this.flightWindows = new Intervals(
      this.flights.map((flight) => flight.sent),
      this.flights.map((flight) => (flight.end < 0 ? never : flight.end - 1)),
    );
  }

  /** Calls `visit(flight)` for each message under way after an event. */
  underWay(cursor, visit) {
    this.flightWindows.within(cursor, cursor, (i) => visit(this.flights[i]));
  }

  /** Whether the network lost a message in the tick in which it was sent. */
  diedAtOnce(flight) {
    return flight.fate === LOST && this.events[flight.end].time === this.events[flight.sent].time;
  }

  // Time --------------------------------------------------------------------------------------------------------------

  lay() {
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
      this.flights.map((flight) => this.positions[flight.sent]),
      this.flights.map((flight) => this.endPosition(flight)),
    );
    this.order = Uint32Array.from(this.positions.keys()).sort((a, b) => this.positions[a] - this.positions[b]);
    this.ordered = Float64Array.from(this.order, (i) => this.positions[i]);
  }

  /** Where the arrow of a message ends along the axis. */
  endPosition(flight) {
    if (flight.end >= 0) return this.positions[flight.end];
    return Math.min(this.length, this.positions[flight.sent] + 60);
  }

  /** Where the axis stands once all events up to the cursor have happened. */
  reachOf(cursor) {
    return cursor < 0 ? this.start : this.reach[cursor];
  }

  /** The last event that has happened at a place of the axis. */
  cursorAt(position) {
    return firstAbove(this.reach, position) - 1;
  }

  /** The time at a place of the axis, in ticks, with fractions. */
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

  /** The tick of the cursor's event; 0 before the first. */
  timeOf(cursor) {
    return cursor < 0 ? 0 : this.events[cursor].time;
  }

  /** The first event of the next tick's last one, or of the one before: where shift and an arrow lead. */
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

  // The network -------------------------------------------------------------------------------------------------------

  followNetwork() {
    this.networkEvents = [];
    this.cutLists = [{ from: -1, cut: new Map() }]; // what is cut from this event on: "a b" -> [a, b], one way each
    let cut = new Map();
    this.events.forEach((event, i) => {
      if (event.process !== undefined && event.process !== null) return;
      if (event.kind === "lost") return;
      this.networkEvents.push(i);
      if (!["cut", "partition", "heal"].includes(event.kind)) return;
      cut = new Map(cut);
      const pairs = event.kind === "partition" ? this.pairsBetween(event.subject) : this.pairsOf(event);
      if (event.kind === "heal" && !(event.subject ?? []).length) cut.clear();
      for (const [a, b] of pairs) {
        if (event.kind === "heal") cut.delete(`${a} ${b}`);
        else cut.set(`${a} ${b}`, [a, b]);
      }
      this.cutLists.push({ from: i, cut });
    });
    this.cutStarts = this.cutLists.map((entry) => entry.from);
  }

  /** The links that are cut after an event: "a b" -> [a, b], one way each. */
  cutsAt(cursor) {
    return this.cutLists[firstAbove(this.cutStarts, cursor) - 1].cut;
  }

  pairsOf(event) {
    const links = event.subject ?? [];
    const alike = (fault) => fault.do === event.kind && fault.at === event.time && same(fault.links, links);
    const oneWay = (this.run.scenario?.faults ?? []).some((fault) => alike(fault) && fault.one_way);
    return oneWay ? links : links.flatMap(([a, b]) => [[a, b], [b, a]]);
  }

  pairsBetween(groups) {
    const group = new Map();
    groups.forEach((members, k) => members.forEach((id) => group.set(id, k)));
    const apart = ([a, b]) => (group.get(a) ?? -1) !== (group.get(b) ?? -1);
    return this.run.edges.filter(apart).flatMap(([a, b]) => [[a, b], [b, a]]);
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

  /** How many messages of each type were sent up to an event. */
  sentByType(cursor) {
    const counts = new Map(this.types.map((type) => [type, this.run.before?.byType.get(type) ?? 0]));
    const seen = new Set();
    for (const flight of this.flights) {
      if (flight.sent > cursor) break;
      if (flight.copy || seen.has(flight.carried.message)) continue;
      seen.add(flight.carried.message);
      counts.set(flight.carried.type, counts.get(flight.carried.type) + 1);
    }
    return counts;
  }

  // Causality ---------------------------------------------------------------------------------------------------------

  /** The events that may have led to this one and those it may have led to, with itself in both. */
  cone(index) {
    if (this.children === undefined) {
      this.parents = this.events.map((event) =>
        (event.parents ?? []).map((number) => this.indexOf.get(number)).filter((i) => i !== undefined),
      );
      this.children = this.events.map(() => []);
      this.parents.forEach((parents, i) => parents.forEach((parent) => this.children[parent].push(i)));
    }
    return { past: reachable(index, this.parents), future: reachable(index, this.children) };
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

/** Whether a stretch is on after an event. */
export function covers(stretch, cursor) {
  return stretch.start <= cursor && (stretch.end < 0 || cursor < stretch.end);
}

function latest(stretches, cursor) {
  for (let k = stretches.length - 1; k >= 0; k--) {
    if (stretches[k].start <= cursor) return covers(stretches[k], cursor) ? stretches[k] : undefined;
  }
  return undefined;
}

function byPlace(stretches, n) {
  const lists = Array.from({ length: n }, () => []);
  for (const stretch of stretches) lists[stretch.place].push(stretch);
  return lists;
}

function reachable(from, links) {
  const seen = new Uint8Array(links.length);
  const waiting = [from];
  seen[from] = 1;
  while (waiting.length) {
    for (const next of links[waiting.pop()]) {
      if (!seen[next]) {
        seen[next] = 1;
        waiting.push(next);
      }
    }
  }
  return seen;
}

function isRing({ ids, edges }) {
  if (ids.length <= 3 || edges.length !== ids.length) return false;
  const pairs = new Set(edges.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`));
  return ids.every((id, place) => {
    const next = ids[(place + 1) % ids.length];
    return pairs.has(`${Math.min(id, next)} ${Math.max(id, next)}`);
  });
}

function same(one, two) {
  return JSON.stringify(one) === JSON.stringify(two);
}
