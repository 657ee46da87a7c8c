// Registers the modes, in the order of the tabs, and opens what the address asks for.

import { checkMode } from "../modes/check.js";
import { galleryMode } from "../modes/gallery.js";
import { liveMode } from "../modes/live.js";
import { measureMode } from "../modes/measure.js";
import { ownMode } from "../modes/own.js";
import { stepMode } from "../modes/step.js";
import { findStory, openStory, storyMode } from "../modes/story.js";
import { keepAddress } from "../share/address.js";
import { startExporting } from "../share/export.js";
import { startOpening } from "../share/open.js";
import { openFragment, startSharing } from "../share/share.js";
import { lab } from "../store/lab.js";
import { openNamedScenario } from "../store/scenarios.js";
import { startHelp } from "./help.js";

const PANES = { watch: "stage", story: "stage" };

/** Register the modes, and connect the buttons of the bar. */
export function startModes() {
  lab.registerMode("gallery", galleryMode);
  lab.registerMode("story", storyMode);
  lab.registerMode("step", stepMode);
  lab.registerMode("check", checkMode);
  lab.registerMode("measure", measureMode);
  lab.registerMode("own", ownMode);
  lab.registerMode("live", liveMode);
  lab.on("mode", (name) => lab.page.showPane(PANES[name] ?? "drawer")); // on a narrow screen, which shows one pane at a time
  startSharing();
  startOpening();
  startExporting();
  startHelp();
}

/**
 * Open what the address asks for: a shared run (`#run=`), a story (`#story=bully:3`), a named scenario
 * (`#scenario=yoyo-small`), a mode (`#mode=gallery`); else the
 * cluster, if there is one. Resolves to whether a run is on the screen.
 */
export async function openAddressed() {
  try {
    return await openAsked();
  } finally {
    keepAddress();
  }
}

async function openAsked() {
  if (await openFragment()) return true;
  const [, kind, name] = /^#(story|scenario|mode)=([\w-]+(?::\d+)?)$/.exec(window.location.hash) ?? [];
  if (kind === "story") {
    const [story, step] = name.split(":");
    if (findStory(story)) await openStory(story, Math.max(0, Number(step ?? 1) - 1));
    return lab.branch !== null;
  }
  if (kind === "scenario") return (await openNamedScenario(name)) !== null;
  if (kind === "mode") lab.setMode(name);
  else if (lab.catalogue.cluster) lab.setMode("live");
  return lab.catalogue.cluster === true && kind === undefined;
}
