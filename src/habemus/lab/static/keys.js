// The keyboard: everything that can be done by hand can be done by key.

import { canFork, flightsUnderWay, groupActions, messageActions, processActions } from "./faults.js";
import { lab } from "./lab.js";
import { closeMenu } from "./menu.js";
import { step, stepTick, toggle } from "./playback.js";
import { t } from "./text.js";

/** Listen to keys; `page` is {banner, drawer, announce}. */
export function listenToKeys(page) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
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
      return pressed ? undefined : toggle;
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
        page.drawer.choose("story");
        page.showPane("drawer");
        page.drawer.story.focusSearch();
      };
    case "+":
    case "-":
      return () => page.diagram.zoomBy(event.key === "+" ? 1.5 : 1 / 1.5);
    case "0":
      return () => page.diagram.fit();
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
      return () => fork(page);
    default:
      return undefined;
  }
}

function doToProcess(key, page) {
  if (!canFork()) return;
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

function nextMessage() {
  if (!lab.model) return;
  lab.pause();
  const messages = [];
  lab.model.underWay(lab.cursor, (flight) => messages.push(flight.carried.message));
  if (!messages.length) return;
  const at = messages.indexOf(lab.selected?.message);
  lab.select({ message: messages[(at + 1) % messages.length] });
}

function doToMessage(page) {
  const message = lab.selected?.message;
  if (message === undefined || !flightsUnderWay(message).length || !canFork()) {
    page.announce(t("choose.message"));
    return;
  }
  messageActions(message)
    .find((action) => action.key === "d")
    .run();
}

/** Part the chosen group from the others; without one, begin a branch that is the same so far. */
function fork(page) {
  if (!canFork()) return;
  const group = lab.selected?.processes ?? (lab.selected?.process === undefined ? null : [lab.selected.process]);
  const partition = group && groupActions(group).find((action) => action?.name === "partition");
  if (partition) partition.run();
  else lab.fork((scenario) => scenario, t("branch.plain"));
  page.announce(t("announce.branch"));
}
