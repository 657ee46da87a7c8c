// The options of the form: the algorithm's parameters, who starts, the demand for the lock, and details of the network. An
// empty field means the default, which is its placeholder.

import { build } from "../widgets/elements.js";
import { t, translate } from "../words/text.js";

const DEMANDS = ["one-each", "poisson", "hot-spot", "all-at-once", "idle"];

export class Options {
  /** `element` is a <details>; its content is made for an entry of the catalogue and a scenario. */
  constructor(element) {
    this.element = element;
    element.innerHTML = `<summary data-t="options" data-t-title="options.title"></summary><div class="drop"></div>`;
    this.body = element.querySelector(".drop");
    this.fields = new Map();
    document.addEventListener("pointerdown", (event) => {
      if (element.open && !element.contains(event.target)) element.open = false;
    });
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && element.open) {
        element.open = false;
        element.querySelector("summary").focus();
        event.stopPropagation();
      }
    });
  }

  /** Show the options of an algorithm, with their values in a scenario. */
  show(entry, scenario = {}) {
    this.fields.clear();
    this.body.replaceChildren();
    const layers = (scenario.layers ?? []).map((layer) => layer.algorithm);
    if (layers.length) this.note(t("options.layers", { names: layers.join(", ") }));
    const parameters = entry?.parameters ?? [];
    if (parameters.length) this.heading("options.parameters");
    const set = scenario.parameters ?? {};
    for (const parameter of parameters) this.add(`parameters.${parameter.name}`, parameter, set[parameter.name]);
    this.heading("options.run");
    const starters = Array.isArray(scenario.starters) ? scenario.starters.join(", ") : scenario.starters;
    if (!["mutex", "detector"].includes(entry?.kind)) this.add("starters", { type: "str", default: "all" }, starters);
    if (entry?.kind === "mutex") {
      this.add("demand.kind", { type: "str", default: "one-each", choices: DEMANDS }, scenario.demand?.kind);
      this.add("demand.hold", { type: "str", default: "constant:10" }, scenario.demand?.hold);
    }
    this.add("until", { type: "int", default: "" }, scenario.until);
    this.add("detection", { type: "int", default: "" }, scenario.detection);
    this.add("network.duplication", { type: "float", default: 0 }, scenario.network?.duplication);
    this.add("network.fifo", { type: "bool", default: true }, scenario.network?.fifo);
    translate(this.body);
  }

  heading(key) {
    this.body.append(Object.assign(document.createElement("h2"), { textContent: t(key) }));
  }

  note(text) {
    this.body.append(Object.assign(document.createElement("p"), { className: "soft", textContent: text }));
  }

  add(path, { type, default: fallback, choices }, value) {
    const label = document.createElement("label");
    label.className = "field option";
    const name = document.createElement("span");
    const named = `option.${path}`;
    if (path.startsWith("parameters.")) name.textContent = path.slice("parameters.".length).replaceAll("_", " ");
    else name.dataset.t = named;
    const input = document.createElement(choices ? "select" : "input");
    input.id = `option-${path.replaceAll(".", "-")}`;
    if (type === "bool") {
      input.type = "checkbox";
      input.checked = value ?? fallback;
    } else if (choices) {
      input.append(...choices.map((choice) => build("option", { value: choice }, choice)));
      input.value = value ?? fallback;
    } else {
      input.placeholder = writeValue(fallback);
      input.value = value === undefined || value === null ? "" : writeValue(value);
      input.spellcheck = false;
    }
    this.fields.set(path, { input, type, fallback });
    label.append(name, input);
    this.body.append(label);
  }

  /** Put the values of the fields into a scenario; defaults are left out. */
  apply(scenario) {
    for (const [path, { input, type, fallback }] of this.fields) {
      const value = type === "bool" ? input.checked : readValue(input.value.trim(), type);
      const usual = value === undefined || JSON.stringify(value) === JSON.stringify(fallback);
      const [room, name] = path.includes(".") ? path.split(".") : [null, path];
      const target = room ? { ...(scenario[room] ?? {}) } : scenario;
      if (usual) delete target[name];
      else target[name] = value;
      if (room && Object.keys(target).length) scenario[room] = target;
      else if (room) delete scenario[room];
    }
    return scenario;
  }
}

function writeValue(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function readValue(text, type) {
  if (text === "") return undefined;
  if (/^[[{]/.test(text) || (type !== "str" && /^-?\d/.test(text))) {
    try {
      return JSON.parse(text);
    } catch {
      return readList(text) ?? text;
    }
  }
  return /^\d+$/.test(text) ? Number(text) : (readList(text) ?? text);
}

function readList(text) {
  return /^\d+(\s*[,\s]\s*\d+)+$/.test(text) ? text.split(/[\s,]+/).map(Number) : null;
}
