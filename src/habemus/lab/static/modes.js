// The modes beside plain watching: each registers itself, in the order of the tabs.

import { checkMode } from "./check.js";
import { ownMode } from "./editor.js";
import { startExporting } from "./export.js";
import { galleryMode } from "./gallery.js";
import { startHelp } from "./help.js";
import { lab } from "./lab.js";
import { liveMode } from "./live.js";
import { measureMode } from "./measure.js";
import { openShared, startSharing } from "./share.js";
import { stepMode } from "./step.js";
import { storyMode, storyNamed, tell } from "./stories.js";

const PANES = { watch: "stage", story: "stage" };

/** Make the modes known to the page. */
export function startModes() {
  lab.registerMode("gallery", galleryMode);
  lab.registerMode("story", storyMode);
  lab.registerMode("step", stepMode);
  lab.registerMode("check", checkMode);
  lab.registerMode("measure", measureMode);
  lab.registerMode("own", ownMode);
  lab.registerMode("live", liveMode);
  lab.on("mode", (name) => lab.page.showPane(PANES[name] ?? "drawer")); // where there is room for one pane only
  startSharing();
  startExporting();
  startHelp();
}

/**
 * Open what the address asks for: a shared run (`#run=`), a story (`#story=bully:3`), a mode (`#mode=gallery`); else the
 * cluster, if there is one. Resolves to whether that put a run on the screen.
 */
export async function openAddressed() {
  if (await openShared()) return true;
  const [, kind, name] = /^#(story|mode)=([\w-]+(?::\d+)?)$/.exec(window.location.hash) ?? [];
  if (kind === "story") {
    const [story, step] = name.split(":");
    if (storyNamed(story)) await tell(story, Math.max(0, Number(step ?? 1) - 1));
    return lab.branch !== null;
  }
  if (kind === "mode") lab.setMode(name);
  else if (lab.catalogue.cluster) lab.setMode("live");
  return lab.catalogue.cluster === true && kind === undefined;
}
