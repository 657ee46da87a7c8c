// The store of the page: which run is shown, at which moment, in which branch; and the listeners to changes.
//
// A moment has two coordinates. `cursor` is the index of the last event that has happened (-1: none yet); everything discrete
// follows it. `position` is a point of the diagram's time axis between that event and the next; everything that moves
// smoothly follows it. A fault by hand takes effect in the tick that is shown, or in the next one if events of that tick have
// happened, so that the past stays as it was: the scenario is run again with the fault in it, and the new run becomes a branch
// of the old one.

import { setMessageNames } from "../model/message-names.js";
import { Model } from "../model/model.js";
import { preferredLanguage, translate, useLanguage } from "../words/text.js";
import { get, post } from "./api.js";

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
  compared: null, // the branch shown beside the current one
  selected: null,
  hidden: new Set(), // types of messages that are not drawn
  collapsed: new Set(), // ids of processes whose lanes in the diagram are collapsed
  busy: false,
  live: false, // whether the run is still growing
  frames: null, // set by playback.js: the measured frames

  /** Call `listener(detail)` at every `emit(name, detail)`; returns a function that removes the listener. */
  on(name, listener) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
    return () => listeners.get(name).delete(listener);
  },

  /** Call all listeners to `name`. */
  emit(name, detail) {
    for (const listener of [...(listeners.get(name) ?? [])]) listener(detail);
  },

  /** Choose language and theme, and fetch the catalogue. */
  async begin() {
    this.setTheme(preferredTheme(), { keep: false });
    this.setLanguage(preferredLanguage(), { keep: false });
    this.catalogue = await get("/api/catalogue");
    this.emit("catalogue", this.catalogue);
  },

  /**
   * Run a scenario as a new root branch. It plays from the start, or is paused at event `at`. Its title is a text, or a
   * function that returns it in the language of the page. Resolves to the branch; to null if the server refused, after an
   * "error" event (with `quiet` the error is thrown instead).
   */
  async openScenario(scenario, { code, at, title, play, quiet = false } = {}) {
    const answer = await this.compute(scenario, code, quiet);
    if (answer === null) return null;
    const branch = this.addBranch(answer, { code, title: title ?? scenario.title ?? "", parent: null, from: -1 });
    this.collapsed.clear(); // of other processes
    this.show(branch, at ?? -1);
    if (play ?? at === undefined) this.play();
    return branch;
  },

  /** The tick in which a fault by hand takes effect: the one shown, or the next if something has happened in it. */
  get forkTime() {
    return Math.max(Math.floor(this.model.timeAt(this.position)), this.model.timeOf(this.cursor) + 1);
  },

  /**
   * Make a new branch at the cursor: `change` turns a copy of the branch's scenario into the new one, and `label` is its
   * title. It plays if the old one did. `back: true` shows it from where it differs, for a change that affects the past.
   */
  async fork(change, label, { quiet = false, back = false } = {}) {
    const parent = this.branch;
    if (parent === null || parent.shown) return null;
    const scenario = change(structuredClone(parent.scenario));
    const answer = await this.compute(scenario, parent.code, quiet);
    if (answer === null) return null;
    const { playing, cursor: from, forkTime: at } = this;
    const time = this.model.timeAt(this.position);
    const branch = this.addBranch(answer, { code: parent.code, title: label, parent, from, at });
    this.show(branch, back ? Math.min(from, branch.divergence - 1) : Math.min(from, answer.events.length - 1));
    if (!back) this.seekPosition(branch.model.positionAt(time, from));
    if (playing) this.play();
    return branch;
  },

  /**
   * Show a run that does not come from a scenario: step by step, or live. A run with the same title as the current one
   * replaces it ("grown" is emitted then, not "run"); `at` is the event to show, by default the last one.
   */
  showRun(run, { title = "", live = false, at } = {}) {
    const again = this.branch?.shown && this.branch.title === titleText(title) ? this.branch : null;
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

  /** Show an error to the user. */
  report(error) {
    this.emit("error", error);
  },

  addBranch(run, { code, title, parent, from, at = 0, shown = false }) {
    const branch = {
      id: (this.branches.at(-1)?.id ?? -1) + 1,
      name: undefined, // given by the user
      get title() {
        return this.name ?? titleText(title);
      },
      parent,
      from, // the last event in common with the parent
      at, // the tick in which it was made
      code,
      shown,
      run,
      scenario: run.scenario,
      model: new Model(run),
      cursor: -1,
    };
    branch.divergence = parent ? branch.model.divergenceFrom(parent.model) : 0;
    if (parent) parent.welcome = false; // a branch needs its parent
    this.branches = this.branches.filter((known) => !known.welcome); // the first run of the page, which the user did not ask for
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
    if (this.selected?.process !== undefined && !this.model.seatOf.has(this.selected.process)) this.selected = null;
    if (changed && this.selected?.process === undefined) this.selected = null;
    this.cursor = clamp(at, -1, this.run.events.length - 1);
    this.position = this.model.reachOf(this.cursor);
    this.nameMessages();
    if (changed) this.emit(grown ? "grown" : "run", this.run);
    this.emit("branch", branch);
    this.emit("cursor", this.cursor);
  },

  /** Remove a branch in which nothing has happened, and show the one that it was made from. */
  withdraw(branch, origin) {
    const kept = this.branches.filter((known) => known !== branch && known !== origin);
    this.branches = [origin, ...kept].sort((a, b) => a.id - b.id);
    if (this.compared === branch) this.compare(null);
    this.show(origin);
  },

  /** Remove a branch and those made from it; the one it was made from is shown, or the first that is left. */
  closeBranch(branch) {
    const isGone = (each) => each !== null && (each === branch || isGone(each.parent));
    const left = this.branches.filter((each) => !isGone(each));
    if (!left.length) return;
    this.branches = left;
    if (isGone(this.compared)) this.compare(null);
    if (isGone(this.branch)) this.show(branch.parent ?? left[0]);
    else this.emit("branch", this.branch);
  },

  nameBranch(branch, name) {
    branch.name = name;
    this.emit("branch", this.branch);
  },

  /** Show another branch beside the current one; null removes it. */
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

  /** Go to a position on the time axis, between events. */
  seekPosition(position) {
    if (this.model === null) return;
    const before = this.cursor;
    this.position = clamp(position, this.model.start, this.model.length);
    this.cursor = this.model.cursorAt(this.position);
    this.emit("position", this.position);
    if (before !== this.cursor) this.emit("cursor", this.cursor);
  },

  /** Start playback; at the end of the run it starts again from the beginning. */
  play() {
    if (this.model === null || this.playing) return;
    if (this.cursor >= this.run.events.length - 1 && !this.live) this.seek(-1);
    this.playing = true;
    this.emit("playing", true);
  },

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.emit("playing", false);
  },

  setSpeed(speed) {
    this.speed = speed;
    this.emit("speed", speed);
  },

  /** Select `{process}`, `{event}`, `{message}`, `{link: [a, b]}`, `{processes: [...]}`; null: nothing. */
  select(what) {
    this.selected = what;
    this.emit("select", what);
  },

  /** Draw messages of a type no more, or again. */
  toggleType(type) {
    if (!this.hidden.delete(type)) this.hidden.add(type);
    this.emit("filter", this.hidden);
  },

  /** Collapse the lanes of some processes in the diagram; open them if they are collapsed. */
  toggleLanes(ids) {
    for (const id of ids) if (!this.collapsed.delete(id)) this.collapsed.add(id);
    this.emit("lanes", this.collapsed);
  },

  openLanes() {
    this.toggleLanes([...this.collapsed]);
  },

  setLanguage(language, { keep = true } = {}) {
    useLanguage(language);
    this.language = language;
    if (keep) window.localStorage.setItem("habemus-language", language);
    document.documentElement.lang = language === "pt" ? "pt-BR" : "en";
    translate(document.documentElement);
    this.nameMessages();
    this.emit("language", language);
  },

  /** Call the messages of the run what lecture notes in the language of the page call them. */
  nameMessages() {
    setMessageNames(this.language === "pt" ? this.run?.message_names : {});
  },

  /** "light" or "dark". */
  setTheme(theme, { keep = true } = {}) {
    this.theme = theme;
    if (keep) window.localStorage.setItem("habemus-theme", theme);
    document.documentElement.dataset.theme = theme;
    this.emit("theme", theme);
  },

  /**
   * Register a mode. `glyph` is the path of its icon in a box of 20 by 20; its label is the words "mode.NAME";
   * `mount(element)` fills its panel, `unmount()` cleans up. `size` is where the panel goes: "side" (in the drawer), "half" (a
   * wide drawer), "full" (instead of stage and diagram). `available()` says whether the mode can be used now.
   */
  registerMode(name, { glyph = "", mount, unmount = () => {}, size = "side", available = () => true }) {
    modes.set(name, { name, glyph, mount, unmount, size, available });
    this.emit("modes", [...modes.values()]);
  },

  /** The modes, in the order of their registration. */
  get modes() {
    return [...modes.values()];
  },

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

function titleText(title) {
  return typeof title === "function" ? title() : title;
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
