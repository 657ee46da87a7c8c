// Step mode: what may happen next is a list, and the user chooses from it. The steps so far determine the run.

import { labelOf } from "../model/values.js";
import { post } from "../store/api.js";
import { lab } from "../store/lab.js";
import { build, buildButton, buildWorded, refill } from "../widgets/elements.js";
import { hasWords, t } from "../words/text.js";
import { InstanceForm } from "./instance.js";

const GLYPH = "M5 4 V16 M9 4.5 L16 10 L9 15.5 Z";
const FAULTS = new Set(["crash", "recover", "lose", "double", "overtake", "mistake"]);

let panel = null;
let form = null;
let steps = [];
let answer = null;
let continued = null; // the branch whose schedule is continued
let origin = null; // the branch that was on the screen before
let stepped = null; // the branch of the steps
let showing = false; // while the steps so far are being shown
let asking = 0;
let ends = [];

/** A step as a sentence. */
function describeStep({ label, kind, process, subject, message }) {
  const key = `step.${kind}`;
  if (!hasWords(key)) return label;
  return t(key, { process, subject, message: message ? labelOf(message) : "", from: message?.sender });
}

async function ask(taken, more = {}) {
  const turn = ++asking;
  panel?.setAttribute("aria-busy", "true");
  try {
    const given = await post("/api/step", { ...instance(), steps: taken, ...more });
    if (turn !== asking) return;
    answer = given;
    steps = given.steps;
    showing = true;
    stepped = lab.showRun(given.run, { title: () => t("step.title"), at: given.run.events.length - 1 });
    showing = false;
    render();
  } catch (error) {
    lab.report(error);
  } finally {
    if (turn === asking) panel?.removeAttribute("aria-busy");
  }
}

// What is stepped through: the instance of the form, in which each process may start at any moment; or, until the form is
// changed, the instance of the schedule on the screen.
function instance() {
  if (continued === null) return form.instance({ starts: "step" });
  return continued.code === undefined ? { scenario: continued.scenario } : { scenario: continued.scenario, code: continued.code };
}

function randomSeed() {
  return Math.floor(Math.random() * 1e9);
}

function buildChoice(option) {
  const fault = FAULTS.has(option.kind);
  return build(
    fault ? "button.choice.fault" : "button.choice",
    { type: "button", "data-label": option.label, onclick: () => ask([...steps, option.label]) },
    build("span", {}, describeStep(option)),
    build("code", {}, option.label),
  );
}

function render() {
  if (panel === null || answer === null) return;
  const options = answer.enabled;
  const usual = options.filter((option) => !FAULTS.has(option.kind));
  const faults = options.filter((option) => FAULTS.has(option.kind));
  refill(
    panel.querySelector(".step-body"),
    build(
      "div.step-tools",
      {},
      buildButton("primary", "step.chance", () => ask(steps, { seed: randomSeed() }), { id: "step-chance", disabled: !options.length }),
      buildButton("plain", "step.until", () => ask(steps, { seed: randomSeed(), until: "property" }), { id: "step-until", disabled: !usual.length }),
      buildButton("plain", "step.undo", () => ask(steps.slice(0, -1)), { id: "step-undo", disabled: !steps.length }),
      buildButton("plain", "step.again", () => ask([]), { id: "step-again", disabled: !steps.length }),
    ),
    build("p.soft", {}, t(options.length ? "step.count" : "step.over", { steps: steps.length, options: options.length })),
    build("div.choices", { id: "step-choices" }, usual.map(buildChoice)),
    faults.length ? buildWorded("h3", { "data-t": "step.faults" }) : "",
    build("div.choices", {}, faults.map(buildChoice)),
  );
}

function reset() {
  steps = [];
  answer = null;
  if (lab.branch === null || lab.live) {
    refill(panel, buildWorded("p.soft", { "data-t": "mode.nothing" }));
    return;
  }
  if (lab.branch !== stepped) origin = lab.branch;
  const schedule = lab.branch.scenario.schedule;
  continued = schedule ? lab.branch : null;
  form = new InstanceForm({
    forCheck: false,
    changed() {
      continued = null;
      ask([]);
    },
  });
  if (schedule) form.timing.value = schedule.timing ?? "";
  for (const input of schedule ? form.counts : []) input.value = schedule[input.name] ?? 0;
  refill(
    panel,
    build("details.step-limits", {}, buildWorded("summary", { "data-t": "step.limits" }), form.element),
    build("div.step-body"),
  );
  ask(schedule?.steps ?? []);
}

export const stepMode = {
  glyph: GLYPH,
  size: "side",
  mount(element) {
    panel = element;
    panel.classList.add("in-step");
    ends = [
      lab.on("language", render),
      lab.on("run", () => {
        if (!showing) reset(); // step through the other run that is now on the screen
      }),
    ];
    reset();
  },
  unmount() {
    for (const end of ends) end();
    panel.classList.remove("in-step");
    panel = null;
    asking += 1;
    if (!steps.length && lab.branch === stepped && origin !== null) lab.withdraw(stepped, origin);
    origin = stepped = null;
  },
};
