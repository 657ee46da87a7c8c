// Check mode: all runs of a small instance instead of one. A counterexample can be opened on the screen.

import { post, stream } from "../store/api.js";
import { lab } from "../store/lab.js";
import { build, buildButton, buildWorded, enable, refill } from "../widgets/elements.js";
import assumptions from "../words/pt/assumptions.js";
import { explainViolation } from "../words/sentences.js";
import { describeError, formatNumber, makeError, t, translateSentence } from "../words/text.js";
import { InstanceForm } from "./instance.js";

const GLYPH = "M10 2.8 L16 5 V10 C16 13.6 13.5 16 10 17.2 C6.5 16 4 13.6 4 10 V5 Z M7 10 L9.3 12.3 L13.2 7.8";
const MARKS = { true: "✓", false: "✗", null: "?" };

let panel = null;
let form = null;
let stop = null; // ends the search
let latest = null; // the last {progress}, {result} or {error}
let ends = [];
let opening = false; // while the counterexample is being opened: the verdict stays

function reset() {
  if (opening) return;
  stop?.();
  stop = null;
  latest = null;
  render();
}

function check() {
  latest = { progress: null };
  const ended = (what) => {
    stop = null;
    latest = what;
    show();
    panel?.querySelector(".check-body")?.scrollIntoView({ block: "nearest" });
  };
  stop = stream("/api/check", form.instance(), {
    progress(progress) {
      latest = { progress };
      show();
    },
    result(result) {
      ended({ result });
      if (result.counterexample) explain(result);
    },
    error: (error) => ended({ error }),
    end() {
      if (stop !== null) ended({ error: makeError("check.ended") });
    },
  });
  show();
}

function stopSearch() {
  stop?.();
  stop = null;
  latest = null;
  show();
}

async function openCounterexample(result) {
  const scenario = result.counterexample;
  const code = form.branch.code;
  const title = () => t("check.title", { property: t(`property.${violatedProperty(result)}`) });
  opening = true;
  await lab.openScenario(scenario, { title, code });
  opening = false;
}

// Replays the counterexample, for its witness, which can be explained in both languages.
async function explain(result) {
  const { code } = form.branch;
  const run = await post("/api/run", { scenario: result.counterexample, code }).catch(() => null);
  result.violation = run?.properties.find((property) => property.name === violatedProperty(result));
  show();
}

/** Translate what the checker assumes and covers to the language of the page. */
function translateAssumption(assumption) {
  if (lab.language === "en") return assumption;
  return assumptions.reduce((text, [english, portuguese]) => text.replace(english, portuguese), assumption);
}

function violatedProperty(result) {
  return Object.keys(result.properties).find((name) => result.properties[name] === false);
}

function buildFigure(key, value) {
  return build("div.figure", {}, build("strong", {}, value), buildWorded("span", { "data-t": key }));
}

function formatBytes(value) {
  return value >= 1e9 ? `${(value / 1e9).toFixed(1)} GB` : `${formatNumber(Math.round(value / 1e6))} MB`;
}

function buildProgress(progress) {
  if (progress === null) return [buildWorded("p.soft", { "data-t": "check.begins" })];
  return [
    build(
      "div.figures",
      { id: "check-progress" },
      buildFigure("check.states", formatNumber(progress.states)),
      buildFigure("check.rate", formatNumber(Math.round(progress.rate))),
      buildFigure("check.depth", formatNumber(progress.depth)),
      buildFigure("check.frontier", formatNumber(progress.frontier)),
      buildFigure("check.memory", formatBytes(progress.memory)),
      buildFigure("check.seconds", formatNumber(Math.round(progress.seconds * 10) / 10)),
    ),
  ];
}

/** Whether the algorithm promises a property. */
function promises(result, name) {
  return result.promised.includes(name);
}

function classOf(result, name, holds) {
  if (!promises(result, name)) return "observed";
  return holds === false ? "violated" : holds ? "holds" : "pending";
}

function buildResult(result) {
  const steps = result.counterexample?.schedule?.steps.length ?? 0;
  const properties = Object.entries(result.properties).map(([name, holds]) =>
    build("li", { class: classOf(result, name, holds) }, `${MARKS[holds]} ${t(`property.${name}`)}`),
  );
  const observed = result.verdict === "violated" && !promises(result, violatedProperty(result));
  const verdict = observed ? "observed" : result.verdict;
  return [
    build("p", { id: "check-verdict", class: `verdict ${verdict}` }, t(`check.${verdict}`)),
    build("p.soft", { id: "check-scope" }, [`n = ${result.n}`, ...result.scope.slice(0, -1).map(translateAssumption)].join(" · ")),
    build("ul.verdicts", {}, properties),
    build("p.soft", {}, translateAssumption(result.assumption), result.bounded_by_limits && result.verdict === "holds" ? ` · ${t("check.limited")}` : ""),
    result.violation ? build(observed ? "p.witness.observed" : "p.witness", {}, explainViolation(result.violation, lab.language)) : "",
    result.stopped ? build("p.soft", {}, translateSentence(result.stopped)) : "",
    result.counterexample
      ? build("button.primary", { type: "button", id: "check-open", onclick: () => openCounterexample(result) }, t("check.open", { steps }))
      : "",
    build(
      "div.figures",
      {},
      buildFigure("check.states", formatNumber(result.states)),
      buildFigure("check.depth", formatNumber(result.depth)),
      buildFigure("check.seconds", formatNumber(Math.round(result.seconds * 100) / 100)),
      result.instances > 1 ? buildFigure("check.instances", formatNumber(result.instances)) : null,
    ),
  ];
}

function show() {
  if (panel === null) return;
  const body = panel.querySelector(".check-body");
  if (body === null) return;
  const under = stop !== null;
  const [begin, end] = ["#check-run", "#check-stop"].map((id) => panel.querySelector(id));
  const held = [begin, end].includes(document.activeElement);
  begin.hidden = under;
  enable(begin, !lab.busy); // another algorithm may be on its way to the screen
  end.hidden = !under;
  if (held) (under ? end : begin).focus(); // a button that is hidden loses the focus
  if (latest === null) body.replaceChildren();
  else if (latest.error) body.replaceChildren(build("p.own-latest", { role: "alert" }, describeError(latest.error)));
  else if (latest.result) body.replaceChildren(...buildResult(latest.result));
  else body.replaceChildren(...buildProgress(latest.progress));
}

function render() {
  if (lab.branch === null || lab.live) {
    refill(panel, buildWorded("p.soft", { "data-t": "mode.nothing" }));
    return;
  }
  form = new InstanceForm({ forCheck: true, changed: () => {} });
  refill(
    panel,
    build("h2", {}, lab.branch.scenario.algorithm),
    buildWorded("p.soft", { "data-t": "check.text" }),
    form.element,
    build(
      "div.step-tools",
      {},
      buildButton("primary", "check.run", check, { id: "check-run" }),
      buildButton("plain", "check.stop", stopSearch, { id: "check-stop", hidden: true }),
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
    ends = [lab.on("run", reset), lab.on("language", show), lab.on("busy", show)];
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
