// Measure mode: the cost of algorithms against n, and a comparison of algorithms under the faults of the run on the screen.

import { stream } from "../store/api.js";
import { mottoOf } from "../store/catalogue.js";
import { lab } from "../store/lab.js";
import { build, buildButton, buildField, buildWorded, refill } from "../widgets/elements.js";
import { describeError, formatNumber, makeError, t, translateSentence, formatDecimal } from "../words/text.js";
import { drawPlot, inkOf } from "./plot.js";
import { buildQuorum } from "./quorum.js";
import { buildElectionTimeout, buildTimeout } from "./timeout.js";

const GLYPH = "M3.5 3.5 V16.5 H16.5 M6.5 13 L9.5 9 L12 11 L16 5";
const KINDS = ["election", "mutex", "detector"];
const PRESELECTED = 2; // of the usual ones, those that run on the network
const USUAL = { election: ["chang-roberts", "franklin", "bully", "raft-election"], mutex: ["ricart-agrawala", "suzuki-kasami"], detector: ["heartbeat", "swim"] };
const TREES = ["tree", "line", "star"];
const PLAIN = 8;
const CALCULATIONS = { quorum: buildQuorum, timeout: buildTimeout, bully: buildElectionTimeout };
const COMPARED = {
  election: ["messages", "values", "time", "rounds", "downtime", "leader_changes"],
  mutex: ["messages_per_entry", "waiting", "longest_wait", "handover", "throughput", "overtaken"],
  detector: ["detection_time", "mistakes", "mistake_duration", "load"],
};

let panel = null;
let what = "sweep";
let kind = "election";
let chosen = new Set(USUAL.election.slice(0, PRESELECTED));
let sizes = "8, 16, 32, 64, 128";
let seeds = 20;
let stop = null;
let progress = null;
let swept = null;
let compared = null;
let failure = null; // the error of the last measurement
let basedOn = () => ""; // the title of the scenario of the comparison
let ends = [];

/** The network that a comparison takes place on: that of the run on the screen; null if each has its own. */
function givenNetwork() {
  if (what !== "compare" || lab.run?.kind !== kind || lab.branch?.shown) return null;
  const { kind: network, edges } = lab.branch.scenario.topology ?? {};
  return edges ? "given" : (network ?? null);
}

/** Whether an algorithm runs on the network of the comparison. */
function canRun({ topology }) {
  const network = givenNetwork();
  if (network === null || topology === "any") return true;
  return topology === "tree" ? TREES.includes(network) : topology === network;
}

/** Choose algorithms to begin with: the one on the screen if it is compared, and usual ones that run on its network. */
function preselect() {
  const onScreen = givenNetwork() === null ? [] : [lab.branch.scenario.algorithm];
  const possible = algorithms().filter(canRun).map((entry) => entry.name);
  const wanted = [...onScreen, ...USUAL[kind], ...possible].filter((name) => possible.includes(name));
  chosen = new Set([...new Set(wanted)].slice(0, PRESELECTED));
}

function algorithms() {
  return (lab.catalogue?.algorithms ?? []).filter((entry) => entry.kind === kind);
}

function chooseKind(name) {
  kind = name;
  if (kind === "detector") what = "compare";
  preselect();
  swept = compared = null;
  render();
}

function readSizes() {
  const found = sizes.split(/[\s,;]+/).filter(Boolean).map(Number);
  if (!found.length || found.some((n) => !Number.isInteger(n) || n < 1)) throw makeError("measure.sizes.wrong");
  return found;
}

function measure() {
  failure = null;
  try {
    if (!chosen.size) throw makeError("measure.none");
    const names = [...chosen];
    const asked = what;
    const body = what === "sweep" ? { algorithms: names, n: readSizes(), seeds } : { algorithms: names, scenario: baseScenario(names[0]), seeds };
    progress = { done: 0, of: 1 };
    const ended = () => {
      stop = null;
      progress = null;
    };
    stop = stream(`/api/${what}`, body, {
      progress(said) {
        progress = said;
        showProgress();
      },
      result(said) {
        ended();
        if (asked === "sweep") swept = said;
        else compared = said;
        render();
      },
      error(error) {
        ended();
        failure = error;
        render();
      },
    });
  } catch (error) {
    failure = error;
  }
  render();
}

// The scenario of the run on the screen, if it is of this kind; else a plain one.
function baseScenario(name) {
  const onScreen = lab.run?.kind === kind && !lab.branch?.shown;
  const scenario = onScreen ? structuredClone(lab.branch.scenario) : { algorithm: name, topology: { n: PLAIN } };
  const { branch } = lab;
  basedOn = onScreen
    ? () => `${branch.title || branch.scenario.algorithm}, n = ${branch.run.ids.length}`
    : () => t("measure.plain", { n: PLAIN });
  for (const own of ["parameters", "layers", "expect", "schedule", "title", "shows"]) delete scenario[own];
  return { ...scenario, algorithm: name };
}

function stopMeasuring() {
  stop?.();
  stop = null;
  progress = null;
  render();
}

function showProgress() {
  const bar = panel?.querySelector("progress");
  if (!bar || progress === null) return;
  bar.max = progress.of;
  bar.value = progress.done;
  panel.querySelector(".measure-count").textContent = `${formatNumber(progress.done)} / ${formatNumber(progress.of)}`;
}

function seriesOf(result) {
  const names = [...new Set(result.points.map((row) => row.algorithm))];
  return names.map((name) => {
    const own = result.points.filter((row) => row.algorithm === name && row.mean !== null);
    const formulas = Object.keys(own[0]?.bounds ?? {});
    return {
      name,
      means: own.map((row) => [row.n, row.mean]),
      range: own.map((row) => [row.n, row.least, row.most]),
      bounds: names.length > 2 ? [] : formulas.map((formula) => ({ formula: translateSentence(formula), values: own.map((row) => [row.n, row.bounds[formula]]) })),
    };
  });
}

function formatValue(value) {
  if (value === null || value === undefined) return "–";
  return formatNumber(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

function buildSweep() {
  const series = seriesOf(swept);
  const width = Math.max(320, Math.min(900, panel.clientWidth - 32));
  const upward = t(kind === "mutex" ? "measure.upward.mutex" : "measure.upward");
  const picture = drawPlot(series, { width, across: t("measure.across"), upward });
  const mark = (name) => build("i.swatch", { style: `background:${inkOf(series.findIndex((each) => each.name === name))}` });
  const rows = swept.points.map((row) =>
    build(
      "tr",
      {},
      build("td", {}, mark(row.algorithm), row.algorithm),
      [formatNumber(row.n), formatValue(row.mean), formatValue(row.least), formatValue(row.most)].map((text) => build("td.right", {}, text)),
      build("td.wide", {}, Object.entries(row.bounds).map(([formula, value]) => `${translateSentence(formula)} = ${formatValue(value)}`).join(" · ") || "–"),
      build("td.right", {}, row.violations ? `✗ ${row.violations}` : "–"),
    ),
  );
  const heads = ["algorithm", "n", "mean", "least", "most", "bounds", "violations"].map((key) => buildWorded("th", { "data-t": `measure.${key}` }));
  return [
    build("figure.measure-figure", { id: "sweep-plot" }, picture),
    buildFits(),
    build("div.table-box", {}, build("table.measure-table", {}, build("thead", {}, build("tr", {}, heads)), build("tbody", {}, rows))),
  ];
}

function buildFits() {
  const best = Object.entries(swept.fits ?? {}).filter(([, each]) => each.length).map(([name, each]) => [name, each[0]]);
  if (!best.length) return "";
  const said = best.map(([name, { factor, growth, constant, r2 }]) => {
    const rest = `${constant < 0 ? "−" : "+"} ${formatDecimal(Math.abs(constant).toPrecision(3))}`;
    return `${name} ≈ ${formatDecimal(factor.toPrecision(3))} ${growth} ${rest} (R² ${formatDecimal(r2.toFixed(3))})`;
  });
  return build("p.soft", {}, `${t("measure.fits")}: ${said.join("; ")}`);
}

/** Whether the algorithm of a row promises a property. */
function promises(row, property) {
  return row.promised.includes(property);
}

function buildComparison() {
  const rows = compared.rows;
  const measures = COMPARED[kind].filter((name) => rows.some((row) => row[name] !== null && row[name] !== undefined));
  const violated = [...new Set(rows.flatMap((row) => Object.keys(row.violations)))].sort();
  const bars = (title, values, property) => {
    const most = Math.max(...values.map((value) => value ?? 0)) || 1;
    const colour = (index) => {
      if (property === undefined) return inkOf(index);
      return promises(rows[index], property) ? "var(--violation)" : "var(--lane)";
    };
    const look = (index) => `width:${((values[index] ?? 0) / most) * 100}%;background:${colour(index)}`;
    return build(
      "section.bars",
      {},
      build("h3", {}, title),
      rows.map((row, index) =>
        build(
          "div.bar-row",
          {},
          build("span.bar-name", {}, row.algorithm),
          build("span.bar-space", {}, build("span.bar", { style: look(index) })),
          build("span.bar-value", {}, property !== undefined && values[index] ? `${values[index]} / ${row.runs}` : formatValue(values[index])),
        ),
      ),
    );
  };
  return [
    build("p.soft", {}, t("measure.compared", { runs: rows[0]?.runs ?? 0, scenario: basedOn() })),
    build(
      "div.bar-grid",
      { id: "compare-bars" },
      measures.map((name) => bars(t(`compare.${name}`), rows.map((row) => row[name]))),
      violated.map((name) => {
        const promised = rows.every((row) => promises(row, name) || !row.violations[name]);
        const title = t(promised ? "compare.violates" : "compare.observed", { property: t(`property.${name}`) });
        return bars(title, rows.map((row) => row.violations[name] ?? 0), name);
      }),
    ),
  ];
}

function buildOption(group, value, current, pick) {
  const more = { "aria-pressed": String(value === current), "data-value": value };
  return buildButton("pill", `measure.${group}.${value}`, () => pick(value), more);
}

function buildPills() {
  const pick = (value) => {
    what = value;
    if (what === "compare" && KINDS.includes(lab.run?.kind)) kind = lab.run.kind;
    if (what === "sweep" && kind === "detector") kind = "election";
    if (!(what in CALCULATIONS)) preselect();
    render();
  };
  const kinds = what in CALCULATIONS ? [] : KINDS.filter((name) => what === "compare" || name !== "detector");
  return build(
    "div.pills",
    {},
    ["sweep", "compare", ...Object.keys(CALCULATIONS)].map((name) => buildOption("what", name, what, pick)),
    build("div.pills.together", {}, kinds.map((name) => buildOption("kind", name, kind, chooseKind))),
  );
}

function render() {
  if (panel === null) return;
  if (what in CALCULATIONS) {
    refill(panel, buildPills(), CALCULATIONS[what](render));
    return;
  }
  const names = algorithms().map((entry) =>
    build(
      "button.pill.mono",
      {
        type: "button",
        "aria-pressed": String(chosen.has(entry.name)),
        title: canRun(entry) ? mottoOf(entry) || entry.title : t("measure.impossible", { network: t(`topology.${givenNetwork()}`) }),
        disabled: !canRun(entry),
        onclick() {
          if (!chosen.delete(entry.name)) chosen.add(entry.name);
          render();
        },
      },
      entry.name,
    ),
  );
  const listOfSizes = build("input", { type: "text", id: "measure-sizes", value: sizes });
  listOfSizes.addEventListener("input", () => (sizes = listOfSizes.value));
  const many = build("input", { type: "number", id: "measure-seeds", min: 1, max: 1000, value: seeds });
  many.addEventListener("input", () => (seeds = Number(many.value)));
  const result = what === "sweep" ? swept && buildSweep() : compared && buildComparison();
  refill(
    panel,
    buildPills(),
    buildWorded("p.soft", { "data-t": `measure.${what}.text` }),
    build("div.pills", { id: "measure-algorithms" }, names),
    build(
      "div.own-tools",
      {},
      what === "sweep" ? buildField("measure.sizes", listOfSizes) : null,
      buildField("measure.seeds", many),
      stop === null
        ? buildButton("primary", "measure.run", measure, { id: "measure-run" })
        : buildButton("plain", "measure.stop", stopMeasuring, { id: "measure-stop" }),
    ),
    stop === null ? "" : build("div.measure-progress", {}, build("progress", {}), build("span.measure-count.soft")),
    failure ? build("p.own-said", { role: "alert" }, describeError(failure)) : "",
    build("div.measure-result", { "aria-live": "polite" }, result || ""),
  );
  showProgress();
}

export const measureMode = {
  glyph: GLYPH,
  size: "full",
  mount(element) {
    panel = element;
    panel.classList.add("in-measure");
    lab.pause();
    if (what === "compare") preselect(); // another run may be on the screen
    ends = [lab.on("language", render), lab.on("catalogue", render)];
    render();
  },
  unmount() {
    for (const end of ends) end();
    stop?.();
    stop = null;
    progress = null;
    panel.classList.remove("in-measure");
    panel = null;
  },
};
