// The page begins here: each part takes its place, then the catalogue comes and the first run is shown.

import { Rail, titleOf } from "./branches.js";
import { build, icon } from "./build.js";
import { Diagram } from "./diagram.js";
import { flightsUnderWay, offer } from "./faults.js";
import { Drawer } from "./inspector.js";
import { listenToKeys } from "./keys.js";
import { lab } from "./lab.js";
import { labelOf } from "./values.js";
import { openAddressed, startModes } from "./modes.js";
import { Timeline } from "./playback.js";
import { plainSentence } from "./sentences.js";
import { Setup } from "./setup.js";
import { Stage } from "./stage.js";
import { t } from "./text.js";
import { Banner } from "./verdicts.js";

const FIRST = { algorithm: "chang-roberts", topology: { n: 8 }, seed: 7 };
const EYE = "M3 10 Q10 2.5 17 10 Q10 17.5 3 10 Z M10 12.4 A2.4 2.4 0 1 0 10 7.6 A2.4 2.4 0 1 0 10 12.4";
const MOST_ROWS = 40;
const STILL = 200; // milliseconds without a change after which the tables are written

window.habemus = lab;
const $ = (id) => document.getElementById(id);

const page = {
  announce(text) {
    $("announcer").textContent = "";
    $("announcer").textContent = text;
  },
  showPane(name) {
    document.body.dataset.pane = name;
    for (const button of $("panes").querySelectorAll("button")) {
      button.setAttribute("aria-current", String(button.dataset.pane === name));
    }
  },
};

// The room ------------------------------------------------------------------------------------------------------------

new Setup($("setup"));
const timeline = new Timeline($("timeline"));
new Rail($("rail"));
page.drawer = new Drawer($("drawer-tabs"), $("sheet"), $("panel"));
page.stage = new Stage($("stage"), (what, point) => {
  const playing = lab.playing;
  lab.pause();
  if (what?.process !== undefined && point.shiftKey) lab.select(withOneMore(what.process));
  else {
    lab.select(what);
    offer(what, point, playing);
  }
});

/** The chosen group with a process more, or without it if it was in it. */
function withOneMore(id) {
  const before = lab.selected?.processes ?? (lab.selected?.process === undefined ? [] : [lab.selected.process]);
  const processes = before.includes(id) ? before.filter((known) => known !== id) : [...before, id];
  return processes.length ? { processes } : null;
}

const half = () => {
  const element = document.createElement("div");
  element.className = "half";
  $("diagram").append(element);
  return element;
};
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);
const table = document.createElement("table");
table.className = "unseen";

page.diagram = new Diagram(half(), { moment: () => lab, pick: pickInDiagram, hover: showTip });
page.beside = null; // the diagram of the branch that is compared
addZoom(page.diagram);
$("diagram").append(table);
lab.page = page;

function pickInDiagram(found, point) {
  lab.pause();
  if (found.event !== undefined) {
    lab.seek(found.event);
    lab.select({ event: found.event });
  } else if (found.message !== undefined) {
    lab.select({ message: found.message });
    if (flightsUnderWay(found.message).length) offer({ message: found.message }, point);
  } else if (found.empty) lab.select(null);
  else lab.seekPosition(found.position);
}

function showTip(found, point) {
  tip.hidden = found === null;
  if (found === null) return;
  const { model } = lab;
  if (found.event !== undefined) {
    const event = model.events[found.event];
    const { past, future } = model.cone(found.event);
    const count = (set) => set.reduce((sum, bit) => sum + bit, 0) - 1;
    const beside = model.events.length - count(past) - count(future) - 1;
    tip.innerHTML = `<b></b><div class="words"></div><div class="soft"></div>`;
    tip.querySelector("b").textContent = event.clause || t(`fault.${event.kind}`);
    tip.querySelector(".words").textContent = `${event.time}: ${plainSentence(event)}`;
    tip.querySelector(".soft").textContent = t("cone", { past: count(past), future: count(future), beside });
  } else {
    const { carried, sent, end, fate } = found.flight;
    tip.innerHTML = `<b></b> <span></span><div class="soft"></div>`;
    tip.querySelector("b").textContent = labelOf(carried);
    tip.querySelector("span").textContent = `${carried.sender} → ${carried.to}`;
    const became = t(["message.received", "message.lost", "message.underway"][fate]);
    const when = end < 0 ? "" : model.events[end].time;
    tip.querySelector(".soft").textContent = `${t("message.sent")} ${model.events[sent].time}, ${became} ${when}`;
  }
  const box = tip.getBoundingClientRect();
  const left = point.clientX + 16 + box.width > window.innerWidth ? point.clientX - box.width - 12 : point.clientX + 16;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.min(point.clientY + 14, window.innerHeight - box.height - 6)}px`;
}

function addZoom(diagram) {
  const zoom = document.createElement("div");
  zoom.className = "zoom";
  const acts = [
    ["zoom.out", "M5 10 H15", () => diagram.zoomBy(1 / 1.5)],
    ["zoom.fit", "M4 8 V4 H8 M12 4 H16 V8 M16 12 V16 H12 M8 16 H4 V12", () => diagram.fit()],
    ["zoom.in", "M5 10 H15 M10 5 V15", () => diagram.zoomBy(1.5)],
  ];
  for (const [key, glyph, onclick] of acts) {
    zoom.append(build("button.tool", { type: "button", "data-t-title": key, "data-t-label": key, onclick }, icon(glyph)));
  }
  diagram.element.append(zoom);
}

// Two branches side by side -------------------------------------------------------------------------------------------

function compare() {
  const other = lab.compared;
  if (other && !page.beside) {
    page.beside = new Diagram(half(), { moment: besideMoment });
    page.beside.setTheme(lab.theme);
  } else if (!other && page.beside) {
    page.beside.element.remove();
    page.beside = null;
  }
  $("diagram").classList.toggle("split", Boolean(other));
  name(page.diagram, other && lab.branch);
  name(page.beside, other);
  const split = other ? lab.model.divergenceFrom(other.model) : null;
  page.diagram.divergence = split;
  page.diagram.reset();
  if (page.beside) {
    page.beside.divergence = split;
    page.beside.open();
    page.announce(t("announce.compare", { one: titleOf(lab.branch), other: titleOf(other), event: split }));
  }
}

function name(diagram, branch) {
  diagram?.element.querySelector(".corner")?.remove();
  if (!diagram || !branch) return;
  const caption = document.createElement("div");
  caption.className = "corner";
  caption.textContent = titleOf(branch);
  diagram.element.append(caption);
}

/** Where the other branch stands: at the same event while both are equal, then at the same time. */
function besideMoment() {
  const { model } = lab.compared;
  const { cursor: here, position } = lab;
  if (here < page.diagram.divergence) {
    return { model, cursor: here, position: Math.max(model.reachOf(here), Math.min(position, model.length)) };
  }
  const time = lab.model.timeAt(position);
  const cursor = model.events.findLastIndex((event) => event.time <= time);
  return { model, cursor, position: model.reachOf(cursor) };
}

// Who follows what ----------------------------------------------------------------------------------------------------

lab.on("run", () => {
  page.stage.open();
  page.diagram.open();
  timeline.open();
  if (lab.compared) compare();
});
lab.on("grown", () => {
  page.stage.grow();
  page.diagram.reset();
  timeline.open();
});
lab.on("compare", compare);
lab.on("branch", () => {
  if (lab.compared === lab.branch) lab.compare(null);
});
lab.on("cursor", (cursor) => {
  if (lab.selected?.event !== undefined && lab.selected.event !== cursor) lab.select(null);
  page.stage.update();
  page.diagram.follow();
  page.beside?.follow();
  if (!lab.playing) readOut();
});
lab.on("position", () => {
  page.stage.traffic.invalidate();
  page.diagram.invalidate();
  page.beside?.invalidate();
});
lab.on("playing", (playing) => {
  if (playing) page.diagram.follow();
  else {
    page.stage.update();
    readOut();
  }
});
lab.on("select", (what) => {
  page.diagram.selected = what;
  page.stage.update();
  page.diagram.invalidate();
});
lab.on("theme", (theme) => {
  page.stage.setTheme(theme);
  page.diagram.setTheme(theme);
  page.beside?.setTheme(theme);
  timeline.open();
});
lab.on("language", () => {
  name(page.diagram, lab.compared && lab.branch);
  name(page.beside, lab.compared);
  page.stage.update();
  page.diagram.reset();
  page.beside?.reset();
  timeline.open();
  drawModes();
});
page.banner = new Banner($("banner"), (witness) => {
  page.diagram.witness = witness;
  page.stage.accused = witness?.processes ?? new Set();
  page.stage.update();
  page.diagram.invalidate();
});

/** Stage and diagram for those who cannot see them, once it stands still: tables, and the latest event as a sentence. */
let reading;
function readOut() {
  window.clearTimeout(reading);
  reading = window.setTimeout(readOutNow, STILL);
}

function readOutNow() {
  const { model, cursor } = lab;
  if (!model || lab.playing) return;
  page.stage.updateTable();
  const first = Math.max(0, cursor - MOST_ROWS + 1);
  const heads = ["table.time", "table.event"].map((key) => build("th", { scope: "col" }, t(key)));
  const rows = model.events
    .slice(first, cursor + 1)
    .map((event) => build("tr", {}, build("td", {}, String(event.time)), build("td", {}, plainSentence(event))));
  table.replaceChildren(
    build("caption", {}, t("table.diagram")),
    build("thead", {}, build("tr", {}, heads)),
    build("tbody", {}, rows),
  );
  if (cursor >= 0) page.announce(`${model.events[cursor].time}: ${plainSentence(model.events[cursor])}`);
}

// Modes, language, theme ----------------------------------------------------------------------------------------------

function drawModes() {
  $("modes").replaceChildren(
    ...lab.modes
      .filter((mode) => mode.available())
      .map((mode) => {
        const tab = document.createElement("button");
        tab.type = "button";
        tab.setAttribute("role", "tab");
        tab.dataset.mode = mode.name;
        tab.setAttribute("aria-selected", String(mode.name === lab.mode));
        tab.innerHTML = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${mode.glyph}"/></svg>`;
        tab.append(t(`mode.${mode.name}`));
        tab.addEventListener("click", () => lab.setMode(mode.name));
        return tab;
      }),
  );
  const chosen = $("modes").querySelector("[aria-selected=true]");
  chosen?.scrollIntoView({ block: "nearest", inline: "nearest" }); // where there is no room for all of them
}

lab.on("modes", drawModes);
lab.on("catalogue", drawModes);
lab.on("mode", drawModes);
$("language").addEventListener("click", () => lab.setLanguage(lab.language === "en" ? "pt" : "en"));
$("theme").addEventListener("click", () => lab.setTheme(lab.theme === "dark" ? "light" : "dark"));
for (const button of $("panes").querySelectorAll("button")) {
  button.addEventListener("click", () => page.showPane(button.dataset.pane));
}
page.showPane("stage");
listenToKeys(page);

lab.registerMode("watch", { glyph: EYE, mount() {} });
startModes();
try {
  await lab.begin();
  lab.setMode("watch");
  if (!(await openAddressed())) {
    const branch = await lab.openScenario(FIRST);
    if (branch) branch.welcome = true;
  }
} catch (error) {
  lab.report(error);
}
document.body.dataset.ready = "true";
