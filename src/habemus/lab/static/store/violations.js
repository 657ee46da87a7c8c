// Where the properties of the run on the screen are violated. What an algorithm does not promise is no violation.

import { lab } from "./lab.js";

/** Whether a run violates a property that its algorithm promises. */
export function isViolated({ verdict, promised }) {
  return verdict === false && promised;
}

/** The event from which on a property does not hold; undefined if it holds throughout. */
export function brokenAt({ strip }) {
  const step = strip.find(([, state]) => state === "violated");
  return step && (lab.model.indexOf.get(step[0]) ?? Math.min(step[0], lab.run.events.length - 1));
}

/** Each property that is violated in this run, with the event in which that happens: [{property, index}]. */
export function violations() {
  const violated = (lab.run?.properties ?? []).filter(isViolated);
  return violated.map((property) => ({ property, index: brokenAt(property) })).filter(({ index }) => index !== undefined);
}

/** The first event after one and up to another in which a property is violated; null if there is none. */
export function firstViolation(after, upTo) {
  const between = violations().map(({ index }) => index).filter((index) => index > after && index <= upTo);
  return between.length ? Math.min(...between) : null;
}
