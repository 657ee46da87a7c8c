// The losses of a real network, which no process observes: they are inferred from the events.
//
// A message is lost if its receiver was dead when it was sent, or died before it arrived; or if a later message on the same
// link arrived first, because links are FIFO. Any other message that has not arrived is still under way.

const DEAD = "the receiver has crashed";
const OVERTAKEN = "the network lost it";

/** Add an event for every lost message to the events of real processes. */
export function addLosses(events) {
  const arrived = new Set(events.flatMap((event) => (event.received ?? []).map(({ message }) => message)));
  const underWay = new Map(); // message -> {envelope, parents}, of those that never arrive
  const order = new Map(); // message -> how many were sent before it
  const dead = new Set();
  const all = [];
  const lose = (message, time, subject) => {
    const { envelope, parents } = underWay.get(message);
    underWay.delete(message);
    all.push({ event: -1 - message, time, kind: "lost", received: [envelope], subject, parents });
  };
  for (const event of events) {
    all.push(event);
    if (event.kind === "recover" && !event.clause) dead.delete(event.process);
    if (event.kind === "crash") {
      dead.add(event.process);
      for (const [message, { envelope }] of underWay) if (envelope.to === event.process) lose(message, event.time, DEAD);
    }
    for (const { message: latest, sender, to } of event.received ?? []) {
      for (const [message, { envelope }] of underWay) {
        const before = envelope.sender === sender && envelope.to === to && order.get(message) < order.get(latest);
        if (before) lose(message, event.time, OVERTAKEN);
      }
    }
    for (const envelope of event.sent ?? []) {
      order.set(envelope.message, order.size);
      if (arrived.has(envelope.message)) continue;
      underWay.set(envelope.message, { envelope, parents: [event.event] });
      if (dead.has(envelope.to)) lose(envelope.message, event.time, DEAD);
    }
  }
  return all;
}
