// The drawer: the sheets (state, source, events, script, figures) and the panel of the mode.

import { lab } from "../store/lab.js";
import { t, translate } from "../words/text.js";
import { EventsSheet } from "./events.js";
import { FiguresSheet } from "./figures.js";
import { ScriptSheet } from "./script.js";
import { SourceSheet } from "./source.js";
import { StateSheet } from "./state.js";

export class Drawer {
  constructor(tabs, sheet, panel) {
    this.tabs = tabs;
    this.sheet = sheet;
    this.panel = panel;
    this.events = new EventsSheet();
    this.sheets = {
      state: new StateSheet(),
      source: new SourceSheet(),
      events: this.events,
      script: new ScriptSheet(),
      figures: new FiguresSheet(),
    };
    this.chosen = "state";
    for (const name of ["run", "grown", "cursor", "select", "branch", "language"]) lab.on(name, () => this.refresh());
    lab.on("playing", () => this.refresh());
    lab.on("position", () => {
      if (!lab.playing) this.refresh(); // when a fault would take effect
    });
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

  /** Show a sheet, or the panel of the mode ("panel"). */
  choose(name) {
    this.chosen = name;
    document.body.dataset.sheet = name;
    this.panel.hidden = name !== "panel";
    this.sheet.hidden = name === "panel";
    if (name !== "panel") {
      this.sheet.replaceChildren(this.sheets[name].element);
      translate(this.sheet);
    }
    this.drawTabs();
    this.refresh();
    lab.emit("sheet", name);
  }

  /** Update the sheet that is shown; during playback at most ten times a second, else thirty. */
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
