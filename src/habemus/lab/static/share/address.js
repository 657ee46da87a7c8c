// The address of the page carries all branches and the moment that is shown, so that loading it again shows the same.

import { lab } from "../store/lab.js";
import { describeBranches, pack } from "./packing.js";

export const MARK = "#run=";
const WRITTEN = "habemus-address"; // what this tab has put into its address
const PAUSE = 300; // milliseconds between a change and the new address

let timer = null;

/** Whether the address is of this tab itself: its code is the user's own. */
export function isOwnAddress() {
  return window.sessionStorage.getItem(WRITTEN) === window.location.hash;
}

function schedule() {
  timer ??= window.setTimeout(write, PAUSE);
}

async function write() {
  timer = null;
  const lasting = lab.branches.filter((branch) => !branch.shown || branch.scenario?.schedule); // not live
  if (!lasting.includes(lab.branch)) return;
  const mode = ["watch", "story"].includes(lab.mode) ? {} : { mode: lab.mode };
  const fragment = MARK + (await pack({ ...describeBranches(lasting), ...mode }));
  window.sessionStorage.setItem(WRITTEN, fragment);
  window.history.replaceState(null, "", fragment);
}

/** Keep the address up to date from now on. */
export function keepAddress() {
  for (const name of ["branch", "mode", "playing"]) lab.on(name, schedule);
  lab.on("cursor", () => {
    if (!lab.playing) schedule();
  });
  schedule();
}
