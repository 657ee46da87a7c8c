// The risk of a quorum whose coordinators may forget: its derivation step by step, and what other sizes would give.

import { post } from "../store/api.js";
import { build, buildButton, buildField, buildWorded } from "../widgets/elements.js";
import { describeError, formatNumber, t, formatDecimal } from "../words/text.js";

const asked = { n: 32, m: 24, p: "0.0001" }; // the example of the lecture notes
let answer = null;
let failure = null;

async function calculate(render) {
  failure = null;
  try {
    answer = await post("/api/quorum", { n: asked.n, m: asked.m || null, p: asked.p });
  } catch (error) {
    failure = error;
    answer = null;
  }
  render();
}

function buildDerivation() {
  return build(
    "ol.derivation",
    { id: "derivation" },
    answer.derivation.map(({ step, formula, numbers, result }) =>
      build(
        "li",
        {},
        build("p", {}, t(`quorum.${step}`)),
        build("p.formula", {}, formula),
        build("p.formula.soft", {}, formatDecimal(`${numbers} = `), build("strong", {}, formatDecimal(result))),
      ),
    ),
  );
}

function buildSizes() {
  const heads = ["m", "overlap", "spare", "p_v"].map((name) => buildWorded("th.right", { "data-t": `quorum.table.${name}` }));
  const rows = answer.sizes.map((size) =>
    build(
      "tr",
      { "aria-current": size.m === answer.m },
      [size.m, size.overlap, size.spare].map((count) => build("td.right", {}, formatNumber(count))),
      build("td.right", {}, formatDecimal(size.p_v)),
    ),
  );
  const table = build("table.measure-table", {}, build("thead", {}, build("tr", {}, heads)), build("tbody", {}, rows));
  return build("div.table-box", {}, table);
}

function buildInput(name, more) {
  const input = build("input", { id: `quorum-${name}`, value: asked[name] ?? "", ...more });
  input.addEventListener("input", () => (asked[name] = more.type === "number" ? Number(input.value) : input.value.replace(",", ".")));
  return buildField(`quorum.${name}`, input);
}

/** The form and the answer; `render` is called when there is another one. */
export function buildQuorum(render) {
  const form = build(
    "div.own-tools",
    {},
    buildInput("n", { type: "number", min: 1, max: 1000 }),
    buildInput("m", { type: "number", min: 1, max: 1000 }),
    buildInput("p", { type: "text" }),
    buildButton("primary", "quorum.run", () => calculate(render), { id: "quorum-run" }),
  );
  if (answer === null && failure === null) calculate(render);
  return [
    buildWorded("p.soft", { "data-t": "quorum.text" }),
    form,
    failure ? build("p.own-said", { role: "alert" }, describeError(failure)) : "",
    answer ? [build("h2", {}, t("quorum.result", { m: answer.m, n: asked.n, result: formatDecimal(answer.p_v) })), buildDerivation(), buildSizes()] : "",
  ].flat();
}
