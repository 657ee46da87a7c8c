// Routine: what goes on for ever without changing anything, such as heartbeats and their answers.
//
// A type of messages is periodic if one process sends it to another again and again, mostly in steps that change nothing and
// that a timer or another periodic message triggers.

const OFTEN = 4; // times from one process to another
const MOSTLY = 0.75;

/** The types of messages that are periodic in some events. */
export function findPeriodic(events) {
  const sends = new Map(); // type -> {count, quiet, byTimer, triggers, most, ways}
  for (const event of events) {
    const received = event.received ?? [];
    const quiet = !event.role && Object.keys(event.changed ?? {}).length === 0;
    for (const { type, sender, to } of event.sent ?? []) {
      if (!sends.has(type)) sends.set(type, { count: 0, byTimer: 0, triggers: new Map(), ways: new Map() });
      const known = sends.get(type);
      known.count += 1;
      known.ways.set(`${sender} ${to}`, (known.ways.get(`${sender} ${to}`) ?? 0) + 1);
      if (!quiet) continue;
      if (event.kind === "timeout") known.byTimer += 1;
      for (const cause of received) known.triggers.set(cause.type, (known.triggers.get(cause.type) ?? 0) + 1);
    }
  }
  const periodic = new Set();
  const isOften = ({ ways }) => Math.max(...ways.values()) >= OFTEN;
  for (let found = -1; found < periodic.size; ) {
    found = periodic.size;
    for (const [type, known] of sends) {
      const answers = [...known.triggers].reduce((sum, [cause, count]) => sum + (periodic.has(cause) ? count : 0), 0);
      if (isOften(known) && known.byTimer + answers >= MOSTLY * known.count) periodic.add(type);
    }
  }
  return periodic;
}

/** Whether a step concerns nothing but messages of hidden types, and changes nobody's office. */
export function isRoutine(event, hidden) {
  const messages = [...(event.received ?? []), ...(event.sent ?? [])];
  if (!messages.length || !messages.every(({ type }) => hidden.has(type))) return false;
  return !event.role && event.role !== "" && !("leader" in (event.changed ?? {}));
}
