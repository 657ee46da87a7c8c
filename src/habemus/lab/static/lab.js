// The one store of the page: which run is shown, at which moment, in which branch; and who wants to know of changes.
//
// A moment has two faces. `cursor` is the index of the last event that has happened (-1: none yet); everything that is
// discrete follows it. `position` is a place on the diagram's time axis between that event and the next; what moves
// smoothly follows it. A fault by hand takes effect one tick after the cursor's event, so what was seen stays as it
// was: the scenario is run anew with the fault in it, and the new run becomes a branch of the old one.

import { get, post } from "./api.js";
import { Model } from "./model.js";
import { preferredLanguage, speak, translate } from "./text.js";

const listeners = new Map();
const modes = new Map();
let mounted = null;

export const lab = {
  catalogue: null,
  language: "en",
  theme: "light",
  run: null,
  model: null,
  cursor: -1,
  position: 0,
  playing: false,
  speed: 1,
  mode: "watch",
  branches: [],
  branch: null,
  compared: null, // the branch laid beside the current one
  selected: null,
  busy: false,
  live: false, // whether the run still grows at its end
  frames: null, // set by playback.js: how smoothly it plays

  /** Have `listener(detail)` called at every `emit(name, detail)`; returns a function that ends that. */
  on(name, listener) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
    return () => listeners.get(name).delete(listener);
  },

  /** Tell everyone who listens to `name`. */
  emit(name, detail) {
    for (const listener of [...(listeners.get(name) ?? [])]) listener(detail);
  },

  /** Fetch the catalogue and settle language and theme. */
  async begin() {
    this.setTheme(preferredTheme(), { keep: false });
    this.setLanguage(preferredLanguage(), { keep: false });
    this.catalogue = await get("/api/catalogue");
    this.emit("catalogue", this.catalogue);
  },

  /**
   * Run a scenario as a new root branch. It plays from the start, or stands still at event `at`. Its title is a text, or a
   * function that gives it in the language of the page. Resolves to the branch; to null if the server refused, after an
   * "error" event (with `quiet` the error is thrown instead).
   */
  async openScenario(scenario, { code, at, title, play, quiet = false } = {}) {
    const answer = await this.compute(scenario, code, quiet);
    if (answer === null) return null;
    const branch = this.addBranch(answer, { code, title: title ?? scenario.title ?? "", parent: null, from: -1 });
    this.show(branch, at ?? -1);
    if (play ?? at === undefined) this.play();
    return branch;
  },

  /**
   * A new branch from the cursor: `change` turns a copy of the branch's scenario into the new one, and `label` is its title.
   * Plays on if it played. `back: true` shows it from its start, for a change that concerns the past, too.
   */
  async fork(change, label, { quiet = false, back = false } = {}) {
    const parent = this.branch;
    if (parent === null || parent.shown) return null;
    const scenario = change(structuredClone(parent.scenario));
    const answer = await this.compute(scenario, parent.code, quiet);
    if (answer === null) return null;
    const playing = this.playing;
    const from = this.cursor;
    const branch = this.addBranch(answer, { code: parent.code, title: label, parent, from });
    this.show(branch, back ? Math.min(from, branch.divergence - 1) : Math.min(from, answer.events.length - 1));
    if (playing) this.play();
    return branch;
  },

  /**
   * Show a run that was made elsewhere: step by step, or live. Shown again under the same title it takes the place of
   * the one before ("grown" is emitted then, not "run"); `at` is the event to stand at, the last one unless told.
   */
  showRun(run, { title = "", live = false, at } = {}) {
    const again = this.branch?.shown && this.branch.title === inWords(title) ? this.branch : null;
    const branch = again ?? this.addBranch(run, { title, parent: null, from: -1, shown: true });
    const follow = again === null || this.cursor >= branch.run.events.length - 1;
    if (again) Object.assign(again, { run, scenario: run.scenario, model: new Model(run) });
    this.show(branch, at ?? (follow ? run.events.length - 1 : this.cursor), { live, grown: again !== null });
    return branch;
  },

  async compute(scenario, code, quiet) {
    this.busy = true;
    this.emit("busy", true);
    try {
      return await post("/api/run", code === undefined ? { scenario } : { scenario, code });
    } catch (error) {
      if (quiet) throw error;
      this.report(error);
      return null;
    } finally {
      this.busy = false;
      this.emit("busy", false);
    }
  },

  /** Tell the user of an error. */
  report(error) {
    this.emit("error", error);
  },

  addBranch(run, { code, title, parent, from, shown = false }) {
    const branch = {
      id: (this.branches.at(-1)?.id ?? -1) + 1,
      get title() {
        return inWords(title);
      },
      parent,
      from,
      code,
      shown,
      run,
      scenario: run.scenario,
      model: new Model(run),
      cursor: -1,
    };
    branch.divergence = parent ? branch.model.divergenceFrom(parent.model) : 0;
    if (parent) parent.welcome = false; // what was made of it would hang in the air without it
    this.branches = this.branches.filter((known) => !known.welcome); // nobody asked for that one
    this.branches.push(branch);
    return branch;
  },

  /** Show a branch, at an event or where it was left. */
  show(branch, at = branch.cursor, { live = false, grown = false } = {}) {
    this.pause();
    if (this.branch) this.branch.cursor = this.cursor;
    const changed = this.branch !== branch || this.run !== branch.run;
    this.live = live;
    this.branch = branch;
    this.run = branch.run;
    this.model = branch.model;
    if (this.selected?.process !== undefined && !this.model.placeOf.has(this.selected.process)) this.selected = null;
    if (changed && this.selected?.process === undefined) this.selected = null;
    this.cursor = clamp(at, -1, this.run.events.length - 1);
    this.position = this.model.reachOf(this.cursor);
    if (changed) this.emit(grown ? "grown" : "run", this.run);
    this.emit("branch", branch);
    this.emit("cursor", this.cursor);
  },

  /** Take a branch away in which nothing has happened, and show the one that it was made from. */
  withdraw(branch, origin) {
    const kept = this.branches.filter((known) => known !== branch && known !== origin);
    this.branches = [origin, ...kept].sort((a, b) => a.id - b.id);
    if (this.compared === branch) this.compare(null);
    this.show(origin);
  },

  /** Lay another branch beside the current one; null takes it away. */
  compare(branch) {
    this.compared = branch === this.branch ? null : branch;
    this.emit("compare", this.compared);
  },

  /** Go to an event; -1 is before the first. */
  seek(index) {
    if (this.model === null) return;
    const before = this.cursor;
    this.cursor = clamp(index, -1, this.run.events.length - 1);
    this.position = this.model.reachOf(this.cursor);
    this.emit("position", this.position);
    if (before !== this.cursor) this.emit("cursor", this.cursor);
  },

  /** Go to a place on the time axis, between events. */
  seekPosition(position) {
    if (this.model === null) return;
    const before = this.cursor;
    this.position = clamp(position, this.model.start, this.model.length);
    this.cursor = this.model.cursorAt(this.position);
    this.emit("position", this.position);
    if (before !== this.cursor) this.emit("cursor", this.cursor);
  },

  /** Let time run. At the end it begins again. */
  play() {
    if (this.model === null || this.playing) return;
    if (this.cursor >= this.run.events.length - 1 && !this.live) this.seek(-1);
    this.playing = true;
    this.emit("playing", true);
  },

  /** Let time stand. */
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.emit("playing", false);
  },

  /** How fast it plays; 1 is made for reading. */
  setSpeed(speed) {
    this.speed = speed;
    this.emit("speed", speed);
  },

  /** Choose `{process}`, `{event}`, `{message}`, `{link: [a, b]}`, `{processes: [...]}`; null: nothing. */
  select(what) {
    this.selected = what;
    this.emit("select", what);
  },

  /** Speak another language from now on. */
  setLanguage(language, { keep = true } = {}) {
    speak(language);
    this.language = language;
    if (keep) window.localStorage.setItem("habemus-language", language);
    document.documentElement.lang = language === "pt" ? "pt-BR" : "en";
    translate(document.documentElement);
    this.emit("language", language);
  },

  /** "light" or "dark". */
  setTheme(theme, { keep = true } = {}) {
    this.theme = theme;
    if (keep) window.localStorage.setItem("habemus-theme", theme);
    document.documentElement.dataset.theme = theme;
    this.emit("theme", theme);
  },

  /**
   * Make a mode known. `glyph` is the path of its sign in a box of 20 by 20; its name is the words "mode.NAME";
   * `mount(element)` fills its panel, `unmount()` cleans up. `size` is where the panel goes: "side" (in the drawer), "half" (a wide
   * drawer), "full" (instead of stage and diagram). `available()` says whether there is anything to it right now.
   */
  registerMode(name, { glyph = "", mount, unmount = () => {}, size = "side", available = () => true }) {
    modes.set(name, { name, glyph, mount, unmount, size, available });
    this.emit("modes", [...modes.values()]);
  },

  /** The modes, in the order in which they were made known. */
  get modes() {
    return [...modes.values()];
  },

  /** Change to a mode. */
  setMode(name) {
    const mode = modes.get(name);
    if (mode === undefined || (mounted && this.mode === name)) return;
    mounted?.unmount();
    const panel = document.getElementById("panel");
    panel.replaceChildren();
    this.mode = name;
    document.body.dataset.mode = name;
    document.body.dataset.size = mode.size;
    mounted = mode;
    mode.mount(panel);
    translate(panel);
    this.emit("mode", name);
  },
};

function preferredTheme() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  return window.localStorage.getItem("habemus-theme") ?? (dark ? "dark" : "light");
}

function inWords(title) {
  return typeof title === "function" ? title() : title;
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
