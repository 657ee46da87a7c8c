// The losses of a real network, which nobody is there to tell of.
//
// What was under way to a process when it died is lost, and what was sent to it after. So is what a later message between
// the same two has overtaken, for their link is FIFO. Whatever else has not arrived is still under way.

const DEAD = "the receiver has crashed";
const OVERTAKEN = "the network lost it";

/** The events of real processes, with an event for every message that is lost. */
export function withLosses(events) {
  const arrived = new Set(events.flatMap((event) => (event.received ?? []).map(({ message }) => message)));
  const underWay = new Map(); // message -> {letter, parents}, of those that never arrive
  const order = new Map(); // message -> how many were sent before it
  const dead = new Set();
  const told = [];
  const lose = (message, time, subject) => {
    const { letter, parents } = underWay.get(message);
    underWay.delete(message);
    told.push({ event: -1 - message, time, kind: "lost", received: [letter], subject, parents });
  };
  for (const event of events) {
    told.push(event);
    if (event.kind === "recover" && !event.clause) dead.delete(event.process);
    if (event.kind === "crash") {
      dead.add(event.process);
      for (const [message, { letter }] of underWay) if (letter.to === event.process) lose(message, event.time, DEAD);
    }
    for (const { message: latest, sender, to } of event.received ?? []) {
      for (const [message, { letter }] of underWay) {
        const before = letter.sender === sender && letter.to === to && order.get(message) < order.get(latest);
        if (before) lose(message, event.time, OVERTAKEN);
      }
    }
    for (const letter of event.sent ?? []) {
      order.set(letter.message, order.size);
      if (arrived.has(letter.message)) continue;
      underWay.set(letter.message, { letter, parents: [event.event] });
      if (dead.has(letter.to)) lose(letter.message, event.time, DEAD);
    }
  }
  return told;
}
