// The story "a paused holder comes back", told on real processes: the user pauses and resumes, and what happens is waited for.

import { lab } from "../store/lab.js";
import tale from "../stories/paused-holder.js";
import { build, buildButton, buildIcon, buildProse } from "../widgets/elements.js";
import { makeError, t } from "../words/text.js";

const GLYPH = "M7 4.5 V15.5 M13 4.5 V15.5"; // pause
const PATIENCE = 5000; // milliseconds within which the write of a process that goes on comes to the store
const [HELD, PAUSED, PASSED, RESUMED, REFUSED] = [0, 1, 2, 3, 4];

let told = null; // {step, holder, pid, token, ends, stopped, next, newer, at, note, chosen}; null: the story is closed

/** Which step is told: undefined if the story is closed. */
export function storyStep() {
  return told?.step;
}

/** Begin the story; or begin it again. */
export function openLiveStory() {
  told = { step: HELD, note: "" };
}

/** Go to Live, and tell the story there. */
export function chooseLiveStory() {
  openLiveStory();
  told.chosen = true;
  lab.setMode("live");
}

/** A story that was chosen elsewhere begins with a group of its own; in another cluster it cannot be told. */
export function meetCluster({ algorithm, group }, command) {
  const chosen = told?.chosen;
  if (told) told.chosen = false;
  if (group) return;
  if (!chosen) told = null;
  else if (algorithm === null) command("start", { n: 3 });
  else {
    told = null;
    lab.report(makeError("group.story.busy", { algorithm }));
  }
}

function findLock({ group }) {
  return group.locks.find(({ name }) => name === tale.lock);
}

function restart(note) {
  told = { step: HELD, note, holder: told.holder };
}

/** See whether what the story waits for has happened; `command(path)` sends what has to be done about it. */
export function followStory(status, command) {
  if (told === null || told.step === HELD || told.step === REFUSED) return;
  const [holder] = findLock(status).holders;
  const state = status.nodes.find(({ id }) => id === told.holder)?.state;
  const { store } = status.group;
  if (told.step === PASSED && state === "running") resumed();
  told.stopped ||= state === "paused"; // news from before it was stopped may come after the click
  if (told.step <= PASSED && state !== "paused" && (told.stopped || state === "dead")) restart("ended");
  else if (told.step === PAUSED && holder && holder.token !== told.token) {
    if (Date.now() < told.ends) {
      command(`resume/${told.holder}`);
      restart("released");
    } else if (store.seen[tale.lock] === holder.token) Object.assign(told, { step: PASSED, next: holder.member, newer: holder.token });
  } else if (told.step === RESUMED) {
    const last = store.refusals.find(({ name }) => name === tale.lock);
    if (last?.member === told.holder && last.token === told.token) Object.assign(told, { step: REFUSED, newer: last.highest });
    else if (Date.now() > told.at + PATIENCE) restart("missed");
  }
}

function resumed() {
  Object.assign(told, { step: RESUMED, at: Date.now() });
}

function pauseHolder(status, command) {
  const [holder] = findLock(status).holders;
  if (!holder) return;
  const { pid } = status.nodes.find(({ id }) => id === holder.member);
  told = { step: PAUSED, note: "", holder: holder.member, pid, token: holder.token, ends: holder.ends ?? 0 };
  command(`pause/${holder.member}`);
}

/** The story, or the button that opens it; `look()` is the state of the group now. */
export function buildLiveStory(look, command, redraw) {
  const doing = (act) => () => {
    act();
    redraw();
  };
  if (told === null) return buildOpener(doing(openLiveStory), { id: "live-story" });
  const acts = {
    pause: () => pauseHolder(look(), command),
    resume: () => {
      resumed();
      command(`resume/${told.holder}`);
    },
    again: openLiveStory,
  };
  const act = tale.steps[told.step].act;
  return build(
    "section.live-story",
    {},
    build("p.story-title", {}, buildProse(tale.title[lab.language])),
    build("div.story-progress", {}, buildDots(), build("span.soft", {}, t("story.step", { step: told.step + 1, steps: tale.steps.length }))),
    build("article.story-text", { "aria-live": "polite" }),
    build(
      "div.step-tools",
      {},
      act ? buildButton("primary", `group.story.${act}`, doing(acts[act]), { id: "live-story-act" }) : null,
      buildButton("plain", "group.story.close", doing(() => (told = null)), { id: "live-story-close" }),
    ),
  );
}

/** The button that opens the story. */
export function buildOpener(open, more = {}) {
  const title = build("span", {}, build("strong", {}, tale.title[lab.language]), build("small", {}, t("group.story")));
  return build("button.story-card.live-story-open", { type: "button", onclick: open, ...more }, buildIcon(GLYPH), title);
}

function buildDots() {
  const dots = tale.steps.map((_, place) => build("span", { class: place === told.step ? "dot here" : place < told.step ? "dot past" : "dot" }));
  return build("div.dots", { "aria-hidden": "true" }, dots);
}

/** Tell the present step with the numbers of this moment. */
export function showStory(panel, status) {
  const article = panel.querySelector(".live-story .story-text");
  if (!article) return;
  const [holder] = findLock(status).holders;
  const facts = { ...told, lock: tale.lock, now: "" };
  facts.now = holder ? t("group.story.held", { holder: holder.member, token: holder.token, lock: tale.lock }) : t("group.story.free", facts);
  const [head, text] = tale.steps[told.step][lab.language].map((sentence) => sentence.replace(/\{(\w+)\}/g, (_, name) => facts[name]));
  const note = told.note ? t(`group.story.${told.note}`, facts) : "";
  if (article.dataset.told === head + text + note) return;
  article.dataset.told = head + text + note;
  article.replaceChildren(
    ...(note ? [build("p.story-note", {}, note)] : []),
    build("h2", {}, buildProse(head)),
    build("p", {}, buildProse(text)),
  );
  const button = panel.querySelector("#live-story-act");
  if (told.step === HELD) button.disabled = !holder;
}
