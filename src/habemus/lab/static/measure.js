// Measure mode: what algorithms cost as n grows, and how they fare side by side under the faults on the screen.

import { stream } from "./api.js";
import { build, button, field, refill, worded } from "./build.js";
import { lab } from "./lab.js";
import { mottoOf } from "./options.js";
import { inkOf, plot } from "./plot.js";
import { mistaken, number, spoken, t, told } from "./text.js";

const GLYPH = "M3.5 3.5 V16.5 H16.5 M6.5 13 L9.5 9 L12 11 L16 5";
const KINDS = ["election", "mutex", "detector"];
const USUAL = { election: ["chang-roberts", "franklin"], mutex: ["ricart-agrawala", "suzuki-kasami"], detector: ["heartbeat", "swim"] };
const PLAIN = 8;
const COMPARED = {
  election: ["messages", "values", "time", "rounds", "downtime", "leader_changes"],
  mutex: ["messages_per_entry", "waiting", "longest_wait", "handover", "throughput", "overtaken"],
  detector: ["detection_time", "mistakes", "mistake_duration", "load"],
};

let panel = null;
let what = "sweep";
let kind = "election";
let chosen = new Set(USUAL.election);
let sizes = "8, 16, 32, 64, 128";
let seeds = 20;
let stop = null;
let progress = null;
let swept = null;
let compared = null;
let complaint = null; // what was wrong
let based = () => ""; // what the algorithms were compared in
let ends = [];

function algorithms() {
  return (lab.catalogue?.algorithms ?? []).filter((entry) => entry.kind === kind);
}

function choose(name) {
  kind = name;
  chosen = new Set(USUAL[kind].filter((each) => algorithms().some((entry) => entry.name === each)));
  if (kind === "detector") what = "compare";
  swept = compared = null;
  render();
}

function numbers() {
  const found = sizes.split(/[\s,;]+/).filter(Boolean).map(Number);
  if (!found.length || found.some((n) => !Number.isInteger(n) || n < 1)) throw mistaken("measure.sizes.wrong");
  return found;
}

function go() {
  complaint = null;
  try {
    if (!chosen.size) throw mistaken("measure.none");
    const names = [...chosen];
    const asked = what;
    const body = what === "sweep" ? { algorithms: names, n: numbers(), seeds } : { algorithms: names, scenario: basis(names[0]), seeds };
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
        complaint = error;
        render();
      },
    });
  } catch (error) {
    complaint = error;
  }
  render();
}

// The scenario on the screen, if these algorithms can run in it; else a plain one.
function basis(name) {
  const onScreen = lab.run?.kind === kind && !lab.branch?.shown;
  const scenario = onScreen ? structuredClone(lab.branch.scenario) : { algorithm: name, topology: { n: PLAIN } };
  const { branch } = lab;
  based = onScreen
    ? () => `${branch.title || branch.scenario.algorithm}, n = ${branch.run.ids.length}`
    : () => t("measure.plain", { n: PLAIN });
  for (const own of ["parameters", "layers", "expect", "schedule", "title", "shows"]) delete scenario[own];
  return { ...scenario, algorithm: name };
}

function halt() {
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
  panel.querySelector(".measure-count").textContent = `${number(progress.done)} / ${number(progress.of)}`;
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
      bounds: names.length > 2 ? [] : formulas.map((formula) => ({ formula: told(formula), values: own.map((row) => [row.n, row.bounds[formula]]) })),
    };
  });
}

function short(value) {
  if (value === null || value === undefined) return "–";
  return number(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

function sweepView() {
  const series = seriesOf(swept);
  const width = Math.max(320, Math.min(900, panel.clientWidth - 32));
  const upward = t(kind === "mutex" ? "measure.upward.mutex" : "measure.upward");
  const picture = plot(series, { width, across: t("measure.across"), upward });
  const mark = (name) => build("i.swatch", { style: `background:${inkOf(series.findIndex((each) => each.name === name))}` });
  const rows = swept.points.map((row) =>
    build(
      "tr",
      {},
      build("td", {}, mark(row.algorithm), row.algorithm),
      [number(row.n), short(row.mean), short(row.least), short(row.most)].map((text) => build("td.right", {}, text)),
      build("td.wide", {}, Object.entries(row.bounds).map(([formula, value]) => `${told(formula)} = ${short(value)}`).join(" · ") || "–"),
      build("td.right", {}, row.violations ? `✗ ${row.violations}` : "–"),
    ),
  );
  const heads = ["algorithm", "n", "mean", "least", "most", "bounds", "violations"].map((key) => worded("th", { "data-t": `measure.${key}` }));
  return [
    build("figure.measure-figure", { id: "sweep-plot" }, picture),
    fits(),
    build("div.table-box", {}, build("table.measure-table", {}, build("thead", {}, build("tr", {}, heads)), build("tbody", {}, rows))),
  ];
}

function fits() {
  const best = Object.entries(swept.fits ?? {}).filter(([, each]) => each.length).map(([name, each]) => [name, each[0]]);
  if (!best.length) return "";
  const said = best.map(([name, { factor, growth, constant, r2 }]) => {
    const rest = `${constant < 0 ? "−" : "+"} ${Math.abs(constant).toPrecision(3)}`;
    return `${name} ≈ ${factor.toPrecision(3)} ${growth} ${rest} (R² ${r2.toFixed(3)})`;
  });
  return build("p.soft", {}, `${t("measure.fits")}: ${said.join("; ")}`);
}

function compareView() {
  const rows = compared.rows;
  const measures = COMPARED[kind].filter((name) => rows.some((row) => row[name] !== null && row[name] !== undefined));
  const violated = [...new Set(rows.flatMap((row) => Object.keys(row.violations)))].sort();
  const bars = (title, values, runs) => {
    const most = Math.max(...values.map((value) => value ?? 0)) || 1;
    const look = (place) => `width:${((values[place] ?? 0) / most) * 100}%;background:${runs ? "var(--violation)" : inkOf(place)}`;
    return build(
      "section.bars",
      {},
      build("h3", {}, title),
      rows.map((row, place) =>
        build(
          "div.bar-row",
          {},
          build("span.bar-name", {}, row.algorithm),
          build("span.bar-space", {}, build("span.bar", { style: look(place) })),
          build("span.bar-value", {}, runs && values[place] ? `${values[place]} / ${row.runs}` : short(values[place])),
        ),
      ),
    );
  };
  return [
    build("p.soft", {}, t("measure.compared", { runs: rows[0]?.runs ?? 0, scenario: based() })),
    build(
      "div.bar-grid",
      { id: "compare-bars" },
      measures.map((name) => bars(t(`compare.${name}`), rows.map((row) => row[name]))),
      violated.map((name) => bars(t("compare.violates", { property: t(`property.${name}`) }), rows.map((row) => row.violations[name] ?? 0), true)),
    ),
  ];
}

function option(group, value, current, pick) {
  const more = { "aria-pressed": String(value === current), "data-value": value };
  return button("pill", `measure.${group}.${value}`, () => pick(value), more);
}

function render() {
  if (panel === null) return;
  const names = algorithms().map((entry) =>
    build(
      "button.pill.mono",
      {
        type: "button",
        "aria-pressed": String(chosen.has(entry.name)),
        title: mottoOf(entry) || entry.title,
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
  const result = what === "sweep" ? swept && sweepView() : compared && compareView();
  refill(
    panel,
    build(
      "div.pills",
      {},
      ["sweep", "compare"].map((name) =>
        option("what", name, what, (value) => {
          what = value;
          if (what === "sweep" && kind === "detector") choose("election");
          render();
        }),
      ),
      build("span.gap"),
      KINDS.filter((name) => what === "compare" || name !== "detector").map((name) => option("kind", name, kind, choose)),
    ),
    worded("p.soft", { "data-t": `measure.${what}.text` }),
    build("div.pills", { id: "measure-algorithms" }, names),
    build(
      "div.own-tools",
      {},
      what === "sweep" ? field("measure.sizes", listOfSizes) : null,
      field("measure.seeds", many),
      stop === null
        ? button("primary", "measure.run", go, { id: "measure-run" })
        : button("plain", "measure.stop", halt, { id: "measure-stop" }),
    ),
    stop === null ? "" : build("div.measure-progress", {}, build("progress", {}), build("span.measure-count.soft")),
    complaint ? build("p.own-said", { role: "alert" }, spoken(complaint)) : "",
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
