// The tour: a minute that plays by itself on a first visit, and can be left at any time. It shows what is at stake, a crash and
// the repair, a violation and how it began.

import { lab } from "../store/lab.js";
import { openNamedScenario } from "../store/scenarios.js";
import { build, buildButton, buildWorded } from "../widgets/elements.js";
import { t } from "../words/text.js";

const TAKEN = "habemus-tour";
const SHORTEST = 5000; // milliseconds to read the words of a step
const LONGEST = 14_000;
const LOOK = 30; // milliseconds between two looks at whether the run still plays
const GROUP = { algorithm: "bully", topology: { ids: [1, 2, 3, 4, 5] } };
const STEPS = [
  { words: "tour.stake", act: () => lab.openScenario(GROUP) },
  { words: "tour.crash", act: crashLeader },
  { words: "tour.repair", act: () => lab.play() },
  { words: "tour.violation", act: splitGroup },
  { words: "tour.began", act: () => document.querySelector("#banner [data-t='violated.first']")?.click() },
];

let card = null;

/** Whether to begin the tour: nobody has taken it in this browser, the page is not part of another, and shows nothing else. */
export function isFirstVisit() {
  return window.localStorage.getItem(TAKEN) === null && window === window.top && window.location.hash === "";
}

/** Play the tour. */
export async function startTour() {
  leave();
  window.localStorage.setItem(TAKEN, "true");
  lab.setMode("watch");
  const own = (card = build("aside.tour", { id: "tour", role: "status", "aria-live": "polite" }));
  document.getElementById("room").append(own);
  document.addEventListener("keydown", leaveByKey, true);
  document.addEventListener("pointerdown", leaveByPointer, true);
  for (const [k, { words, act }] of STEPS.entries()) {
    say(words, `${k + 1} / ${STEPS.length}`, buildButton("plain", "tour.leave", leave, { id: "tour-leave" }));
    await Promise.all([act(), pass(SHORTEST)]);
    for (let waited = SHORTEST; card === own && lab.playing && waited < LONGEST; waited += LOOK) await pass(LOOK);
    if (card !== own) return;
  }
  say("tour.yours", "", buildButton("primary", "tour.stories", toStories), buildButton("plain", "close", leave, { id: "tour-leave" }));
}

function say(words, count, ...buttons) {
  card.replaceChildren(
    buildWorded("p", { "data-t": words }),
    build("div.row", {}, build("span.soft", {}, count), buttons),
  );
}

function pass(milliseconds) {
  return new Promise((resolve) => window.setTimeout(resolve, milliseconds));
}

/** Leave the tour; the run on the screen stays as it is. */
function leave() {
  if (card === null) return;
  card.remove();
  card = null;
  lab.setSpeed(1);
  document.removeEventListener("keydown", leaveByKey, true);
  document.removeEventListener("pointerdown", leaveByPointer, true);
}

function leaveByKey(event) {
  if (event.key === "Tab" || card.contains(event.target)) return;
  leave();
}

function leaveByPointer(event) {
  if (!card.contains(event.target)) leave();
}

function toStories() {
  leave();
  lab.setMode("story");
}

// The leader crashes once all are at rest; what follows is the next step.
async function crashLeader() {
  const { leader } = lab.run;
  lab.pause();
  lab.seek(lab.run.events.length - 1);
  const fault = { do: "crash", process: leader, at: lab.forkTime };
  await lab.fork((scenario) => ({ ...scenario, faults: [fault] }), () => `${t("fault.crash")} ${leader}`);
  lab.seek(lab.branch.from + 1);
}

async function splitGroup() {
  lab.setSpeed(8);
  await openNamedScenario("split-brain-bully");
}
