// The source of the algorithm, with the clause that the cursor's event ran lit up.

import { get } from "./api.js";
import { lab } from "./lab.js";
import { t } from "./text.js";

const TOKENS = /("""[\s\S]*?"""|'''[\s\S]*?'''|[rfb]?"(?:[^"\\\n]|\\.)*"|[rfb]?'(?:[^'\\\n]|\\.)*')|(#[^\n]*)|(@[\w.]+)|\b(and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|if|import|in|is|lambda|match|case|not|or|pass|raise|return|try|while|with|yield|None|True|False|self)\b/g;

const sources = new Map(); // algorithm name -> what the server says of it

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
    if (!sources.has(key)) sources.set(key, code ? own(code) : get(`/api/source/${encodeURIComponent(name)}`).catch(() => null));
    const source = await sources.get(key);
    if (!this.element.isConnected || this.current().name !== name) return;
    if (this.shown !== key) this.show(key, name, source);
    this.highlight(source, clause);
  }

  show(key, name, source) {
    this.shown = key;
    this.title.textContent = source ? `${source.file.split("/").pop()}` : t("source.none", { name });
    this.code.innerHTML = source ? coloured(source.text) : "";
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
    const line = this.code.children[first - 1];
    const sheet = this.element.parentElement;
    const visible = sheet && line && line.offsetTop > sheet.scrollTop + 20 && this.code.children[last - 1].offsetTop < sheet.scrollTop + sheet.clientHeight - 40;
    if (sheet && line && !visible) sheet.scrollTop = line.offsetTop - sheet.offsetTop - 60;
  }
}

/** One's own code, with the lines of each method found by its indentation. */
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

/** Python as HTML, a line at a time. */
export function coloured(text) {
  const escape = (part) => part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const names = ["string", "comment", "decorator", "keyword"];
  let html = "";
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    html += escape(text.slice(at, match.index));
    const kind = names[match.slice(1).findIndex((group) => group !== undefined)];
    html += match[0].split("\n").map((line) => `<span class="${kind}">${escape(line)}</span>`).join("\n");
    at = match.index + match[0].length;
  }
  html += escape(text.slice(at));
  return html
    .split("\n")
    .map((line, k) => `<span class="line" data-number="${k + 1}">${line || " "}</span>`)
    .join("");
}
