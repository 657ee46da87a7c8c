// The form for what is stepped through or checked: the algorithm on the screen, with a size and limits, without the faults and
// delays of its scenario. Any order of events is possible, and a fault may strike at any moment, up to a number of times. A
// check may also ask about every set of starters, every order of the ids and every graph.

import { entryOf } from "../store/catalogue.js";
import { lab } from "../store/lab.js";
import { build, buildField } from "../widgets/elements.js";

const SIZES = { ring: 5, complete: 3, tree: 4 }; // small enough to explore all runs
const USUAL_SIZE = 4;
const COUNTS = ["crashes", "recoveries", "losses", "doubles"];
const ENTRIES = ["", "1", "2", "3", "any"];
const FOR_EVER = -1;

/** The fields that describe an instance; `instance()` reads them: `{scenario, limits, code}`, and more in a check. */
export class InstanceForm {
  constructor({ forCheck, changed }) {
    const entry = entryOf(lab.branch?.scenario.algorithm);
    const size = lab.run?.ids.length ?? USUAL_SIZE;
    const usual = SIZES[entry?.topology] ?? USUAL_SIZE;
    const kind = lab.run?.kind;
    this.branch = lab.branch;
    this.ids = lab.run?.ids ?? [];
    this.size = build("input", { type: "number", min: 1, max: 20, value: forCheck ? Math.min(size, usual) : size, name: "n" });
    this.timing = buildSelect("timing", ["", "async", "ordered", "bounded"], (name) => `limits.timing.${name || "usual"}`);
    this.counts = COUNTS.map((name) => build("input", { type: "number", min: 0, max: 9, value: 0, name }));
    this.entries = buildSelect("entries", ENTRIES, (name) => (/\d/.test(name) ? null : `limits.entries.${name || "usual"}`));
    this.starters = forCheck && kind === "election" ? this.buildStarters() : null;
    this.orders = forCheck && entry?.topology === "ring" ? buildTick("orders") : null;
    this.graphs = forCheck && entry?.topology === "any" ? buildTick("graphs") : null;
    this.element = build(
      "div.limits",
      { onchange: changed },
      buildField("limits.n", this.size),
      buildField("limits.timing", this.timing),
      this.starters ? buildField("limits.starters", this.starters) : null,
      kind === "mutex" ? buildField("limits.entries", this.entries) : null,
      COUNTS.map((name, index) => buildField(`limits.${name}`, this.counts[index])),
      this.orders ? buildField("limits.orders", this.orders) : null,
      this.graphs ? buildField("limits.graphs", this.graphs) : null,
    );
  }

  /** Who starts: as in the scenario on the screen, or every set of processes. */
  buildStarters() {
    const { starters = "all" } = this.branch.scenario;
    const named = ["all", "one"].includes(starters) ? [] : [JSON.stringify(starters)];
    const select = buildSelect("starters", [...named, "all", "one", "any"], (name) => (named.includes(name) ? null : `limits.starters.${name}`));
    select.value = named[0] ?? starters;
    return select;
  }

  instance(more = {}) {
    const { algorithm, parameters, layers, network, detection } = this.branch.scenario;
    const n = Number(this.size.value);
    const scenario = { algorithm, topology: this.topology(n) };
    if (parameters) scenario.parameters = parameters;
    if (layers) scenario.layers = layers;
    if (detection !== undefined) scenario.detection = detection;
    if (network?.fifo === false) scenario.network = { fifo: false };
    const starters = this.chosenStarters();
    if (starters !== undefined && !(Array.isArray(starters) && n !== this.ids.length)) scenario.starters = starters;
    const limits = { ...more };
    if (this.starters?.value === "any") limits.anybody = true;
    if (this.timing.value) limits.timing = this.timing.value;
    COUNTS.forEach((name, index) => {
      if (Number(this.counts[index].value)) limits[name] = Number(this.counts[index].value);
    });
    if (this.entries.value) limits.entries = this.entries.value === "any" ? FOR_EVER : Number(this.entries.value);
    const asked = { scenario, limits };
    if (this.orders?.checked) asked.all_orders = true;
    if (this.graphs?.checked) asked.all_graphs = true;
    return this.branch.code === undefined ? asked : { ...asked, code: this.branch.code };
  }

  chosenStarters() {
    const chosen = this.starters?.value;
    if (chosen === undefined) return this.branch.scenario.starters;
    if (chosen === "any") return undefined;
    return ["all", "one"].includes(chosen) ? chosen : this.branch.scenario.starters;
  }

  topology(n) {
    const { kind, order, edges } = this.branch.scenario.topology ?? {};
    if (this.orders?.checked || this.graphs?.checked) return { n };
    if (n === this.ids.length) return edges ? { ids: this.ids, edges } : { ...(kind ? { kind } : {}), ids: this.ids };
    return { ...(kind ? { kind } : {}), n, ...(order ? { order } : {}) };
  }
}

/** A list to choose from; `key` is the words for a value, null: the value itself. */
function buildSelect(name, values, key) {
  const option = (value) => build("option", { value, "data-t": key(value) }, key(value) === null ? value : null);
  return build("select", { name }, values.map(option));
}

function buildTick(name) {
  return build("input", { type: "checkbox", name });
}
