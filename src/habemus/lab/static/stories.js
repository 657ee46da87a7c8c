// Guided stories: a text beside the run. Each step is a moment of a run; next and back lead there, and the run is a live
// one at every step: it can be scrubbed, broken and continued as any other, and the story finds its way back.

import { build, button, icon, plain, prose, refill, worded } from "./build.js";
import { lab } from "./lab.js";
import { moment } from "./moments.js";
import { openNamed } from "./named.js";
import stories from "./stories/index.js";
import { t } from "./text.js";

const GLYPH = "M10 5.5 C8 4 5.5 3.8 3.5 4.2 V15.2 C5.5 14.8 8 15 10 16.5 C12 15 14.5 14.8 16.5 15.2 V4.2 C14.5 3.8 12 4 10 5.5 Z M10 5.5 V16.5";
const GLIDE = 1400; // ms from one moment to the next

let story = null;
let number = 0;
let told = new Map(); // scenario name -> its branch, as the story opened it
let panel = null;
let gliding = false;
let ends = [];

/** The story of that name. */
export function storyNamed(name) {
  return stories.find((each) => each.name === name);
}

/** Begin a story, at a step. */
export async function tell(name, step = 0) {
  if (story?.name !== name) told = new Map();
  story = storyNamed(name);
  number = step;
  lab.setMode("story");
  await goTo(step);
}

/** The scenario that is on the screen at a step: the one named last. */
export function scenarioAt(which, step) {
  return which.steps.slice(0, step + 1).reduce((current, each) => each.scenario ?? current, which.scenario);
}

async function goTo(step) {
  const forward = step === number + 1;
  const name = scenarioAt(story, step);
  const here = story;
  let branch = told.get(name);
  const fresh = branch === undefined || !lab.branches.includes(branch);
  if (fresh) branch = await openNamed(name, { at: -1, play: false });
  if (branch === null || story !== here) return;
  told.set(name, branch);
  number = step;
  render();
  const target = moment(branch.run, story.steps[step].at);
  const glides = forward && (fresh || lab.branch === branch) && lab.cursor < target;
  if (lab.branch !== branch) lab.show(branch, glides ? -1 : target);
  lab.pause();
  move(target, glides && !window.matchMedia("(prefers-reduced-motion: reduce)").matches);
}

// From one moment to the next time runs, so that one sees how it came to that.
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
    if (part === 1) arrived();
  };
  if (glides) requestAnimationFrame(frame);
  else {
    gliding = false;
    lab.seek(target);
    arrived();
  }
}

function arrived() {
  const { light, at } = story.steps[number];
  const event = moment(lab.run, light ?? at);
  lab.select(light && event !== null && event >= 0 ? { event } : null);
  markAway();
}

/** Try something out: a branch of its own, from where the story stands. */
async function attempt(trial) {
  const at = lab.cursor < 0 ? 0 : lab.run.events[lab.cursor].time + 1;
  const back = Boolean(trial.set || trial.parameters || trial.faults?.some((fault) => fault.at !== undefined));
  const branch = await lab.fork((scenario) => changed(scenario, trial, at), () => trial.label[lab.language], { back });
  if (branch) lab.play();
}

/** A scenario with a trial's faults, calls and settings. */
export function changed(scenario, trial, at) {
  const { expect, ...rest } = scenario; // what was expected of the story is not expected of what one makes of it
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

// Whether the screen shows something else than what the text is about.
function away() {
  const branch = story && told.get(scenarioAt(story, number));
  return Boolean(branch) && (lab.branch !== branch || lab.cursor !== moment(branch.run, story.steps[number].at));
}

function markAway() {
  panel?.querySelector(".story-return")?.toggleAttribute("hidden", gliding || !away());
}

function render() {
  if (panel === null) return;
  if (story === null) {
    refill(
      panel,
      worded("h2", { "data-t": "story.all" }),
      worded("p.soft", { "data-t": "story.all.text" }),
      build("ol.story-list", {}, stories.map((each) => build("li", {}, storyButton(each)))),
    );
    return;
  }
  const step = story.steps[number];
  const [head, text] = step[lab.language];
  const last = number === story.steps.length - 1;
  refill(
    panel,
    button("plain.story-back-to-all", "story.others", leave),
    build("p.story-title", {}, prose(story.title[lab.language])),
    progress(),
    build("article.story-text", { "aria-live": "polite" }, build("h2", {}, prose(head)), build("p", {}, prose(text))),
    build("div.story-tries", {}, (step.tries ?? []).map(tryButton)),
    button("plain.story-return", "story.return", () => goTo(number), { hidden: true }),
    build(
      "div.story-steps",
      {},
      button("plain", "story.back", () => goTo(number - 1), { id: "story-back", disabled: number === 0 }),
      last
        ? button("primary", "story.next.story", nextStory, { id: "story-next" })
        : button("primary", "story.next", () => goTo(number + 1), { id: "story-next" }),
    ),
  );
}

function progress() {
  const dots = story.steps.map((step, index) =>
    build("button", {
      type: "button",
      class: index === number ? "dot here" : index < number ? "dot past" : "dot",
      title: plain(step[lab.language][0]),
      "aria-label": `${index + 1}/${story.steps.length}: ${plain(step[lab.language][0])}`,
      "aria-current": index === number ? "step" : false,
      onclick: () => goTo(index),
    }),
  );
  const count = t("story.step", { step: number + 1, steps: story.steps.length });
  return build("div.story-progress", {}, build("div.dots", {}, dots), build("span.soft", {}, count));
}

function tryButton(trial) {
  return build("button.try", { type: "button", onclick: () => attempt(trial) }, trial.label[lab.language]);
}

function nextStory() {
  const index = stories.indexOf(story);
  tell(stories[(index + 1) % stories.length].name);
}

function leave() {
  story = null;
  number = 0;
  render();
}

/** The button that begins a story. */
export function storyButton(each) {
  return build(
    "button.story-card",
    { type: "button", onclick: () => tell(each.name) },
    icon(GLYPH),
    build("span", {}, build("strong", {}, prose(each.title[lab.language])), build("small", {}, t("story.steps", { steps: each.steps.length }))),
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
