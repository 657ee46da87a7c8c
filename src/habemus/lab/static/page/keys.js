// The keyboard: everything that can be done with the pointer can be done by key.

import { canBranch, groupActions, messageActions, processActions, transmissionsUnderWay } from "../faults/actions.js";
import { lab } from "../store/lab.js";
import { step, stepTick, togglePlaying } from "../timeline/playback.js";
import { closeMenu } from "../widgets/menu.js";
import { t } from "../words/text.js";

/** Listen to keys; `page` is {banner, drawer, diagram, announce, showPane}. */
export function listenToKeys(page) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      document.body.removeAttribute("data-projector");
      if (!closeMenu() && !page.banner.close()) lab.select(null);
      return;
    }
    if (isTyping(event.target)) return;
    if (document.querySelector("dialog[open]") || document.body.dataset.size === "full") return;
    const act = keys(event, page);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

function isTyping(target) {
  if (target.matches?.("#scrubber")) return false;
  return target.matches?.("input, select, textarea, [contenteditable]") ?? false;
}

function keys(event, page) {
  const pressed = event.target.matches?.("button, a, summary, [role=button], [role=tab]") ?? false;
  const move = (by) => () => (event.shiftKey ? stepTick(by) : step(by));
  switch (event.key) {
    case " ":
      return pressed ? undefined : togglePlaying;
    case "ArrowRight":
    case "ArrowDown":
      return move(1);
    case "ArrowLeft":
    case "ArrowUp":
      return move(-1);
    case ".":
      return () => step(1);
    case "Home":
      return () => lab.seek(-1);
    case "End":
      return () => lab.seek((lab.run?.events.length ?? 0) - 1);
    case "/":
      return () => {
        page.drawer.choose("events");
        page.showPane("drawer");
        page.drawer.events.focusSearch();
      };
    case "+":
    case "-":
      return () => page.diagram.zoomBy(event.key === "+" ? 1.5 : 1 / 1.5);
    case "0":
      return () => page.diagram.fit();
    case "h":
      return () => collapseLanes(page);
    case "l":
      return () => document.body.toggleAttribute("data-projector");
    case "?":
      return () => document.getElementById("help").click();
    case "m":
      return nextMessage;
    case "c":
    case "r":
    case "p":
      return () => doToProcess(event.key, page);
    case "d":
      return () => doToMessage(page);
    case "f":
      return () => branchOff(page);
    default:
      return undefined;
  }
}

function doToProcess(key, page) {
  if (!canBranch()) return;
  const { selected, model, cursor } = lab;
  const id = selected?.process ?? model.events[selected?.event ?? cursor]?.process;
  if (id === undefined || id === null) {
    page.announce(t("choose.process"));
    return;
  }
  const action = processActions(id).find((known) => known?.key === key);
  if (action) action.run();
  else page.announce(t("choose.impossible"));
}

function collapseLanes(page) {
  const ids = lab.selected?.processes ?? (lab.selected?.process === undefined ? [] : [lab.selected.process]);
  if (ids.length) lab.toggleLanes(ids);
  else page.announce(t("choose.process"));
}

function nextMessage() {
  if (!lab.model) return;
  lab.pause();
  const messages = [];
  lab.model.underWay(lab.cursor, (transmission) => messages.push(transmission.envelope.message));
  if (!messages.length) return;
  const at = messages.indexOf(lab.selected?.message);
  lab.select({ message: messages[(at + 1) % messages.length] });
}

function doToMessage(page) {
  const message = lab.selected?.message;
  if (message === undefined || !transmissionsUnderWay(message).length || !canBranch()) {
    page.announce(t("choose.message"));
    return;
  }
  messageActions(message)
    .find((action) => action.key === "d")
    .run();
}

/** Partition the selected group from the others; without a selection, make a branch that is the same so far. */
function branchOff(page) {
  if (!canBranch()) return;
  const group = lab.selected?.processes ?? (lab.selected?.process === undefined ? null : [lab.selected.process]);
  const partition = group && groupActions(group).find((action) => action?.name === "partition");
  if (partition) partition.run();
  else lab.fork((scenario) => scenario, t("branch.plain"));
  page.announce(t("announce.branch"));
}
