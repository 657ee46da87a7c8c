// Check mode: all runs of a small instance, not one. What is found to break a property can be watched right here.

import { post, stream } from "./api.js";
import { build, button, refill, worded } from "./build.js";
import { InstanceForm } from "./instance.js";
import { lab } from "./lab.js";
import { explanation } from "./sentences.js";
import { mistaken, number, spoken, t, told } from "./text.js";
import assumptions from "./words/assumptions.js";

const GLYPH = "M10 2.8 L16 5 V10 C16 13.6 13.5 16 10 17.2 C6.5 16 4 13.6 4 10 V5 Z M7 10 L9.3 12.3 L13.2 7.8";
const MARKS = { true: "✓", false: "✗", null: "?" };

let panel = null;
let form = null;
let stop = null; // ends the search that is under way
let said = null; // the last {progress} or {result} or {error}
let ends = [];
let opening = false; // while the counterexample comes on the screen: what was said about it stays

function begin() {
  if (opening) return;
  stop?.();
  stop = null;
  said = null;
  render();
}

function check() {
  said = { progress: null };
  const ended = (what) => {
    stop = null;
    said = what;
    show();
  };
  stop = stream("/api/check", form.instance(), {
    progress(progress) {
      said = { progress };
      show();
    },
    result(result) {
      ended({ result });
      if (result.counterexample) explain(result);
    },
    error: (error) => ended({ error }),
    end() {
      if (stop !== null) ended({ error: mistaken("check.ended") });
    },
  });
  show();
}

function halt() {
  stop?.();
  stop = null;
  said = null;
  show();
}

async function openCounterexample(result) {
  const scenario = result.counterexample;
  const code = form.branch.code;
  const title = () => t("check.title", { property: t(`property.${violated(result)}`) });
  opening = true;
  await lab.openScenario(scenario, { title, code });
  opening = false;
}

// The counterexample played once: its witness can be told in any language.
async function explain(result) {
  const { code } = form.branch;
  const run = await post("/api/run", { scenario: result.counterexample, code }).catch(() => null);
  result.broken = run?.properties.find((property) => property.name === violated(result));
  show();
}

/** An assumption of the checker in the language of the page. */
function translated(assumption) {
  if (lab.language === "en") return assumption;
  return assumptions.reduce((text, [english, portuguese]) => text.replace(english, portuguese), assumption);
}

function violated(result) {
  return Object.keys(result.properties).find((name) => result.properties[name] === false);
}

function figure(key, value) {
  return build("div.figure", {}, build("strong", {}, value), worded("span", { "data-t": key }));
}

function bytes(value) {
  return value >= 1e9 ? `${(value / 1e9).toFixed(1)} GB` : `${number(Math.round(value / 1e6))} MB`;
}

function progressView(progress) {
  if (progress === null) return [worded("p.soft", { "data-t": "check.begins" })];
  return [
    build(
      "div.figures",
      { id: "check-progress" },
      figure("check.states", number(progress.states)),
      figure("check.rate", number(Math.round(progress.rate))),
      figure("check.depth", number(progress.depth)),
      figure("check.frontier", number(progress.frontier)),
      figure("check.memory", bytes(progress.memory)),
      figure("check.seconds", number(Math.round(progress.seconds * 10) / 10)),
    ),
  ];
}

function resultView(result) {
  const steps = result.counterexample?.schedule?.steps.length ?? 0;
  const properties = Object.entries(result.properties).map(([name, holds]) =>
    build("li", { class: holds === false ? "violated" : holds ? "holds" : "pending" }, `${MARKS[holds]} ${t(`property.${name}`)}`),
  );
  return [
    build("p.verdict", { id: "check-verdict", class: `verdict ${result.verdict}` }, t(`check.${result.verdict}`)),
    build("ul.verdicts", {}, properties),
    build("p.soft", {}, translated(result.assumption), result.bounded_by_limits && result.verdict === "holds" ? ` · ${t("check.limited")}` : ""),
    result.broken ? build("p.witness", {}, explanation(result.broken, lab.language)) : "",
    result.stopped ? build("p.soft", {}, told(result.stopped)) : "",
    result.counterexample
      ? build("button.primary", { type: "button", id: "check-open", onclick: () => openCounterexample(result) }, t("check.open", { steps }))
      : "",
    build(
      "div.figures",
      {},
      figure("check.states", number(result.states)),
      figure("check.depth", number(result.depth)),
      figure("check.seconds", number(Math.round(result.seconds * 100) / 100)),
    ),
  ];
}

function show() {
  if (panel === null) return;
  const body = panel.querySelector(".check-body");
  if (body === null) return;
  const under = stop !== null;
  panel.querySelector("#check-run").hidden = under;
  panel.querySelector("#check-stop").hidden = !under;
  if (said === null) body.replaceChildren();
  else if (said.error) body.replaceChildren(build("p.own-said", { role: "alert" }, spoken(said.error)));
  else if (said.result) body.replaceChildren(...resultView(said.result));
  else body.replaceChildren(...progressView(said.progress));
}

function render() {
  if (lab.branch === null || lab.live) {
    refill(panel, worded("p.soft", { "data-t": "mode.nothing" }));
    return;
  }
  form = new InstanceForm({ small: true, changed: () => {} });
  refill(
    panel,
    build("h2", {}, lab.branch.scenario.algorithm),
    worded("p.soft", { "data-t": "check.text" }),
    form.element,
    build(
      "div.step-tools",
      {},
      button("primary", "check.run", check, { id: "check-run" }),
      button("plain", "check.stop", halt, { id: "check-stop", hidden: true }),
    ),
    build("div.check-body", { "aria-live": "polite" }),
  );
  show();
}

export const checkMode = {
  glyph: GLYPH,
  size: "side",
  mount(element) {
    panel = element;
    panel.classList.add("in-check");
    ends = [lab.on("run", begin), lab.on("language", show)];
    render();
  },
  unmount() {
    for (const end of ends) end();
    stop?.();
    stop = null;
    panel.classList.remove("in-check");
    panel = null;
  },
};
