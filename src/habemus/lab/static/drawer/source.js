// The source sheet: the file of the algorithm, with the clause of the cursor's event highlighted.

import { get } from "../store/api.js";
import { lab } from "../store/lab.js";
import { build } from "../widgets/elements.js";
import { highlight } from "../widgets/python.js";
import { t } from "../words/text.js";

const sources = new Map(); // algorithm name -> its source as the server sent it

export class SourceSheet {
  constructor() {
    this.element = document.createElement("div");
    this.element.innerHTML = `<div class="headline"><h2></h2></div><div class="source" tabindex="0"></div>`;
    this.title = this.element.querySelector("h2");
    this.code = this.element.querySelector(".source");
  }

  /** The algorithm whose clause runs at the cursor. */
  current() {
    const { run, branch, cursor, model } = lab;
    const names = [...(branch.scenario.layers ?? []).map((layer) => layer.algorithm), branch.scenario.algorithm];
    const event = cursor >= 0 ? model.events[cursor] : null;
    const layer = event?.layer ? (run.layers ?? []).indexOf(event.layer) : -1;
    return { name: names[layer] ?? names.at(-1), clause: event?.clause ?? "" };
  }

  async update() {
    if (!lab.run) return;
    const { name, clause } = this.current();
    const { code } = lab.branch;
    const key = code ? `own ${code}` : name;
    const fetched = () => get(`/api/source/${encodeURIComponent(name)}`).catch(() => null);
    if (!sources.has(key)) sources.set(key, code ? own(code) : fetched());
    const source = await sources.get(key);
    if (!this.element.isConnected || this.current().name !== name) return;
    if (this.shown !== key) this.show(key, name, source);
    this.highlight(source, clause);
  }

  show(key, name, source) {
    this.shown = key;
    this.title.textContent = source ? `${source.file.split("/").pop()}` : t("source.none", { name });
    this.code.replaceChildren(...(source ? lines(highlight(source.text)) : []));
    this.lit = "";
  }

  highlight(source, clause) {
    if (!source) return;
    const lines = source.clauses[clause] ?? null;
    const key = lines ? lines.join("-") : "";
    if (key === this.lit) return;
    this.lit = key;
    this.code.querySelectorAll(".running").forEach((line) => line.classList.remove("running"));
    if (!lines) return;
    const [first, last] = lines;
    for (let number = first; number <= last; number++) this.code.children[number - 1]?.classList.add("running");
    const [top, bottom] = [this.code.children[first - 1], this.code.children[last - 1]];
    const sheet = this.element.parentElement;
    if (!sheet || !top || !bottom) return;
    const { scrollTop, clientHeight } = sheet;
    const inView = top.offsetTop > scrollTop + 20 && bottom.offsetTop < scrollTop + clientHeight - 40;
    if (!inView) sheet.scrollTop = top.offsetTop - sheet.offsetTop - 60;
  }
}

/** The user's own code, with the lines of each method found by its indentation. */
async function own(text) {
  const clauses = {};
  const lines = text.split("\n");
  lines.forEach((line, k) => {
    const method = /^(\s+)def (\w+)/.exec(line);
    if (!method) return;
    let first = k;
    while (first > 0 && lines[first - 1].trim().startsWith("@")) first -= 1;
    let last = k;
    for (let next = k + 1; next < lines.length; next++) {
      if (lines[next].trim() && !lines[next].startsWith(`${method[1]} `)) break;
      if (lines[next].trim()) last = next;
    }
    clauses[method[2]] = [first + 1, last + 1];
  });
  return { file: "own.py", text, clauses };
}

/** Highlighted source as one element for each line. */
function lines(nodes) {
  const made = [];
  const begin = () => {
    const line = document.createElement("span");
    line.className = "line";
    line.dataset.number = made.push(line);
    return line;
  };
  let line = begin();
  for (const node of nodes) {
    const [text, kind] = node instanceof Element ? [node.textContent, node.className] : [node, null];
    text.split("\n").forEach((part, k) => {
      if (k > 0) line = begin();
      if (part) line.append(kind ? build(`span.${kind}`, {}, part) : part);
    });
  }
  for (const empty of made.filter((one) => !one.hasChildNodes())) empty.append(" ");
  return made;
}
