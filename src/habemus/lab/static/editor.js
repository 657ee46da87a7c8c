// Your own algorithm: written here, run at once. A mistake is shown at its line, in the server's words.

import { get } from "./api.js";
import { build, button, field, worded } from "./build.js";
import { lab } from "./lab.js";
import { coloured, mainClass } from "./python.js";
import templates from "./templates.js";
import { mistaken, number, spoken, t } from "./text.js";

const GLYPH = "M7 6 L3 10 L7 14 M13 6 L17 10 L13 14 M11.5 4 L8.5 16";
const KEPT = "habemus-own-code";
const INDENT = "    ";
const USUAL_SIZE = 5;

let code = window.localStorage.getItem(KEPT) ?? templates.election;
let scenario = null; // what a link or the last run brought along: faults, size, network
let notice = "";
let mistake = null;
let parts = null;
let ends = [];

/** Open the editor with somebody's code and scenario; nothing runs before they say so. */
export function editCode(source, itsScenario, sentence = "") {
  code = source;
  scenario = itsScenario;
  notice = sentence;
  mistake = null;
  if (lab.mode === "own") render(document.getElementById("panel"));
  else lab.setMode("own");
}

function asked() {
  const name = mainClass(code);
  if (name === null) throw Object.assign(mistaken("own.no.class"), { line: 1 });
  const algorithm = `own.py:${name}`;
  const n = Number(parts.size.value);
  const base = scenario?.algorithm === algorithm ? scenario : { algorithm };
  const sameSize = base.topology?.ids?.length === n || base.topology?.n === n;
  const starters = parts.starters.value;
  return {
    ...base,
    algorithm,
    topology: sameSize ? base.topology : { n },
    ...(starters === "kept" ? {} : { starters: starters === "one" ? "one" : undefined }), // all is what an election does anyway
    seed: Number(parts.seed.value),
  };
}

async function run() {
  parts.run.disabled = true;
  try {
    const wanted = asked();
    const branch = await lab.openScenario(wanted, { code, title: mainClass(code), quiet: true });
    scenario = branch.scenario;
    mistake = null;
  } catch (error) {
    mistake = error;
  }
  if (parts === null) return;
  parts.run.disabled = false;
  showMistake();
}

// What the code printed: before its mistake if it made one, else in the run on the screen.
function showPrinted() {
  const printed = mistake ? mistake.printed : lab.branch?.code === undefined ? undefined : lab.run.printed;
  parts.printed.hidden = printed === undefined;
  if (printed === undefined) return;
  const more = printed.left_out ? [build("p.soft", {}, t("own.printed.more", { bytes: number(printed.left_out) }))] : [];
  parts.printed.replaceChildren(build("h3", {}, t("own.printed")), build("pre", { tabindex: 0 }, printed.text), ...more);
}

function showMistake() {
  showPrinted();
  const placed = mistake?.line !== undefined;
  parts.said.hidden = mistake === null || placed;
  parts.said.textContent = parts.said.hidden ? "" : spoken(mistake);
  parts.mistake.hidden = !placed;
  parts.marked.hidden = parts.mistake.hidden;
  for (const line of parts.gutter.children) line.classList.remove("wrong");
  if (parts.mistake.hidden) return;
  const line = Math.min(Math.max(mistake.line, 1), parts.gutter.children.length);
  parts.mistake.textContent = spoken(mistake);
  parts.mistake.style.setProperty("--line", line);
  parts.marked.style.setProperty("--line", line - 1);
  const mark = parts.gutter.children[line - 1];
  mark.classList.add("wrong");
  const box = parts.scroll;
  const seen = mark.offsetTop >= box.scrollTop && mark.offsetTop + 80 <= box.scrollTop + box.clientHeight;
  if (!seen) box.scrollTop = mark.offsetTop - box.clientHeight / 3;
}

function changed() {
  code = parts.area.value;
  window.localStorage.setItem(KEPT, code);
  mistake = null;
  paint();
}

function paint() {
  const lines = code.split("\n");
  parts.painted.replaceChildren(...coloured(code), "\n");
  parts.gutter.replaceChildren(...lines.map((_, index) => build("span", {}, String(index + 1))));
  parts.body.style.setProperty("--lines", lines.length);
  parts.body.style.setProperty("--columns", Math.max(...lines.map((line) => line.length)) + 2);
  showMistake();
}

function typed(event) {
  const area = parts.area;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  } else if (event.key === "Escape") {
    parts.run.focus(); // so that Tab, which indents here, does not keep the keyboard in
  } else if (event.key === "Tab" && !event.shiftKey) {
    event.preventDefault();
    document.execCommand("insertText", false, INDENT);
  } else if (event.key === "Enter") {
    event.preventDefault();
    const before = area.value.slice(0, area.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = /^\s*/.exec(line)[0];
    document.execCommand("insertText", false, `\n${indent}${/:\s*(#.*)?$/.test(line) ? INDENT : ""}`);
  }
  event.stopPropagation(); // the page's own keys are letters here
}

async function begin(event) {
  const chosen = event.target.value;
  event.target.value = "";
  try {
    code = templates[chosen] ?? (await get(`/api/source/${chosen}`)).text;
  } catch (error) {
    lab.report(error);
    return;
  }
  scenario = null;
  notice = "";
  mistake = null;
  window.localStorage.setItem(KEPT, code);
  if (parts === null) return;
  parts.area.value = code;
  parts.note.hidden = true;
  paint();
}

function beginnings() {
  const option = (value, text) => build("option", { value }, text);
  const names = (lab.catalogue?.algorithms ?? []).map((entry) => option(entry.name, entry.name));
  return build(
    "select",
    { id: "own-template", onchange: begin },
    build("option", { value: "" }, "…"),
    build("option", { value: "election", "data-t": "own.template.election" }),
    build("option", { value: "mutex", "data-t": "own.template.mutex" }),
    build("optgroup", { label: t("own.catalogue") }, names),
  );
}

function render(panel) {
  const n = scenario?.topology?.ids?.length ?? scenario?.topology?.n ?? USUAL_SIZE;
  const size = build("input", { type: "number", min: 1, max: 1000, value: n, id: "own-n" });
  const others = scenario?.starters !== undefined && !["all", "one"].includes(scenario.starters);
  const starters = build(
    "select",
    { id: "own-starters" },
    others ? build("option", { value: "kept" }, JSON.stringify(scenario.starters)) : null,
    build("option", { value: "all", "data-t": "own.starters.all" }),
    build("option", { value: "one", "data-t": "own.starters.one", selected: scenario?.starters === "one" }),
  );
  const seed = build("input", { type: "number", value: scenario?.seed ?? 0, id: "own-seed" });
  const plain = { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" };
  const area = worded("textarea", { id: "own-code", "data-t-label": "own.code", ...plain });
  area.value = code;
  area.addEventListener("input", changed);
  area.addEventListener("keydown", typed);
  const gutter = build("div.gutter", { "aria-hidden": "true" });
  const painted = build("pre", { "aria-hidden": "true" });
  const marked = build("div.marked", { hidden: true });
  const wrong = build("div.mistake", { role: "alert", id: "own-mistake", hidden: true });
  const body = build("div.code-body", {}, marked, painted, area, wrong);
  const scroll = build("div.code", {}, gutter, body);
  const start = button("primary", "own.run", run, { id: "own-run", "data-t-title": "own.run.title" });
  const note = build("p.own-note", { hidden: notice === "" }, notice);
  const said = build("p.own-said", { role: "alert", hidden: true });
  const printed = build("section.own-printed", { id: "own-printed", hidden: true });
  parts = { size, starters, seed, area, gutter, painted, marked, mistake: wrong, body, scroll, run: start, note, said, printed };
  panel.replaceChildren(
    build(
      "div.own-tools",
      {},
      field("own.begin", beginnings()),
      field("own.n", size),
      field("own.starters", starters),
      field("own.seed", seed),
      start,
    ),
    note,
    said,
    scroll,
    printed,
    worded("p.soft.own-foot", { "data-t": "own.foot" }),
  );
  paint();
}

export const ownMode = {
  glyph: GLYPH,
  size: "half",
  available: () => lab.catalogue?.code !== false,
  mount(panel) {
    panel.classList.add("in-own");
    ends = [
      lab.on("catalogue", () => render(panel)),
      lab.on("language", showMistake),
      lab.on("branch", showPrinted),
    ];
    render(panel);
  },
  unmount() {
    for (const end of ends) end();
    document.getElementById("panel").classList.remove("in-own");
    parts = null;
  },
};
