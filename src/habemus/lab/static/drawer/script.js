// The script sheet: the faults and calls of the run as lines, or the whole scenario as JSON, to be read and edited.

import { parseScript, writeScript } from "../faults/script.js";
import { lab } from "../store/lab.js";
import { describeError, makeError, t } from "../words/text.js";

/** The sheet where the script, or the whole scenario, is edited. */
export class ScriptSheet {
  constructor() {
    this.element = document.createElement("div");
    this.element.className = "script";
    this.element.innerHTML = `
      <p class="soft" data-t="script.explained"></p>
      <div class="row"><div class="chips" role="group">
        <button type="button" data-kind="lines" aria-pressed="true" data-t="script.lines"></button>
        <button type="button" data-kind="whole" aria-pressed="false" data-t="script.whole"></button>
      </div></div>
      <textarea id="script" spellcheck="false" data-t-label="script"></textarea>
      <p class="problem" role="alert" hidden></p>
      <div class="row">
        <button type="button" class="primary" id="run-script" data-t="script.run" data-t-title="script.run.title"></button>
        <button type="button" class="plain" id="revert-script" data-t="script.revert"></button>
      </div>`;
    this.text = this.element.querySelector("textarea");
    this.problem = this.element.querySelector(".problem");
    this.kind = "lines";
    this.error = null;
    const chips = this.element.querySelectorAll("[data-kind]");
    for (const chip of chips) {
      chip.addEventListener("click", () => {
        this.kind = chip.dataset.kind;
        for (const other of chips) other.setAttribute("aria-pressed", String(other === chip));
        this.fill();
      });
    }
    this.element.querySelector("#run-script").addEventListener("click", () => this.run());
    this.element.querySelector("#revert-script").addEventListener("click", () => this.fill());
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.run();
    });
  }

  fill() {
    this.showError(null);
    this.branch = lab.branch;
    if (!lab.branch) return;
    this.text.value = this.currentText();
  }

  currentText() {
    const { scenario } = lab.branch;
    return this.kind === "lines" ? writeScript(scenario) : JSON.stringify(scenario, null, 2);
  }

  /** Show the script of the branch, unless it is being edited. */
  update() {
    if (this.branch !== lab.branch) this.fill();
    this.showError(this.error);
  }

  /** Show an error of the script; null removes it. */
  showError(error) {
    this.error = error;
    this.problem.hidden = error === null;
    this.problem.textContent = error === null ? "" : describeError(error);
  }

  async run() {
    this.showError(null);
    try {
      const label = () => t("script.edited");
      if (this.kind === "lines") {
        const { faults, workload } = parseScript(this.text.value);
        await lab.fork((scenario) => withScript(scenario, faults, workload), label, { quiet: true, back: true });
      } else {
        const scenario = parseWhole(this.text.value);
        await lab.fork(() => scenario, label, { quiet: true, back: true });
      }
    } catch (error) {
      this.showError(error);
    }
  }
}

function withScript(scenario, faults, workload) {
  const changed = { ...scenario, faults, workload };
  if (!faults.length) delete changed.faults;
  if (!workload.length) delete changed.workload;
  if (workload.length && !(scenario.workload ?? []).length && lab.run.kind === "mutex" && !scenario.demand) {
    changed.demand = { kind: "one-each" };
  }
  return changed;
}

function parseWhole(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw makeError("script.whole.unreadable", { said: error.message });
  }
}
