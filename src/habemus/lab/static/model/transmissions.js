// The transmissions of a run: each copy of a message, from the event that sent it to the one that received or lost it.

export const RECEIVED = 0;
export const LOST = 1;
export const UNDER_WAY = 2;

/**
 * What the events say of messages: `transmissions` {envelope, sent, end, fate, copy, from, to, kind, number}, with `sent` and
 * `end` events and `from` and `to` seats; `transmissionsOf` by message number; `types`: those `known`, then
 * others in order of first appearance; `sends`, the events that sent messages of each type that appears, once for each
 * message; `senderOf`, the event that sent a message.
 */
export function followMessages(events, seatOf, known = []) {
  const types = [...known];
  const kinds = new Map(types.map((type, kind) => [type, kind]));
  const arrivals = arrivalsOf(events);
  const senderOf = new Map();
  const sends = new Map();
  const transmissionsOf = new Map();
  const transmissions = [];
  events.forEach((event, i) => {
    for (const envelope of event.sent ?? []) {
      if (!kinds.has(envelope.type)) {
        kinds.set(envelope.type, kinds.size);
        types.push(envelope.type);
      }
      if (!sends.has(envelope.type)) sends.set(envelope.type, []);
      sends.get(envelope.type).push(i);
      const common = {
        envelope,
        sent: i,
        from: seatOf.get(envelope.sender),
        to: seatOf.get(envelope.to),
        kind: kinds.get(envelope.type),
      };
      const copies = (arrivals.get(envelope.message) ?? [-1]).map((end, copy) => {
        const fate = end < 0 ? UNDER_WAY : events[end].kind === "lost" ? LOST : RECEIVED;
        return { ...common, end, fate, copy: copy > 0, number: transmissions.length + copy };
      });
      senderOf.set(envelope.message, i);
      transmissionsOf.set(envelope.message, copies);
      transmissions.push(...copies);
    }
  });
  return { transmissions, transmissionsOf, types, sends, senderOf };
}

/** The events in which each message arrives or is lost, by its number. */
function arrivalsOf(events) {
  const arrivals = new Map();
  events.forEach((event, i) => {
    for (const { message } of event.received ?? []) {
      if (!arrivals.has(message)) arrivals.set(message, []);
      arrivals.get(message).push(i);
    }
  });
  return arrivals;
}
