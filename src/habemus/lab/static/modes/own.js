// The editor for an algorithm of your own. An error is shown at its line.
//
// Code runs as the user. What that means on this system is said above the code, and again before the first run of code that came by
// a link.

import { get } from "../store/api.js";
import { lab } from "../store/lab.js";
import { openDialog } from "../widgets/dialog.js";
import { build, buildButton, buildField, buildWorded, enable } from "../widgets/elements.js";
import { findMainClass, highlight } from "../widgets/python.js";
import { describeError, formatNumber, makeError, t } from "../words/text.js";
import templates from "./templates.js";

const GLYPH = "M7 6 L3 10 L7 14 M13 6 L17 10 L13 14 M11.5 4 L8.5 16";
const KEPT = "habemus-own-code";
const KEPT_FOREIGN = "habemus-own-code-foreign";
const INDENT = "    ";
const USUAL_SIZE = 5;

let code = window.localStorage.getItem(KEPT) ?? templates.election;
let scenario = null; // of a link or of the last run: faults, size, network
let foreign = window.localStorage.getItem(KEPT_FOREIGN) !== null; // the code came by a link, and was not run so far
let mistake = null;
let parts = null;
let ends = [];

/** Open the editor with code and a scenario of a link; nothing runs until the user has been warned. */
export function editCode(source, itsScenario) {
  code = source;
  scenario = itsScenario;
  foreign = true;
  mistake = null;
  if (lab.mode === "own") render(document.getElementById("panel"));
  else lab.setMode("own");
}

function readForm() {
  const name = findMainClass(code);
  if (name === null) throw Object.assign(makeError("own.no.class"), { line: 1 });
  const algorithm = `own.py:${name}`;
  const n = Number(parts.size.value);
  const base = scenario?.algorithm === algorithm ? scenario : { algorithm };
  const sameSize = base.topology?.ids?.length === n || base.topology?.n === n;
  const starters = parts.starters.value;
  return {
    ...base,
    algorithm,
    topology: sameSize ? base.topology : { n },
    ...(starters === "kept" ? {} : { starters: starters === "one" ? "one" : undefined }), // an election starts at all processes by default
    seed: Number(parts.seed.value),
  };
}

function keepCode() {
  window.localStorage.setItem(KEPT, code);
  if (foreign) window.localStorage.setItem(KEPT_FOREIGN, "true");
  else window.localStorage.removeItem(KEPT_FOREIGN);
}

// What code may do on this system.
function buildTrust() {
  const sandbox = lab.catalogue?.sandbox === true;
  return buildWorded("p.own-trust", { "data-sandbox": String(sandbox), "data-t": sandbox ? "own.sandbox" : "own.open" });
}

function warn() {
  const accept = () => {
    foreign = false;
    keepCode();
    parts.note.hidden = true;
    dialog.close();
    run();
  };
  const dialog = openDialog(
    "foreign-dialog",
    buildWorded("p", { "data-t": "share.code" }),
    buildTrust(),
    build(
      "div.row",
      {},
      buildButton("plain", "foreign-dialog.cancel", () => dialog.close(), { id: "foreign-cancel", autofocus: true }),
      buildButton("primary", "foreign-dialog.run", accept, { id: "foreign-run" }),
    ),
  );
}

async function run() {
  if (foreign) {
    parts.run.focus(); // and back to it afterwards: chromium takes no text in an editor that was left during a key
    warn();
    return;
  }
  enable(parts.run, false);
  try {
    const wanted = readForm();
    const branch = await lab.openScenario(wanted, { code, title: findMainClass(code), quiet: true });
    scenario = branch.scenario;
    mistake = null;
  } catch (error) {
    mistake = error;
  }
  if (parts === null) return;
  enable(parts.run, true);
  showMistake();
}

// What the code printed: before its error if there was one, else in the run on the screen.
function showPrinted() {
  const printed = mistake ? mistake.printed : lab.branch?.code === undefined ? undefined : lab.run.printed;
  parts.printed.hidden = printed === undefined;
  if (printed === undefined) return;
  const more = printed.left_out ? [build("p.soft", {}, t("own.printed.more", { bytes: formatNumber(printed.left_out) }))] : [];
  parts.printed.replaceChildren(build("h3", {}, t("own.printed")), build("pre", { tabindex: 0 }, printed.text), ...more);
}

function showMistake() {
  showPrinted();
  const placed = mistake?.line !== undefined;
  parts.said.hidden = mistake === null || placed;
  parts.said.textContent = parts.said.hidden ? "" : describeError(mistake);
  parts.mistake.hidden = !placed;
  parts.marked.hidden = parts.mistake.hidden;
  for (const line of parts.gutter.children) line.classList.remove("wrong");
  if (parts.mistake.hidden) return;
  const line = Math.min(Math.max(mistake.line, 1), parts.gutter.children.length);
  parts.mistake.textContent = describeError(mistake);
  parts.mistake.style.setProperty("--line", line);
  parts.marked.style.setProperty("--line", line - 1);
  const mark = parts.gutter.children[line - 1];
  mark.classList.add("wrong");
  const box = parts.scroll;
  const seen = mark.offsetTop >= box.scrollTop && mark.offsetTop + 80 <= box.scrollTop + box.clientHeight;
  if (!seen) box.scrollTop = mark.offsetTop - box.clientHeight / 3;
}

function readCode() {
  code = parts.area.value;
  keepCode();
  mistake = null;
  paint();
}

function paint() {
  const lines = code.split("\n");
  parts.painted.replaceChildren(...highlight(code), "\n");
  parts.gutter.replaceChildren(...lines.map((_, index) => build("span", {}, String(index + 1))));
  parts.body.style.setProperty("--lines", lines.length);
  parts.body.style.setProperty("--columns", Math.max(...lines.map((line) => line.length)) + 2);
  showMistake();
}

function handleKey(event) {
  const area = parts.area;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  } else if (event.key === "Escape") {
    parts.run.focus(); // Tab indents here, so Escape has to leave the editor
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
  event.stopPropagation(); // the page's shortcuts are letters here
}

async function startFrom(event) {
  const chosen = event.target.value;
  event.target.value = "";
  try {
    code = templates[chosen] ?? (await get(`/api/source/${chosen}`)).text;
  } catch (error) {
    lab.report(error);
    return;
  }
  scenario = null;
  foreign = false;
  mistake = null;
  keepCode();
  if (parts === null) return;
  parts.area.value = code;
  parts.note.hidden = true;
  paint();
}

function buildTemplates() {
  const option = (value, text) => build("option", { value }, text);
  const names = (lab.catalogue?.algorithms ?? []).map((entry) => option(entry.name, entry.name));
  return build(
    "select",
    { id: "own-template", onchange: startFrom },
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
  const area = buildWorded("textarea", { id: "own-code", "data-t-label": "own.code", ...plain });
  area.value = code;
  area.addEventListener("input", readCode);
  area.addEventListener("keydown", handleKey);
  const gutter = build("div.gutter", { "aria-hidden": "true" });
  const painted = build("pre", { "aria-hidden": "true" });
  const marked = build("div.marked", { hidden: true });
  const wrong = build("div.mistake", { role: "alert", id: "own-mistake", hidden: true });
  const body = build("div.code-body", {}, marked, painted, area, wrong);
  const scroll = build("div.code", {}, gutter, body);
  const start = buildButton("primary", "own.run", run, { id: "own-run", "data-t-title": "own.run.title" });
  const note = buildWorded("p.own-note", { hidden: !foreign, "data-t": "share.code" });
  const said = build("p.own-said", { role: "alert", hidden: true });
  const printed = build("section.own-printed", { id: "own-printed", hidden: true });
  parts = { size, starters, seed, area, gutter, painted, marked, mistake: wrong, body, scroll, run: start, note, said, printed };
  panel.replaceChildren(
    build(
      "div.own-tools",
      {},
      buildField("own.begin", buildTemplates()),
      buildField("own.n", size),
      buildField("own.starters", starters),
      buildField("own.seed", seed),
      start,
    ),
    note,
    buildTrust(),
    said,
    scroll,
    printed,
    buildWorded("p.soft.own-foot", { "data-t": "own.foot" }),
  );
  paint();
}

/** Take over the network of the run on the screen, if it is of this code: it can be set in the other modes. */
function adoptScenario() {
  if (foreign || lab.branch?.code === undefined || lab.branch.shown) return;
  const { faults, workload, expect, schedule, ...kept } = lab.branch.scenario;
  scenario = kept;
}

export const ownMode = {
  glyph: GLYPH,
  size: "half",
  available: () => lab.catalogue?.code !== false,
  mount(panel) {
    panel.classList.add("in-own");
    adoptScenario();
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
