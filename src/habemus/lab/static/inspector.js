// The drawer: the state of a process or an event, the source, the story, the script, the figures; and the panel of the
// mode.

import { FiguresSheet } from "./figures.js";
import { lab } from "./lab.js";
import { ScriptSheet } from "./script.js";
import { SourceSheet } from "./source.js";
import { StateSheet } from "./state.js";
import { StorySheet } from "./story.js";
import { t, translate } from "./text.js";

export class Drawer {
  constructor(tabs, sheet, panel) {
    this.tabs = tabs;
    this.sheet = sheet;
    this.panel = panel;
    this.story = new StorySheet();
    this.sheets = {
      state: new StateSheet(),
      source: new SourceSheet(),
      story: this.story,
      script: new ScriptSheet(),
      figures: new FiguresSheet(),
    };
    this.chosen = "state";
    for (const name of ["run", "grown", "cursor", "select", "branch", "language"]) lab.on(name, () => this.refresh());
    lab.on("playing", () => this.refresh());
    lab.on("mode", () => {
      this.choose(lab.mode === "watch" ? (this.chosen === "panel" ? "state" : this.chosen) : "panel");
    });
    lab.on("language", () => this.drawTabs());
    this.drawTabs();
    this.choose("state");
  }

  drawTabs() {
    const names = [...(lab.mode === "watch" ? [] : ["panel"]), ...Object.keys(this.sheets)];
    this.tabs.replaceChildren(
      ...names.map((name) => {
        const tab = document.createElement("button");
        tab.type = "button";
        tab.setAttribute("role", "tab");
        tab.dataset.sheet = name;
        tab.setAttribute("aria-selected", String(name === this.chosen));
        tab.textContent = name === "panel" ? t(`mode.${lab.mode}`) : t(`sheet.${name}`);
        tab.addEventListener("click", () => this.choose(name));
        return tab;
      }),
    );
  }

  /** Show a sheet: state, source, story, script, figures, or the panel of the mode. */
  choose(name) {
    this.chosen = name;
    this.panel.hidden = name !== "panel";
    this.sheet.hidden = name === "panel";
    if (name !== "panel") {
      this.sheet.replaceChildren(this.sheets[name].element);
      translate(this.sheet);
    }
    this.drawTabs();
    this.refresh();
  }

  /** What the page shows has changed; while it plays, that is told ten times a second at most, else thirty. */
  refresh() {
    if (!lab.model || this.chosen === "panel") return;
    const due = (this.refreshed ?? 0) + (lab.playing ? 100 : 30);
    const now = performance.now();
    if (now < due) {
      this.later ??= window.setTimeout(() => {
        this.later = undefined;
        this.refresh();
      }, due - now);
      return;
    }
    this.refreshed = now;
    this.sheets[this.chosen].update();
  }
}
