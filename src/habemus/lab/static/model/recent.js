// The last events of a run that goes on for ever.

const MOST_EVENTS = 3000; // older ones are dropped
const MOST_UNDER_WAY = 1000; // messages that dropped events have sent

/** The last events of a long run, and the older ones that still determine its present state; the others are counted in `before`. */
export function keepRecent(all, before) {
  if (all.length <= MOST_EVENTS) return all;
  const inForce = new Map();
  const old = all.slice(0, all.length - MOST_EVENTS);
  for (const event of old) {
    if (event.role !== undefined && event.role !== null) inForce.set(`role ${event.process} ${event.layer ?? ""}`, event);
    if ("leader" in (event.changed ?? {})) inForce.set(`leader ${event.process}`, event);
    if (["crash", "recover", "pause", "resume"].includes(event.kind)) inForce.set(`state ${event.process}`, event);
    if (["cut", "heal"].includes(event.kind)) inForce.set(`links ${event.event}`, event);
  }
  const kept = new Set(inForce.values());
  for (const event of old) if (!kept.has(event)) before.add(event);
  before.forgetUnderWay(MOST_UNDER_WAY);
  return [...old.filter((event) => kept.has(event)), ...all.slice(old.length)];
}
