// What is stepped through or checked: the algorithm on the screen at a size and within limits, without the faults and times
// of its scenario. Here every order of events is possible, and a fault may strike at any moment, but not too often.

import { build, field } from "./build.js";
import { lab } from "./lab.js";

const SIZES = { ring: 5, complete: 3, tree: 4 }; // small enough to see all runs of
const USUAL_SIZE = 4;
const COUNTS = ["crashes", "recoveries", "losses", "doubles"];

/** The algorithm of the catalogue that is on the screen, if it is one. */
export function entryOf(name) {
  return lab.catalogue?.algorithms.find((entry) => entry.name === name) ?? null;
}

/** The fields in which an instance is described; `instance()` is what they say: `{scenario, limits, code}`. */
export class InstanceForm {
  constructor({ small, changed }) {
    const entry = entryOf(lab.branch?.scenario.algorithm);
    const size = lab.run?.ids.length ?? USUAL_SIZE;
    const usual = SIZES[entry?.topology] ?? USUAL_SIZE;
    this.branch = lab.branch;
    this.ids = lab.run?.ids ?? [];
    this.size = build("input", { type: "number", min: 1, max: 20, value: small ? Math.min(size, usual) : size, name: "n" });
    this.timing = build(
      "select",
      { name: "timing" },
      ["", "async", "ordered", "bounded"].map((name) => build("option", { value: name, "data-t": `limits.timing.${name || "usual"}` })),
    );
    this.counts = COUNTS.map((name) => build("input", { type: "number", min: 0, max: 9, value: 0, name }));
    this.entries = build("input", { type: "number", min: 1, max: 9, value: 1, name: "entries" });
    const kind = lab.run?.kind;
    this.element = build(
      "div.limits",
      { onchange: changed },
      field("limits.n", this.size),
      field("limits.timing", this.timing),
      COUNTS.map((name, index) => field(`limits.${name}`, this.counts[index])),
      kind === "mutex" ? field("limits.entries", this.entries) : null,
    );
  }

  instance(more = {}) {
    const { algorithm, parameters, layers, starters, network, detection } = this.branch.scenario;
    const n = Number(this.size.value);
    const scenario = { algorithm, topology: this.place(n) };
    if (parameters) scenario.parameters = parameters;
    if (layers) scenario.layers = layers;
    if (detection !== undefined) scenario.detection = detection;
    if (network?.fifo === false) scenario.network = { fifo: false };
    if (starters !== undefined && !(Array.isArray(starters) && n !== this.ids.length)) scenario.starters = starters;
    const limits = { ...more };
    if (this.timing.value) limits.timing = this.timing.value;
    COUNTS.forEach((name, index) => {
      if (Number(this.counts[index].value)) limits[name] = Number(this.counts[index].value);
    });
    if (Number(this.entries.value) > 1) limits.entries = Number(this.entries.value);
    return this.branch.code === undefined ? { scenario, limits } : { scenario, limits, code: this.branch.code };
  }

  place(n) {
    const { kind, order, edges } = this.branch.scenario.topology ?? {};
    if (n === this.ids.length) return edges ? { ids: this.ids, edges } : { ...(kind ? { kind } : {}), ids: this.ids };
    return { ...(kind ? { kind } : {}), n, ...(order ? { order } : {}) };
  }
}
