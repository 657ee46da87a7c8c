// Finds the moments of a story: a story describes an event by its clause, process and messages, never by its number, so that
// it stays correct when the simulator numbers its events differently.

import { same } from "../model/values.js";

function matches(event, pattern) {
  const received = event.received ?? [];
  const sent = event.sent ?? [];
  return (
    (pattern.kind === undefined || event.kind === pattern.kind) &&
    (pattern.process === undefined || event.process === pattern.process) &&
    (pattern.clause === undefined || event.clause === pattern.clause) &&
    (pattern.subject === undefined || same(event.subject, pattern.subject)) &&
    (pattern.time === undefined || event.time === pattern.time) &&
    (pattern.role === undefined || event.role === pattern.role) &&
    (pattern.got === undefined || received.some((message) => message.type === pattern.got)) &&
    (pattern.from === undefined || received.some((message) => message.sender === pattern.from)) &&
    (pattern.towards === undefined || received.some((message) => message.to === pattern.towards)) &&
    (pattern.sent === undefined || sent.some((message) => message.type === pattern.sent)) &&
    Object.entries(pattern.changed ?? {}).every(([field, value]) => same(event.changed?.[field], value))
  );
}

/** The index of the first event that matches a pattern, after the event that `after` describes; null if there is none. */
export function findMoment(run, pattern) {
  if (pattern === "start") return -1;
  if (pattern === "end") return run.events.length - 1;
  const from = pattern.after ? findMoment(run, pattern.after) : -1;
  if (from === null) return null;
  const found = run.events.findIndex((event, index) => index > from && matches(event, pattern));
  return found < 0 ? null : found;
}
