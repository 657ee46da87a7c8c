// Which timers run at a process after an event: those that were set, and since then neither reset, cancelled, expired, nor
// lost in a crash.

import { firstAbove } from "./intervals.js";

export class Timers {
  constructor(model) {
    this.model = model;
    this.lists = model.ids.map(() => new Map()); // by seat: "layer name" -> [{event, name, setAt, deadline}]
    for (const [number, process, layer, name, setAt, deadline] of model.run.timers ?? []) {
      const seat = model.seatOf.get(process);
      const event = model.indexOf.get(number);
      if (seat === undefined || event === undefined) continue;
      const key = `${layer} ${name}`;
      if (!this.lists[seat].has(key)) this.lists[seat].set(key, []);
      this.lists[seat].get(key).push({ event, name, setAt, deadline });
    }
  }

  /** The timers that run at a process after an event: [{name, setAt, deadline}]. */
  at(seat, cursor) {
    const running = [];
    const now = this.model.timeOf(cursor);
    for (const list of this.lists[seat].values()) {
      const timer = list[firstAbove(list, cursor, ({ event }) => event) - 1];
      if (timer === undefined) continue;
      if (timer.deadline < now) continue; // cancelled (-1), or expired
      if (this.crashedBetween(seat, timer.event, cursor)) continue;
      if (timer.deadline === now && this.expired(seat, timer, cursor)) continue;
      running.push(timer);
    }
    return running;
  }

  crashedBetween(seat, after, upTo) {
    const outages = this.model.outageLists[seat];
    return outages.some(({ what, start }) => what === "crash" && start > after && start <= upTo);
  }

  expired(seat, timer, cursor) {
    for (let k = firstAbove(this.model.steps[seat], cursor) - 1; k >= 0; k--) {
      const event = this.model.events[this.model.steps[seat][k]];
      if (event.time < timer.deadline) return false;
      if (event.kind === "timeout" && event.subject === timer.name) return true;
    }
    return false;
  }
}
