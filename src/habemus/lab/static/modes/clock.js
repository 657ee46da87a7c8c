// The clock of Live mode: from the kill or the pause of a leader until another one leads.
//
// `failover` is {process, what, at, leader, took}, or null if no leader was disturbed; `began` is when the run began. The
// processes run on this machine, so their clock is the page's.

import { build, buildWorded } from "../widgets/elements.js";
import { formatDecimal, t } from "../words/text.js";

function secondsSince(failover, began) {
  return (Date.now() - began - failover.at) / 1000;
}

/** Let the clock run, if it is shown and nobody leads yet. */
export function tickClock(panel, failover, began) {
  const clock = panel?.querySelector(".clock-time");
  if (!clock || failover?.took !== null) return;
  clock.textContent = t("live.seconds", { seconds: formatDecimal(secondsSince(failover, began).toFixed(1)) });
}

/** The clock; or, as long as there is nothing to measure, a hint what could be done. */
export function buildClock(failover, began, hint) {
  if (failover === null) return buildWorded("p.soft", { "data-t": hint });
  const { process, leader, what, took } = failover;
  const done = took !== null;
  const time = done ? took.toFixed(took < 10 ? 2 : 1) : secondsSince(failover, began).toFixed(1);
  return build(
    done ? "div.clock.done" : "div.clock",
    { id: "live-clock", "aria-live": "polite" },
    build("strong.clock-time", {}, t("live.seconds", { seconds: formatDecimal(time) })),
    build("span", {}, t(`live.${done ? "done" : "wait"}.${what}`, { process, leader })),
  );
}
