// Step mode: what may happen next is a list, and whoever watches chooses. The steps so far are all there is to remember.

import { post } from "./api.js";
import { build, button, refill, worded } from "./build.js";
import { InstanceForm } from "./instance.js";
import { lab } from "./lab.js";
import { has, t } from "./text.js";

const GLYPH = "M5 4 V16 M9 4.5 L16 10 L9 15.5 Z";
const FAULTS = new Set(["crash", "recover", "lose", "double", "overtake", "mistake"]);

let panel = null;
let form = null;
let steps = [];
let answer = null;
let continued = null; // the branch whose schedule is continued
let origin = null; // the branch that was on the screen before
let placed = null; // the branch of the steps
let placing = false; // while the steps so far come on the screen
let asking = 0;
let ends = [];

/** A message as a diagram writes it: `Candidate(7)`. */
function letter({ type, fields }) {
  const values = Object.values(fields ?? {});
  return values.length ? `${type}(${values.map((value) => (typeof value === "object" ? JSON.stringify(value) : value)).join(", ")})` : type;
}

/** What may happen, in a sentence. */
function sentence({ label, kind, process, subject, message }) {
  const key = `step.${kind}`;
  if (!has(key)) return label;
  return t(key, { process, subject, message: message ? letter(message) : "", from: message?.sender });
}

async function ask(taken, more = {}) {
  const turn = ++asking;
  panel?.setAttribute("aria-busy", "true");
  try {
    const said = await post("/api/step", { ...instance(), steps: taken, ...more });
    if (turn !== asking) return;
    answer = said;
    steps = said.steps;
    placing = true;
    placed = lab.showRun(said.run, { title: () => t("step.title"), at: said.run.events.length - 1 });
    placing = false;
    render();
  } catch (error) {
    lab.report(error);
  } finally {
    if (turn === asking) panel?.removeAttribute("aria-busy");
  }
}

// What is stepped through: what the fields say, where everybody may start whenever it likes; or, as long as they are left
// alone, just what the schedule on the screen was made in.
function instance() {
  if (continued === null) return form.instance({ starts: "step" });
  return continued.code === undefined ? { scenario: continued.scenario } : { scenario: continued.scenario, code: continued.code };
}

function chance() {
  return Math.floor(Math.random() * 1e9);
}

function choice(option) {
  const fault = FAULTS.has(option.kind);
  return build(
    fault ? "button.choice.fault" : "button.choice",
    { type: "button", "data-label": option.label, onclick: () => ask([...steps, option.label]) },
    build("span", {}, sentence(option)),
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
      button("primary", "step.chance", () => ask(steps, { seed: chance() }), { id: "step-chance", disabled: !options.length }),
      button("plain", "step.until", () => ask(steps, { seed: chance(), until: "property" }), { id: "step-until", disabled: !usual.length }),
      button("plain", "step.undo", () => ask(steps.slice(0, -1)), { id: "step-undo", disabled: !steps.length }),
      button("plain", "step.again", () => ask([]), { id: "step-again", disabled: !steps.length }),
    ),
    build("p.soft", {}, t(options.length ? "step.count" : "step.over", { steps: steps.length, options: options.length })),
    build("div.choices", { id: "step-choices" }, usual.map(choice)),
    faults.length ? worded("h3", { "data-t": "step.faults" }) : "",
    build("div.choices", {}, faults.map(choice)),
  );
}

function begin() {
  steps = [];
  answer = null;
  if (lab.branch === null || lab.live) {
    refill(panel, worded("p.soft", { "data-t": "mode.nothing" }));
    return;
  }
  if (lab.branch !== placed) origin = lab.branch;
  const schedule = lab.branch.scenario.schedule;
  continued = schedule ? lab.branch : null;
  form = new InstanceForm({
    small: false,
    changed() {
      continued = null;
      ask([]);
    },
  });
  if (schedule) form.timing.value = schedule.timing ?? "";
  for (const input of schedule ? form.counts : []) input.value = schedule[input.name] ?? 0;
  refill(
    panel,
    build("details.step-limits", {}, worded("summary", { "data-t": "step.limits" }), form.element),
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
        if (!placing) begin(); // another run is on the screen: its steps are to be chosen now
      }),
    ];
    begin();
  },
  unmount() {
    for (const end of ends) end();
    panel.classList.remove("in-step");
    panel = null;
    asking += 1;
    if (!steps.length && lab.branch === placed && origin !== null) lab.withdraw(placed, origin);
    origin = placed = null;
  },
};
