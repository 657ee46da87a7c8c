// The script: every fault and call of the scenario as a line that can be read and changed.
//
//   at 31 crash 5                 at 60 cut 1-4, 2-4        at 30 drop message 12
//   at 90 recover 5               at 60 cut 1>4             at 30 delay message 12 by 20
//   at 40 skew 3 by 50            at 70 partition 1 2 | 3   at 10 election 3, 4
//   at 40 drift 3 rate 1.5        at 90 heal                at 10 acquire 2 hold 30

import { lab } from "./lab.js";
import { mistaken, spoken, t } from "./text.js";

/** The faults and calls of a scenario as text. */
export function scriptOf(scenario) {
  const lines = [
    ...(scenario.faults ?? []).map((fault) => ({ at: fault.at, text: faultLine(fault) })),
    ...(scenario.workload ?? []).map((call) => ({ at: call.at, text: callLine(call) })),
  ];
  return lines
    .map((line, k) => ({ ...line, k }))
    .sort((a, b) => a.at - b.at || a.k - b.k)
    .map((line) => `at ${line.at} ${line.text}`)
    .join("\n");
}

function faultLine(fault) {
  const name = fault.do;
  if (fault.message !== undefined) {
    return `${name} message ${fault.message}${fault.by === undefined ? "" : ` by ${fault.by}`}`;
  }
  if (name === "partition") return `partition ${fault.groups.map((group) => group.join(" ")).join(" | ")}`;
  if (fault.links) {
    const links = fault.links.map(([a, b]) => `${a}${fault.one_way ? ">" : "-"}${b}`).join(", ");
    return [name, links, fault.delay ?? ""].filter(Boolean).join(" ");
  }
  if (name === "skew") return `skew ${fault.process} by ${fault.by}`;
  if (name === "drift") return `drift ${fault.process} rate ${fault.rate}`;
  return fault.process === undefined ? name : `${name} ${fault.process}`;
}

function callLine(call) {
  return `${call.call ?? "election"} ${call.who.join(", ")}${call.hold ? ` hold ${call.hold}` : ""}`;
}

/** Text as faults and calls; throws an Error that names the line which cannot be read. */
export function parseScript(text) {
  const faults = [];
  const workload = [];
  text.split("\n").forEach((raw, k) => {
    const line = raw.replace(/#.*/, "").trim();
    if (!line) return;
    const entry = parseLine(line);
    if (entry === null) throw mistaken("script.unreadable", { line: k + 1, text: line });
    if (entry.do) faults.push(entry);
    else workload.push(entry);
  });
  return { faults, workload };
}

function parseWhole(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw mistaken("script.whole.unreadable", { said: error.message });
  }
}

function parseLine(line) {
  const [, time, word, rest] = /^at\s+(\d+)\s+([a-z_]+)\s*(.*)$/i.exec(line) ?? [];
  if (time === undefined) return null;
  const at = Number(time);
  const name = word.toLowerCase();
  const read = (pattern) => pattern.exec(rest);
  if (["drop", "deliver", "duplicate", "delay"].includes(name)) {
    const found = read(/^(?:message\s+)?(\d+)(?:\s+by\s+(\d+))?$/i);
    if (!found || (name === "delay") !== (found[2] !== undefined)) return null;
    return { do: name, at, message: Number(found[1]), ...(found[2] === undefined ? {} : { by: Number(found[2]) }) };
  }
  if (["crash", "recover", "pause", "resume"].includes(name)) {
    const found = read(/^(\d+|leader|crashed|paused)$/i);
    return found && { do: name, at, process: /^\d/.test(found[1]) ? Number(found[1]) : found[1].toLowerCase() };
  }
  if (name === "skew") {
    const found = read(/^(\d+)\s+by\s+(-?\d+)$/i);
    return found && { do: name, at, process: Number(found[1]), by: Number(found[2]) };
  }
  if (name === "drift") {
    const found = read(/^(\d+)\s+rate\s+([\d.]+)$/i);
    return found && { do: name, at, process: Number(found[1]), rate: Number(found[2]) };
  }
  if (name === "partition") {
    const groups = rest.split("|").map((group) => group.trim().split(/[\s,]+/).filter(Boolean));
    if (groups.length < 2 || groups.flat().some((id) => !/^\d+$/.test(id))) return null;
    return { do: name, at, groups: groups.map((group) => group.map(Number)) };
  }
  if (name === "heal" && !rest) return { do: name, at };
  if (["cut", "heal", "slow"].includes(name)) return parseLinks(name, at, rest);
  const found = read(/^([\d,\s]+?)(?:\s+hold\s+(\d+))?$/i);
  if (!found) return null;
  const who = found[1].split(/[\s,]+/).filter(Boolean).map(Number);
  return { at, who, call: name, ...(found[2] ? { hold: Number(found[2]) } : {}) };
}

function parseLinks(name, at, rest) {
  const [, written, delay] = /^((?:\d+\s*[->]\s*\d+[\s,]*)+)\s*([a-z]\S*)?$/i.exec(rest) ?? [];
  if (written === undefined || (name === "slow") !== (delay !== undefined)) return null;
  const found = [...written.matchAll(/(\d+)\s*([->])\s*(\d+)/g)];
  const ways = new Set(found.map((link) => link[2]));
  if (ways.size !== 1 || (ways.has(">") && name === "heal")) return null;
  const links = found.map((link) => [Number(link[1]), Number(link[3])]);
  return { do: name, at, links, ...(delay ? { delay } : {}), ...(ways.has(">") ? { one_way: true } : {}) };
}

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
    this.mistake = null;
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
    this.complain(null);
    this.branch = lab.branch;
    if (!lab.branch) return;
    this.text.value = this.written();
  }

  written() {
    const { scenario } = lab.branch;
    return this.kind === "lines" ? scriptOf(scenario) : JSON.stringify(scenario, null, 2);
  }

  /** Show the script of the branch, unless it is being edited. */
  update() {
    if (this.branch !== lab.branch) this.fill();
    this.complain(this.mistake);
  }

  /** Say what is wrong with the script; null: nothing. */
  complain(mistake) {
    this.mistake = mistake;
    this.problem.hidden = mistake === null;
    this.problem.textContent = mistake === null ? "" : spoken(mistake);
  }

  async run() {
    this.complain(null);
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
      this.complain(error);
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
