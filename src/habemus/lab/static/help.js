// Help: what one can do here, which keys do it, and what the signs mean.

import { build, icon } from "./build.js";
import { openDialog } from "./dialog.js";
import { lab } from "./lab.js";
import { ICON_PATH, ROLE_COLOUR } from "./palette.js";

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
  ["?", "key.help"],
];
const SIGNS = [
  // a letter, or null where the pictures have a drawing of their own
  [null, "leader"],
  [null, "candidate"],
  [null, "inside"],
  [null, "waiting"],
  ["○", "crashed"],
  ["✗", "lost"],
  ["!", "violation"],
];

function caps(keys) {
  return keys.split(" ").map((key) => build("kbd", {}, key));
}

function drawn(role) {
  const sign = icon(ICON_PATH[role]);
  sign.setAttribute("viewBox", "-10 -10 20 20");
  sign.setAttribute("fill", ROLE_COLOUR[role]);
  return sign;
}

function help() {
  const dialog = openDialog(
    "help-dialog",
    ...["help.watch", "help.break", "help.understand"].map((key) => build("p", { "data-t": key })),
    build("p", {}, build("button.plain", { type: "button", "data-t": "help.story", id: "help-story", onclick: toStories })),
    build(
      "div.help-columns",
      {},
      build(
        "section",
        {},
        build("h3", { "data-t": "help.keys" }),
        build("dl.keys", {}, KEYS.flatMap(([keys, text]) => [build("dt", {}, caps(keys)), build("dd", { "data-t": text })])),
      ),
      build(
        "section",
        {},
        build("h3", { "data-t": "help.signs" }),
        build("dl.signs", {}, SIGNS.flatMap(([sign, name]) => [build(`dt.sign-${name}`, {}, sign ?? drawn(name)), build("dd", { "data-t": `sign.${name}` })])),
      ),
    ),
  );
  function toStories() {
    dialog.close();
    lab.setMode("story");
  }
}

/** Have the page's button show it. */
export function startHelp() {
  document.getElementById("help").addEventListener("click", help);
}
