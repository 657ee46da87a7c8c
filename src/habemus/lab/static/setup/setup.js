// The form that says what to run. It shows the scenario of the branch, and makes a new one of it: at once when another
// algorithm is chosen, else when Run is pressed; until then Run is marked, because something waits for it.
//
// What the form does not show (layers, faults, workload, parameters) is kept if it still makes sense: another algorithm
// starts from an empty scenario, another size or topology drops what refers to the old processes.

import { same } from "../model/values.js";
import { entryOf, mottoOf } from "../store/catalogue.js";
import { lab } from "../store/lab.js";
import { enable } from "../widgets/elements.js";
import { t, translateSentence } from "../words/text.js";
import { Options } from "./options.js";

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
      this.run();
    });
    this.inputs.algorithm.addEventListener("change", () => {
      this.chooseAlgorithm();
      this.runChosen();
    });
    for (const name of ["input", "change"]) form.addEventListener(name, () => this.markWaiting());
    lab.on("catalogue", () => this.fill());
    lab.on("branch", () => this.show());
    lab.on("language", () => {
      this.fill();
      this.show();
    });
    lab.on("busy", (busy) => enable(form.querySelector("#run"), !busy));
  }

  /** Run what the form describes; resolves to its branch. */
  run() {
    const scenario = this.scenario();
    const own = scenario.algorithm === lab.branch?.scenario.algorithm ? lab.branch.code : undefined;
    return lab.openScenario(scenario, { code: own });
  }

  /** Run the chosen algorithm; of several that are chosen one after the other, the last. The next run takes its place. */
  async runChosen() {
    lab.pause();
    this.again = this.choosing;
    if (this.choosing) return;
    this.choosing = true;
    this.disableOthers(true); // what would be typed now would be lost when the run arrives
    do {
      this.again = false;
      const branch = await this.run();
      if (branch) branch.welcome = true;
    } while (this.again);
    this.choosing = false;
    this.disableOthers(false);
  }

  disableOthers(off) {
    for (const [name, input] of Object.entries(this.inputs)) if (name !== "algorithm") input.disabled = off;
    this.inputs.n.disabled = off || this.inputs.topology.value === "given";
    this.options.element.inert = off;
  }

  /** Show whether something waits for Run, and whether the run on the screen is of another algorithm. */
  markWaiting() {
    const waiting = Boolean(this.described) && !same(this.scenario(), this.described);
    this.form.toggleAttribute("data-waiting", waiting);
    document.body.toggleAttribute("data-outdated", waiting && this.inputs.algorithm.value !== this.shown.algorithm);
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
    const given = scenario.topology ?? {};
    const hasEdges = given.edges || given.file;
    const hasIds = given.ids || hasEdges;
    this.choose(topology, hasEdges ? "given" : (given.kind ?? run.topology), hasEdges ? t("topology.given") : undefined);
    n.value = run.ids.length;
    n.disabled = Boolean(hasEdges);
    this.choose(order, hasIds ? "given" : (given.order ?? "random"), hasIds ? t("order.given") : undefined);
    delay.value = scenario.network?.delay ?? "unit";
    loss.value = Math.round((scenario.network?.loss ?? 0) * 1e6) / 1e4;
    seed.value = scenario.seed ?? 0;
    this.options.show(this.entry, scenario);
    this.shown = this.values();
    this.described = this.scenario();
    this.markWaiting();
    this.showIdea(run.warning);
  }

  /** Show what the algorithm does in one line, or the warning that an assumption of the algorithm does not hold. */
  showIdea(warning) {
    const idea = this.form.querySelector("#idea");
    const { entry } = this;
    idea.classList.toggle("warning", Boolean(warning));
    idea.textContent = warning ? translateSentence(warning) : entry ? mottoOf(entry) : "";
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

  /** The scenario that the form describes. */
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
    if (reshaped) scenario.topology = topologyOf(values, scenario.topology);
    const network = { ...(scenario.network ?? {}), delay: values.delay.trim(), loss: Number(values.loss) / 100 };
    if (network.delay === "unit") delete network.delay;
    if (!network.loss) delete network.loss;
    if (Object.keys(network).length) scenario.network = network;
    else delete scenario.network;
    scenario.seed = Number(values.seed);
    this.options.apply(scenario);
    if (base && !same(scenario, base.scenario)) delete scenario.expect; // it was expected of another run
    return scenario;
  }
}

function topologyOf(values, before) {
  if (values.topology === "given") return before;
  const topology = { kind: values.topology, n: Number(values.n) };
  return values.order === "given" || values.order === "random" ? topology : { ...topology, order: values.order };
}

function field(name, tag, attributes = "") {
  const end = tag === "select" ? "></select>" : " />";
  const inner = `<${tag} id="setup-${name}" ${attributes}${end}`;
  return `<label class="field ${name}"><span data-t="setup.${name}"></span>${inner}</label>`;
}

function option(value, label) {
  return Object.assign(document.createElement("option"), { value, textContent: label });
}
