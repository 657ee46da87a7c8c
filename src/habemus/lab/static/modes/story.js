// Guided stories: a text beside the run. Each step of a story is a moment of a run. The run can be played, disturbed and
// continued at any step as any other; a button leads back to the story.

import { lab } from "../store/lab.js";
import { openNamedScenario } from "../store/scenarios.js";
import stories from "../stories/index.js";
import { findMoment } from "../stories/moments.js";
import { build, buildButton, buildIcon, buildProse, buildWorded, refill, stripMarks } from "../widgets/elements.js";
import { t } from "../words/text.js";
import { buildOpener, chooseLiveStory } from "./group-story.js";

const GLYPH = "M10 5.5 C8 4 5.5 3.8 3.5 4.2 V15.2 C5.5 14.8 8 15 10 16.5 C12 15 14.5 14.8 16.5 15.2 V4.2 C14.5 3.8 12 4 10 5.5 Z M10 5.5 V16.5";
const GLIDE = 1400; // milliseconds from one moment to the next

let story = null;
let number = 0;
let opened = new Map(); // scenario name -> its branch, as the story opened it
let panel = null;
let gliding = false;
let ends = [];

/** The story with that name; undefined if there is none. */
export function findStory(name) {
  return stories.find((each) => each.name === name);
}

/** Open a story at a step. */
export async function openStory(name, step = 0) {
  if (story?.name !== name) opened = new Map();
  story = findStory(name);
  number = step;
  lab.setMode("story");
  await goTo(step);
}

/** The scenario of a step: its own, or that of the latest step before it that has one. */
export function scenarioAt(which, step) {
  return which.steps.slice(0, step + 1).reduce((current, each) => each.scenario ?? current, which.scenario);
}

async function goTo(step) {
  const forward = step === number + 1;
  const name = scenarioAt(story, step);
  const here = story;
  let branch = opened.get(name);
  const fresh = branch === undefined || !lab.branches.includes(branch);
  if (fresh) branch = await openNamedScenario(name, { at: -1, play: false });
  if (branch === null || story !== here) return;
  opened.set(name, branch);
  number = step;
  render();
  const target = findMoment(branch.run, story.steps[step].at);
  const glides = forward && (fresh || lab.branch === branch) && lab.cursor < target;
  if (lab.branch !== branch) lab.show(branch, glides ? -1 : target);
  lab.pause();
  move(target, glides && !window.matchMedia("(prefers-reduced-motion: reduce)").matches);
}

// Time runs from one moment to the next, so that the user sees what happens between them.
function move(target, glides) {
  const here = [story, number];
  const branch = lab.branch;
  const from = lab.cursor;
  const began = performance.now();
  const frame = (now) => {
    if (story !== here[0] || number !== here[1]) return;
    const part = Math.min(1, (now - began) / GLIDE);
    gliding = part < 1 && lab.branch === branch && !lab.playing;
    if (gliding) requestAnimationFrame(frame);
    if (lab.branch === branch && !lab.playing) lab.seek(Math.round(from + (target - from) * part));
    if (part === 1) arrive();
  };
  if (glides) requestAnimationFrame(frame);
  else {
    gliding = false;
    lab.seek(target);
    arrive();
  }
}

function arrive() {
  const { light, at } = story.steps[number];
  const event = findMoment(lab.run, light ?? at);
  lab.select(light && event !== null && event >= 0 ? { event } : null);
  markAway();
}

/** Run a trial of the story as a branch. */
async function attempt(trial) {
  const at = lab.cursor < 0 ? 0 : lab.run.events[lab.cursor].time + 1;
  const back = Boolean(trial.set || trial.parameters || trial.faults?.some((fault) => fault.at !== undefined));
  const branch = await lab.fork((scenario) => applyTrial(scenario, trial, at), () => trial.label[lab.language], { back });
  if (branch) lab.play();
}

/** A scenario with the faults, commands and settings of a trial. */
export function applyTrial(scenario, trial, at) {
  const { expect, ...rest } = scenario; // what is expected of the story is not expected of the trial
  const faults = (trial.faults ?? []).map((fault) => ({ at, ...fault }));
  const calls = (trial.calls ?? []).map((call) => ({ at, ...call }));
  return {
    ...rest,
    ...(trial.set ?? {}),
    parameters: { ...scenario.parameters, ...trial.parameters },
    faults: [...(scenario.faults ?? []), ...faults],
    workload: [...(scenario.workload ?? []), ...calls],
  };
}

// Whether the screen shows something else than the step's moment.
function isAway() {
  const branch = story && opened.get(scenarioAt(story, number));
  return Boolean(branch) && (lab.branch !== branch || lab.cursor !== findMoment(branch.run, story.steps[number].at));
}

function markAway() {
  panel?.querySelector(".story-return")?.toggleAttribute("hidden", gliding || !isAway());
}

function render() {
  if (panel === null) return;
  if (story === null) {
    refill(
      panel,
      buildWorded("h2", { "data-t": "story.all" }),
      buildWorded("p.soft", { "data-t": "story.all.text" }),
      build("ol.story-list", {}, [...stories.map(buildStoryButton), ...liveStories()].map((button) => build("li", {}, button))),
    );
    return;
  }
  const step = story.steps[number];
  const [head, text] = step[lab.language];
  const last = number === story.steps.length - 1;
  refill(
    panel,
    buildButton("plain.story-back-to-all", "story.others", leave),
    build("p.story-title", {}, buildProse(story.title[lab.language])),
    buildProgress(),
    build("article.story-text", { "aria-live": "polite" }, build("h2", {}, buildProse(head)), build("p", {}, buildProse(text))),
    build("div.story-tries", {}, (step.tries ?? []).map(buildTryButton)),
    buildButton("plain.story-return", "story.return", () => goTo(number), { hidden: true }),
    build(
      "div.story-steps",
      {},
      buildButton("plain", "story.back", () => goTo(number - 1), { id: "story-back", disabled: number === 0 }),
      last
        ? buildButton("primary", "story.next.story", nextStory, { id: "story-next" })
        : buildButton("primary", "story.next", () => goTo(number + 1), { id: "story-next" }),
    ),
  );
}

// The story that is told on real processes, if this lab may start them.
function liveStories() {
  return lab.catalogue?.live === false ? [] : [buildOpener(chooseLiveStory)];
}

function buildProgress() {
  const dots = story.steps.map((step, index) =>
    build("button", {
      type: "button",
      class: index === number ? "dot here" : index < number ? "dot past" : "dot",
      title: stripMarks(step[lab.language][0]),
      "aria-label": `${index + 1}/${story.steps.length}: ${stripMarks(step[lab.language][0])}`,
      "aria-current": index === number ? "step" : false,
      onclick: () => goTo(index),
    }),
  );
  const count = t("story.step", { step: number + 1, steps: story.steps.length });
  return build("div.story-progress", {}, build("div.dots", {}, dots), build("span.soft", {}, count));
}

function buildTryButton(trial) {
  return build("button.try", { type: "button", onclick: () => attempt(trial) }, trial.label[lab.language]);
}

function nextStory() {
  const index = stories.indexOf(story);
  openStory(stories[(index + 1) % stories.length].name);
}

function leave() {
  story = null;
  number = 0;
  render();
}

/** Build the button that opens a story. */
export function buildStoryButton(each) {
  return build(
    "button.story-card",
    { type: "button", onclick: () => openStory(each.name) },
    buildIcon(GLYPH),
    build("span", {}, build("strong", {}, buildProse(each.title[lab.language])), build("small", {}, t("story.steps", { steps: each.steps.length }))),
  );
}

/** The stories, in order. */
export { stories };

export const storyMode = {
  glyph: GLYPH,
  size: "side",
  mount(element) {
    panel = element;
    panel.classList.add("in-story");
    ends = [lab.on("language", render), lab.on("cursor", markAway), lab.on("branch", markAway), lab.on("playing", markAway)];
    render();
    if (story) markAway();
  },
  unmount() {
    for (const end of ends) end();
    panel.classList.remove("in-story");
    panel = null;
  },
};
