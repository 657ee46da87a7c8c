// What a run has cost, event by event: messages, bits, and the longest chain of messages of which each caused the next.

import { bitsIn } from "./values.js";

export class Tally {
  /** Begins with what was counted elsewhere. */
  constructor({ events = 0, messages_by_type = {}, bits = 0 } = {}) {
    this.events = events;
    this.byType = new Map(Object.entries(messages_by_type));
    this.messages = [...this.byType.values()].reduce((sum, count) => sum + count, 0);
    this.bits = bits;
    this.rounds = 0;
    this.chains = new Map(); // process -> how long the longest chain is that has reached it
    this.underWay = new Map(); // message -> how long the chain is with it
  }

  copy() {
    const [byType, chains, underWay] = [this.byType, this.chains, this.underWay].map((known) => new Map(known));
    return Object.assign(new Tally(), this, { byType, chains, underWay });
  }

  /** One more event; they come in their order. */
  add({ kind, process, received = [], sent = [] }) {
    this.events += 1;
    if (kind === "lost") return;
    let chain = this.chains.get(process) ?? 0;
    for (const { message } of received) {
      chain = Math.max(chain, this.underWay.get(message) ?? 0);
      this.underWay.delete(message); // a copy of it that comes later comes to the same process
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

  /** Take all but so many of the messages under way for lost, the oldest first. */
  giveUp(most) {
    const oldest = this.underWay.keys();
    while (this.underWay.size > most) this.underWay.delete(oldest.next().value);
  }
}
