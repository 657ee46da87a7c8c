// What an algorithm declares to be shown of its processes: where their links lead and come from, and a field such as its level.
// Each is followed through the run, so that any moment can be shown at once.

import { firstAbove } from "./intervals.js";

/** The values of a field of all processes: what it was after which event, by seat. */
class FieldHistory {
  constructor({ run, events, ids, steps }, field) {
    this.changes = ids.map((id, seat) => follow(run, events, id, steps[seat], field));
  }

  at(seat, cursor) {
    const { indices, values } = this.changes[seat];
    return values[firstAbove(indices, cursor) - 1];
  }
}

function follow(run, events, id, steps, field) {
  const { layer } = run.shown;
  const first = run.initial?.[id]?.[layer]?.[field];
  const durable = run.durable?.[layer]?.includes(field);
  const [indices, values] = [[-1], [first]];
  const change = (index, value) => {
    indices.push(index);
    values.push(value);
  };
  for (const index of steps) {
    const event = events[index];
    if (event.kind === "crash") change(index, null);
    else if (event.kind === "recover" && !event.clause) change(index, durable ? values.at(-2) : first);
    const own = !event.layer || event.layer === layer;
    if (own && event.changed && field in event.changed) change(index, event.changed[field]);
  }
  return { indices, values };
}

const asList = (value) => (Array.isArray(value) ? value : typeof value === "number" ? [value] : []);

export class Declared {
  constructor(model) {
    const shown = model.run.shown ?? {};
    const history = (field) => (field ? new FieldHistory(model, field) : null);
    this.ids = model.ids;
    this.to = history(shown.links_to);
    this.from = history(shown.links_from);
    this.field = history(shown.field);
    this.settled = this.to && this.from ? this.ids.map((_, seat) => this.firstWithAllLinks(seat)) : [];
  }

  /** How many links of a process lead away, and how many come from others, after an event. */
  countLinks(seat, cursor) {
    return [this.to, this.from].map((history) => asList(history.at(seat, cursor)).length);
  }

  /** The event after which a process first knows the directions of all its links: before it, its place would be a guess. */
  firstWithAllLinks(seat) {
    const moments = [this.to, this.from].flatMap((history) => history.changes[seat].indices).sort((a, b) => a - b);
    const counts = moments.map((moment) => this.countLinks(seat, moment).reduce((sum, count) => sum + count));
    return moments[counts.indexOf(Math.max(...counts))];
  }

  /** Whether links have a direction. */
  get oriented() {
    return this.to !== null || this.from !== null;
  }

  /** "source", "internal" or "sink" after an event, "" while or where that is not known. */
  placeOf(seat, cursor) {
    if (!(cursor >= this.settled[seat])) return "";
    const [out, into] = this.countLinks(seat, cursor);
    if (out && into) return "internal";
    return out ? "source" : into ? "sink" : "";
  }

  /** What stands beside a process after an event: the value of its field, or nothing. */
  valueOf(seat, cursor) {
    const value = this.field?.at(seat, cursor);
    return value === null || value === undefined ? "" : String(value);
  }

  /** The directions that the two ends of a link give it after an event: [from a to b, from b to a]. */
  directionOf(a, b, cursor) {
    const leads = (from, to) =>
      asList(this.to?.at(from, cursor)).includes(this.ids[to]) || asList(this.from?.at(to, cursor)).includes(this.ids[from]);
    return [leads(a, b), leads(b, a)];
  }
}
