// What is a reasonable time-out? Its expected cost, C·p against E·T; and for bully false elections against downtime.

import { post, stream } from "../store/api.js";
import { build, buildButton, buildField, buildWorded } from "../widgets/elements.js";
import { describeError, formatNumber, t, formatDecimal } from "../words/text.js";
import { drawCurves } from "./curves.js";

const [BLUE, VERMILLION, INK, GOLD] = ["#0072B2", "#D55E00", "var(--ink)", "#E69F00"];
const WIDTH = 760;
const asked = { delay: "lognormal:50:0.5", wait_cost: 1, mistake_cost: 10000 };
const measured = { delay: "lognormal:20:0.6", seeds: 5 };
let advice = null;
let rows = null;
let failure = null;
let stop = null;
let progress = null;

const round = (value) => formatNumber(Number(value.toPrecision(4)));

function buildInput(values, name, type) {
  const input = build("input", { id: `timeout-${name}`, type, value: values[name] });
  input.addEventListener("input", () => (values[name] = type === "number" ? Number(input.value) : input.value));
  return buildField(`timeout.${name}`, input);
}

async function calculate(render) {
  failure = null;
  try {
    advice = await post("/api/timeout", asked);
  } catch (error) {
    failure = error;
    advice = null;
  }
  render();
}

function buildAdvice() {
  const { best, break_even: even, curve } = advice;
  const over = (name) => curve.map((point) => [point.timeout, point[name]]);
  const picture = drawCurves(
    [
      { name: "E·T", ink: BLUE, points: over("waiting") },
      { name: "C·p(T)", ink: VERMILLION, points: over("mistakes") },
      { name: t("timeout.cost"), ink: INK, points: over("cost") },
    ],
    {
      width: WIDTH,
      across: t("timeout.across"),
      upward: t("timeout.cost"),
      most: Math.max(2.5 * best.cost, 1.1 * curve.at(-1).cost),
      marks: [{ at: best.timeout, name: `T = ${round(best.timeout)}`, ink: GOLD }],
    },
  );
  return [
    build("h2", {}, t("timeout.best", { timeout: round(best.timeout), p: formatDecimal(best.p.toPrecision(3)), cost: round(best.cost) })),
    build("figure.measure-figure", { id: "timeout-plot" }, picture),
    build("p.soft", {}, t("timeout.rule", { timeout: round(even.timeout) })),
  ];
}

/** The form and the answer of the calculation; `render` is called when there is another one. */
export function buildTimeout(render) {
  if (advice === null && failure === null) calculate(render);
  return [
    buildWorded("p.soft", { "data-t": "timeout.text" }),
    build(
      "div.own-tools",
      {},
      buildInput(asked, "delay", "text"),
      buildInput(asked, "wait_cost", "number"),
      buildInput(asked, "mistake_cost", "number"),
      buildButton("primary", "quorum.run", () => calculate(render), { id: "timeout-run" }),
    ),
    failure ? build("p.own-said", { role: "alert" }, describeError(failure)) : "",
    ...(advice ? buildAdvice() : []),
  ];
}

function measure(render) {
  failure = null;
  progress = { done: 0, of: 1 };
  const end = () => {
    stop = null;
    render();
  };
  stop = stream("/api/timeouts", measured, {
    progress(said) {
      progress = said;
      render();
    },
    result(said) {
      rows = said.rows;
      end();
    },
    error(error) {
      failure = error;
      end();
    },
  });
  render();
}

function buildRows() {
  const plot = (name, ink) =>
    drawCurves([{ name: "", ink, dots: true, points: rows.filter((row) => row[name] !== null).map((row) => [row.timeout, row[name]]) }], {
      width: WIDTH,
      height: 200,
      across: t("timeout.across"),
      upward: t(`timeout.table.${name}`),
    });
  const heads = ["timeout", "false_elections", "downtime", "two_leaders"].map((name) => buildWorded("th.right", { "data-t": `timeout.table.${name}` }));
  const cells = (row) => [round(row.timeout), round(row.false_elections), row.downtime === null ? "–" : round(row.downtime), `${row.two_leaders} / ${row.runs}`];
  const body = rows.map((row) => build("tr", {}, cells(row).map((text) => build("td.right", {}, text))));
  return [
    build("figure.measure-figure", { id: "false-elections" }, plot("false_elections", VERMILLION)),
    build("figure.measure-figure", { id: "downtimes" }, plot("downtime", BLUE)),
    build("div.table-box", {}, build("table.measure-table", {}, build("thead", {}, build("tr", {}, heads)), build("tbody", {}, body))),
  ];
}

/** The same for the time-outs of bully, which are measured. */
export function buildElectionTimeout(render) {
  const abandon = () => {
    stop();
    stop = null;
    render();
  };
  return [
    buildWorded("p.soft", { "data-t": "timeout.bully.text" }),
    build(
      "div.own-tools",
      {},
      buildInput(measured, "delay", "text"),
      buildInput(measured, "seeds", "number"),
      stop === null
        ? buildButton("primary", "measure.run", () => measure(render), { id: "timeouts-run" })
        : buildButton("plain", "measure.stop", abandon),
    ),
    stop ? build("p.soft", {}, `${formatNumber(progress.done)} / ${formatNumber(progress.of)}`) : "",
    failure ? build("p.own-said", { role: "alert" }, describeError(failure)) : "",
    ...(rows ? buildRows() : []),
  ];
}
