// Which timers run at a process after an event: set, and since then neither set anew, nor cancelled, nor run out, nor lost
// in a crash.

import { firstAbove } from "./intervals.js";

export class Timers {
  constructor(model) {
    this.model = model;
    this.lists = model.ids.map(() => new Map()); // by place: "layer name" -> [{event, name, setAt, deadline}]
    for (const [number, process, layer, name, setAt, deadline] of model.run.timers ?? []) {
      const place = model.placeOf.get(process);
      const event = model.indexOf.get(number);
      if (place === undefined || event === undefined) continue;
      const key = `${layer} ${name}`;
      if (!this.lists[place].has(key)) this.lists[place].set(key, []);
      this.lists[place].get(key).push({ event, name, setAt, deadline });
    }
  }

  /** The timers that run at a process after an event: [{name, setAt, deadline}]. */
  at(place, cursor) {
    const running = [];
    const now = this.model.timeOf(cursor);
    for (const list of this.lists[place].values()) {
      const timer = list.findLast(({ event }) => event <= cursor);
      if (timer === undefined) continue;
      if (timer.deadline < now) continue; // cancelled (-1), or over
      if (this.crashedBetween(place, timer.event, cursor)) continue;
      if (timer.deadline === now && this.ranOut(place, timer, cursor)) continue;
      running.push(timer);
    }
    return running;
  }

  crashedBetween(place, after, upTo) {
    const outages = this.model.outageLists[place];
    return outages.some(({ what, start }) => what === "crash" && start > after && start <= upTo);
  }

  ranOut(place, timer, cursor) {
    for (let k = firstAbove(this.model.steps[place], cursor) - 1; k >= 0; k--) {
      const event = this.model.events[this.model.steps[place][k]];
      if (event.time < timer.deadline) return false;
      if (event.kind === "timeout" && event.subject === timer.name) return true;
    }
    return false;
  }
}
