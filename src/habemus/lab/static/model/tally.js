// What a run has cost, event by event: messages, bits, and the longest chain of messages of which each caused the next.

import { bitsIn } from "./values.js";

export class Tally {
  /** Starts from what was counted before. */
  constructor({ events = 0, messages_by_type = {}, bits = 0 } = {}) {
    this.events = events;
    this.byType = new Map(Object.entries(messages_by_type));
    this.messages = [...this.byType.values()].reduce((sum, count) => sum + count, 0);
    this.bits = bits;
    this.rounds = 0;
    this.chains = new Map(); // process -> length of the longest chain that has reached it
    this.underWay = new Map(); // message -> length of the chain that ends with it
  }

  copy() {
    const [byType, chains, underWay] = [this.byType, this.chains, this.underWay].map((known) => new Map(known));
    return Object.assign(new Tally(), this, { byType, chains, underWay });
  }

  /** Count an event; events are added in order. */
  add({ kind, process, received = [], sent = [] }) {
    this.events += 1;
    if (kind === "lost") return;
    let chain = this.chains.get(process) ?? 0;
    for (const { message } of received) {
      chain = Math.max(chain, this.underWay.get(message) ?? 0);
      this.underWay.delete(message); // a later copy arrives at the same process
    }
    this.chains.set(process, chain);
    this.rounds = Math.max(this.rounds, chain);
    this.messages += sent.length;
    for (const { message, type, fields = {} } of sent) {
      this.byType.set(type, (this.byType.get(type) ?? 0) + 1);
      this.bits += bitsIn(fields);
      this.underWay.set(message, chain + 1);
    }
  }

  /** Forget the oldest messages under way, so that at most this many are left. */
  forgetUnderWay(most) {
    const oldest = this.underWay.keys();
    while (this.underWay.size > most) this.underWay.delete(oldest.next().value);
  }
}
