// The bar that says what to run. It shows the scenario of the branch and makes a new one of it when Run is pressed.
//
// What the bar does not show (layers, faults, workload, parameters) stays as it is as long as it still makes sense: a
// change of the algorithm begins afresh, a change of size or shape drops what named the old processes.

import { lab } from "./lab.js";
import { Options, entryOf, mottoOf } from "./options.js";
import { t, told } from "./text.js";

const INPUTS = ["algorithm", "topology", "n", "order", "delay", "loss", "seed"];
const KINDS = ["election", "mutex", "detector"];
const DELAYS = ["unit", "uniform:1:10", "exponential:10", "lognormal:10:0.5", "constant:5"];

export class Setup {
  constructor(form) {
    this.form = form;
    form.innerHTML = `
      ${field("algorithm", "select")}
      ${field("topology", "select")}
      ${field("n", "input", 'type="number" min="1" max="1000" required')}
      ${field("order", "select")}
      ${field("delay", "input", 'list="delays" spellcheck="false" required')}
      ${field("loss", "input", 'type="number" min="0" max="100" step="any" required')}
      ${field("seed", "input", 'type="number" step="1" required')}
      <datalist id="delays">${DELAYS.map((delay) => `<option value="${delay}"></option>`).join("")}</datalist>
      <details id="options" class="options"></details>
      <button class="primary run" id="run" data-t="run" data-t-title="run.title"></button>
      <div class="idea" id="idea"></div>`;
    this.inputs = Object.fromEntries(INPUTS.map((name) => [name, form.querySelector(`#setup-${name}`)]));
    this.options = new Options(form.querySelector("#options"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.options.element.open = false;
      const scenario = this.scenario();
      const own = scenario.algorithm === lab.branch?.scenario.algorithm ? lab.branch.code : undefined;
      lab.openScenario(scenario, { code: own });
    });
    this.inputs.algorithm.addEventListener("change", () => this.chooseAlgorithm());
    lab.on("catalogue", () => this.fill());
    lab.on("branch", () => this.show());
    lab.on("language", () => {
      this.fill();
      this.show();
    });
    lab.on("busy", (busy) => (form.querySelector("#run").disabled = busy));
  }

  get entry() {
    return entryOf(this.inputs.algorithm.value);
  }

  fill() {
    if (!lab.catalogue) return;
    const { algorithm, topology, order } = this.inputs;
    const kept = [algorithm.value, topology.value, order.value];
    algorithm.replaceChildren(
      ...KINDS.map((kind) => {
        const group = document.createElement("optgroup");
        group.label = t(`kind.${kind}`);
        const entries = lab.catalogue.algorithms.filter((entry) => entry.kind === kind);
        group.append(...entries.map((entry) => option(entry.name, entry.name)));
        return group;
      }),
    );
    topology.replaceChildren(...lab.catalogue.topologies.map((name) => option(name, t(`topology.${name}`))));
    order.replaceChildren(...lab.catalogue.orders.map((name) => option(name, t(`order.${name}`))));
    [algorithm, topology, order].forEach((input, k) => kept[k] && this.choose(input, kept[k]));
  }

  /** Show the scenario of the branch. */
  show() {
    const { branch, run } = lab;
    if (!branch || !lab.catalogue) return;
    const { scenario } = branch;
    const { algorithm, topology, n, order, delay, loss, seed } = this.inputs;
    this.choose(algorithm, scenario.algorithm);
    const place = scenario.topology ?? {};
    const given = place.edges || place.file;
    const placed = place.ids || given;
    this.choose(topology, given ? "given" : (place.kind ?? run.topology), given ? t("topology.given") : undefined);
    n.value = run.ids.length;
    n.disabled = Boolean(given);
    this.choose(order, placed ? "given" : (place.order ?? "random"), placed ? t("order.given") : undefined);
    delay.value = scenario.network?.delay ?? "unit";
    loss.value = Math.round((scenario.network?.loss ?? 0) * 1e6) / 1e4;
    seed.value = scenario.seed ?? 0;
    this.options.show(this.entry, scenario);
    this.shown = this.values();
    this.showIdea(run.warning);
  }

  /** What the algorithm does, in a line; or what it takes for granted and does not get. */
  showIdea(warning) {
    const idea = this.form.querySelector("#idea");
    const { entry } = this;
    idea.classList.toggle("warning", Boolean(warning));
    idea.textContent = warning ? told(warning) : entry ? mottoOf(entry) : "";
    idea.title = idea.textContent;
  }

  choose(select, value, label) {
    select.querySelector("[data-extra]")?.remove();
    if (![...select.options].some((known) => known.value === value)) {
      const extra = option(value, label ?? value);
      extra.dataset.extra = "true";
      select.prepend(extra);
    }
    select.value = value;
  }

  chooseAlgorithm() {
    const { entry, inputs } = this;
    if (!entry) return;
    this.choose(inputs.topology, entry.topology === "any" ? "random" : entry.topology);
    this.choose(inputs.order, "random");
    inputs.n.disabled = false;
    if (Number(inputs.n.value) > 100) inputs.n.value = 8;
    this.options.show(entry);
    this.showIdea();
  }

  values() {
    return Object.fromEntries(Object.entries(this.inputs).map(([name, input]) => [name, input.value]));
  }

  /** The scenario that the bar asks for. */
  scenario() {
    const values = this.values();
    const old = this.shown;
    const base = lab.branch && !lab.branch.shown && old?.algorithm === values.algorithm ? lab.branch : null;
    const scenario = base ? structuredClone(base.scenario) : { algorithm: values.algorithm };
    const reshaped = !base || ["topology", "n", "order"].some((name) => values[name] !== old[name]);
    if (base && reshaped) {
      for (const named of ["faults", "workload", "expect", "schedule", "title", "shows"]) delete scenario[named];
      if (Array.isArray(scenario.starters)) delete scenario.starters;
      if (scenario.demand?.hot !== undefined) delete scenario.demand.hot;
      if (scenario.network?.links) delete scenario.network.links;
    }
    if (reshaped) scenario.topology = placeOf(values, scenario.topology);
    const network = { ...(scenario.network ?? {}), delay: values.delay.trim(), loss: Number(values.loss) / 100 };
    if (network.delay === "unit") delete network.delay;
    if (!network.loss) delete network.loss;
    if (Object.keys(network).length) scenario.network = network;
    else delete scenario.network;
    scenario.seed = Number(values.seed);
    this.options.apply(scenario);
    if (base && !same(scenario, base.scenario)) delete scenario.expect; // that was said of another run
    return scenario;
  }
}

function placeOf(values, before) {
  if (values.topology === "given") return before;
  const place = { kind: values.topology, n: Number(values.n) };
  return values.order === "given" || values.order === "random" ? place : { ...place, order: values.order };
}

function field(name, tag, attributes = "") {
  const end = tag === "select" ? "></select>" : " />";
  const inner = `<${tag} id="setup-${name}" ${attributes}${end}`;
  return `<label class="field ${name}"><span data-t="setup.${name}"></span>${inner}</label>`;
}

function option(value, label) {
  return Object.assign(document.createElement("option"), { value, textContent: label });
}

function same(one, two) {
  return JSON.stringify(one ?? {}) === JSON.stringify(two ?? {});
}
