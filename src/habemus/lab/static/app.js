// The entry point: builds the parts of the page, connects them, fetches the catalogue, and shows the first run.

import { Diagram } from "./diagram/diagram.js";
import { Drawer } from "./drawer/drawer.js";
import { offerFaults, transmissionsUnderWay } from "./faults/actions.js";
import { labelOf } from "./model/values.js";
import { Banner } from "./page/banner.js";
import { listenToKeys } from "./page/keys.js";
import { openAddressed, startModes } from "./page/modes.js";
import { isFirstVisit, startTour } from "./page/tour.js";
import { Setup } from "./setup/setup.js";
import { Stage } from "./stage/stage.js";
import { lab } from "./store/lab.js";
import { BranchRail, titleOf } from "./timeline/rail.js";
import { Timeline } from "./timeline/timeline.js";
import { build, buildIcon } from "./widgets/elements.js";
import { plainSentenceOf } from "./words/sentences.js";
import { t } from "./words/text.js";

const FIRST = { algorithm: "chang-roberts", topology: { n: 8 }, seed: 7 };
const EYE = "M3 10 Q10 2.5 17 10 Q10 17.5 3 10 Z M10 12.4 A2.4 2.4 0 1 0 10 7.6 A2.4 2.4 0 1 0 10 12.4";
const MOST_ROWS = 40;
const STILL = 200; // milliseconds without a change before the tables for screen readers are written

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

// The parts of the page ------------------------------------------------------------------------------------------------------------

new Setup($("setup"));
const timeline = new Timeline($("timeline"));
new BranchRail($("rail"));
page.drawer = new Drawer($("drawer-tabs"), $("sheet"), $("panel"));
page.stage = new Stage($("stage"), (what, point) => {
  const playing = lab.playing;
  lab.pause();
  if (what?.process !== undefined && point.shiftKey) lab.select(toggleInGroup(what.process));
  else {
    lab.select(what);
    offerFaults(what, point, playing);
    lab.emit("pick", { what, point });
  }
});

/** The selected group with a process added, or removed if it is in it. */
function toggleInGroup(id) {
  const before = lab.selected?.processes ?? (lab.selected?.process === undefined ? [] : [lab.selected.process]);
  const processes = before.includes(id) ? before.filter((known) => known !== id) : [...before, id];
  return processes.length ? { processes } : null;
}

const addHalf = () => {
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

page.diagram = new Diagram(addHalf(), { moment: () => lab, pick: pickInDiagram, hover: showTip });
page.beside = null; // the diagram of the branch beside the current one
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
    if (transmissionsUnderWay(found.message).length) offerFaults({ message: found.message }, point);
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
    tip.querySelector(".words").textContent = `${event.time}: ${plainSentenceOf(event)}`;
    tip.querySelector(".soft").textContent = t("cone", { past: count(past), future: count(future), beside });
  } else {
    const { envelope, sent, end, fate } = found.transmission;
    tip.innerHTML = `<b></b> <span></span><div class="soft"></div>`;
    tip.querySelector("b").textContent = labelOf(envelope);
    tip.querySelector("span").textContent = `${envelope.sender} → ${envelope.to}`;
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
    zoom.append(build("button.tool", { type: "button", "data-t-title": key, "data-t-label": key, onclick }, buildIcon(glyph)));
  }
  diagram.element.append(zoom);
}

// Two branches side by side -------------------------------------------------------------------------------------------

function showCompared() {
  const other = lab.compared;
  if (other && !page.beside) {
    page.beside = new Diagram(addHalf(), { moment: momentBeside });
    page.beside.setTheme(lab.theme);
  } else if (!other && page.beside) {
    page.beside.element.remove();
    page.beside = null;
  }
  $("diagram").classList.toggle("split", Boolean(other));
  showTitle(page.diagram, other && lab.branch);
  showTitle(page.beside, other);
  const split = other ? lab.model.divergenceFrom(other.model) : null;
  page.diagram.divergence = split;
  page.diagram.reset();
  if (page.beside) {
    page.beside.divergence = split;
    page.beside.open();
    page.announce(t("announce.compare", { one: titleOf(lab.branch), other: titleOf(other), event: split }));
  }
}

function showTitle(diagram, branch) {
  diagram?.element.querySelector(".corner")?.remove();
  if (!diagram || !branch) return;
  const caption = document.createElement("div");
  caption.className = "corner";
  caption.textContent = titleOf(branch);
  diagram.element.append(caption);
}

/** The moment of the other branch: the same event while both are equal, then the same time. */
function momentBeside() {
  const { model } = lab.compared;
  const { cursor: here, position } = lab;
  if (here < page.diagram.divergence) {
    return { model, cursor: here, position: Math.max(model.reachOf(here), Math.min(position, model.length)) };
  }
  const time = lab.model.timeAt(position);
  const cursor = model.events.findLastIndex((event) => event.time <= time);
  return { model, cursor, position: model.reachOf(cursor) };
}

// Reactions to changes of the store ----------------------------------------------------------------------------------------------------

lab.on("run", () => {
  page.stage.open();
  page.diagram.open();
  timeline.open();
  if (lab.compared) showCompared();
});
lab.on("grown", () => {
  page.stage.grow();
  page.diagram.reset();
  timeline.open();
});
lab.on("filter", () => {
  page.stage.drawLegend();
  page.stage.messages.invalidate();
  page.diagram.reset();
  page.beside?.reset();
});
lab.on("lanes", () => {
  page.diagram.reset();
  page.beside?.reset();
});
lab.on("compare", showCompared);
lab.on("branch", () => {
  if (lab.compared === lab.branch) lab.compare(null);
});
lab.on("cursor", (cursor) => {
  if (lab.selected?.event !== undefined && lab.selected.event !== cursor) lab.select(null);
  page.stage.update();
  page.diagram.follow();
  page.beside?.follow();
  if (!lab.playing) scheduleTables();
});
lab.on("position", () => {
  page.stage.messages.invalidate();
  page.diagram.invalidate();
  page.beside?.invalidate();
});
lab.on("playing", (playing) => {
  if (playing) page.diagram.follow();
  else {
    page.stage.update();
    scheduleTables();
  }
});
lab.on("select", (what) => {
  page.diagram.selected = what;
  page.stage.update();
  page.diagram.invalidate();
});
lab.on("sheet", () => page.stage.update()); // the figures shade the processes
lab.on("theme", (theme) => {
  page.stage.setTheme(theme);
  page.diagram.setTheme(theme);
  page.beside?.setTheme(theme);
  timeline.open();
});
lab.on("language", () => {
  showTitle(page.diagram, lab.compared && lab.branch);
  showTitle(page.beside, lab.compared);
  page.stage.drawLegend();
  page.stage.update();
  page.diagram.reset();
  page.beside?.reset();
  timeline.open();
  drawModes();
});
page.banner = new Banner($("banner"), (witness) => {
  page.diagram.witness = witness;
  page.stage.witnesses = witness?.processes ?? new Set();
  page.stage.update();
  page.diagram.invalidate();
});

/** Write stage and diagram to tables for screen readers once nothing changes, and announce the latest event. */
let pending;
function scheduleTables() {
  window.clearTimeout(pending);
  pending = window.setTimeout(updateTables, STILL);
}

function updateTables() {
  const { model, cursor } = lab;
  if (!model || lab.playing) return;
  page.stage.updateTable();
  const first = Math.max(0, cursor - MOST_ROWS + 1);
  const heads = ["table.time", "table.event"].map((key) => build("th", { scope: "col" }, t(key)));
  const rows = model.events
    .slice(first, cursor + 1)
    .map((event) => build("tr", {}, build("td", {}, String(event.time)), build("td", {}, plainSentenceOf(event))));
  table.replaceChildren(
    build("caption", {}, t("table.diagram")),
    build("thead", {}, build("tr", {}, heads)),
    build("tbody", {}, rows),
  );
  if (cursor >= 0) page.announce(`${model.events[cursor].time}: ${plainSentenceOf(model.events[cursor])}`);
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
  chosen?.scrollIntoView({ block: "nearest", inline: "nearest" }); // if there is no room for all of them
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
let firstVisit = false;
try {
  await lab.begin();
  firstVisit = isFirstVisit() && !lab.catalogue.cluster;
  lab.setMode("watch");
  if (!(await openAddressed())) {
    const branch = await lab.openScenario(FIRST);
    if (branch) branch.welcome = true;
  }
} catch (error) {
  lab.report(error);
}
document.body.dataset.ready = "true";
if (firstVisit) startTour();
