// The help dialog: what the page can do, its keys, and its signs.

import { ICON_PATH, ROLE_COLOUR } from "../drawing/palette.js";
import { lab } from "../store/lab.js";
import { openDialog } from "../widgets/dialog.js";
import { build, buildIcon } from "../widgets/elements.js";
import { startTour } from "./tour.js";

const KEYS = [
  ["space", "key.space"],
  ["← →", "key.arrows"],
  ["shift ← →", "key.shift"],
  ["home end", "key.home"],
  ["c", "key.c"],
  ["r", "key.r"],
  ["p", "key.p"],
  ["m", "key.m"],
  ["d", "key.d"],
  ["f", "key.f"],
  [".", "key.dot"],
  ["/", "key.slash"],
  ["h", "key.h"],
  ["l", "key.l"],
  ["?", "key.help"],
];
const SIGNS = [
  // a character, or null for an icon of the pictures
  [null, "leader"],
  [null, "candidate"],
  [null, "inside"],
  [null, "waiting"],
  ["●", "step"],
  ["◇", "timeout"],
  ["○", "crashed"],
  ["⊙", "recovered"],
  ["‖", "paused"],
  ["⊘", "refused"],
  ["✂", "cut"],
  ["✗", "lost"],
  ["◯", "cursor"],
  ["≠", "divergence"],
  ["!", "violation"],
  ["···", "pending"],
  ["━✓", "holds"],
  ["━✗", "violated"],
  ["╍…", "open"],
];

function buildKeys(keys) {
  return keys.split(" ").map((key) => build("kbd", {}, key));
}

function buildRoleIcon(role) {
  const sign = buildIcon(ICON_PATH[role]);
  sign.setAttribute("viewBox", "-10 -10 20 20");
  sign.setAttribute("fill", ROLE_COLOUR[role]);
  return sign;
}

function showHelp() {
  const dialog = openDialog(
    "help-dialog",
    ...["help.watch", "help.break", "help.understand"].map((key) => build("p", { "data-t": key })),
    build(
      "div.pills",
      {},
      build("button.plain", { type: "button", "data-t": "help.tour", id: "help-tour", onclick: toTour }),
      build("button.plain", { type: "button", "data-t": "help.story", id: "help-story", onclick: toStories }),
    ),
    build(
      "div.help-columns",
      {},
      build(
        "section",
        {},
        build("h3", { "data-t": "help.keys" }),
        build("dl.keys", {}, KEYS.flatMap(([keys, text]) => [build("dt", {}, buildKeys(keys)), build("dd", { "data-t": text })])),
      ),
      build(
        "section",
        {},
        build("h3", { "data-t": "help.signs" }),
        build("dl.signs", {}, SIGNS.flatMap(([sign, name]) => [build(`dt.sign-${name}`, {}, sign ?? buildRoleIcon(name)), build("dd", { "data-t": `sign.${name}` })])),
      ),
    ),
  );
  function toTour() {
    dialog.close();
    startTour();
  }
  function toStories() {
    dialog.close();
    lab.setMode("story");
  }
}

/** Connect the help button. */
export function startHelp() {
  document.getElementById("help").addEventListener("click", showHelp);
}
