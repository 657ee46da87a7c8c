// The drawer: the state of a process or an event, the source, the story, the script, the figures; and the panel of the
// mode.

import { canFork, flightsUnderWay, messageActions, offer, processActions } from "./faults.js";
import { lab } from "./lab.js";
import { labelOf, shortValue } from "./model.js";
import { ScriptSheet } from "./script.js";
import { plainSentence } from "./sentences.js";
import { SourceSheet } from "./source.js";
import { StorySheet } from "./story.js";
import { has, number, t, translate } from "./text.js";

const MOST_CHIPS = 40;

export class Drawer {
  constructor(tabs, sheet, panel) {
    this.tabs = tabs;
    this.sheet = sheet;
    this.panel = panel;
    this.story = new StorySheet();
    this.source = new SourceSheet();
    this.script = new ScriptSheet();
    this.state = { element: document.createElement("div"), update: () => drawState(this.state.element) };
    this.figures = { element: document.createElement("div"), update: () => drawFigures(this.figures.element) };
    this.sheets = { state: this.state, source: this.source, story: this.story, script: this.script, figures: this.figures };
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

function make(tag, { text, className, children = [], ...attributes } = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// State ---------------------------------------------------------------------------------------------------------------

function drawState(element) {
  const { model, cursor, selected } = lab;
  const focus = document.activeElement?.closest?.("[data-focus]")?.dataset.focus;
  const message = selected?.message;
  const index = selected?.event ?? cursor;
  const id = selected?.process ?? model.ids[Math.max(0, model.lanes[index] ?? 0)];
  const parts = [];
  if (message !== undefined && model.flightsOf.has(message)) parts.push(...messageParts(message));
  parts.push(...processParts(id, selected?.event ?? cursor), ...underWayParts());
  element.replaceChildren(...parts);
  if (focus) element.querySelector(`[data-focus="${focus}"]`)?.focus();
}

function processParts(id, cursor) {
  const { model } = lab;
  const place = model.placeOf.get(id);
  const view = model.processAt(place, cursor);
  const parts = [chooser(id)];
  const title = make("div", { className: "headline", children: [make("h2", { text: t("process", { id }) })] });
  const words = [...view.roles.map((role) => t(`role.${role}`)), ...(view.status === "up" ? [] : [t(`status.${view.status}`)])];
  if (words.length) title.append(make("span", { className: "soft", text: words.join(", ") }));
  parts.push(title);
  const last = model.lastStep(place, cursor);
  if (last >= 0) parts.push(make("p", { className: "soft", text: `${model.events[last].time}: ${plainSentence(model.events[last])}` }));
  const changed = last >= 0 ? model.events[last].changed ?? {} : {};
  const layerOfChange = last >= 0 ? model.events[last].layer ?? "" : "";
  const layers = model.stateAt(place, cursor);
  const before = last >= 0 ? model.stateAt(place, last - 1) : [];
  layers.forEach(({ layer, fields, durable }, k) => {
    if (layers.length > 1) parts.push(make("h2", { text: layer }));
    const here = layers.length === 1 || layer === layerOfChange;
    const rows = Object.entries(fields).map(([name, value]) => {
      const isNew = here && name in changed;
      const lost = view.status === "crashed" && !durable.includes(name);
      const label = make("th", { text: name, scope: "row" });
      if (durable.includes(name)) label.append(make("sup", { text: " ◆", title: t("durable") }));
      const cell = make("td");
      if (isNew && before[k]) cell.append(make("span", { className: "was", text: shortValue(before[k].fields[name]) }));
      cell.append(shortValue(value));
      return make("tr", { className: [isNew ? "changed" : "", lost ? "lost" : ""].join(" "), children: [label, cell] });
    });
    parts.push(make("table", { className: "state", children: [make("tbody", { children: rows })] }));
  });
  const timers = model.timersAt(place, cursor);
  if (timers.length) {
    parts.push(make("h2", { text: t("timers") }));
    const now = model.timeOf(cursor);
    const rows = timers.map((timer) =>
      make("tr", { children: [make("th", { text: timer.name, scope: "row" }), make("td", { text: t("timer.left", { left: timer.deadline - now, deadline: timer.deadline }) })] }),
    );
    parts.push(make("table", { className: "state", children: [make("tbody", { children: rows })] }));
  }
  if (canFork()) parts.push(make("h2", { text: t("act", { time: model.timeOf(lab.cursor) + 1 }) }), actionRow(processActions(id)));
  return parts;
}

function chooser(id) {
  const { model } = lab;
  if (model.n > MOST_CHIPS) {
    const select = make("select", { "aria-label": t("process.choose"), "data-focus": "chooser" });
    select.append(...[...model.ids].sort((a, b) => a - b).map((other) => make("option", { text: String(other), value: other })));
    select.value = String(id);
    select.addEventListener("change", () => lab.select({ process: Number(select.value) }));
    return make("label", { className: "field", children: [make("span", { text: t("process.choose") }), select] });
  }
  const chips = model.ids.map((other) => {
    const chip = make("button", { type: "button", text: String(other), "aria-pressed": String(other === id), "data-focus": `chip${other}`, "aria-label": t("process", { id: other }) });
    chip.addEventListener("click", () => lab.select({ process: other }));
    return chip;
  });
  return make("div", { className: "chips", role: "group", "aria-label": t("process.choose"), children: chips });
}

function actionRow(actions) {
  const buttons = actions
    .filter((action) => action && action.value === undefined)
    .map((action) => {
      const button = make("button", { type: "button", className: "plain", text: action.label, "data-action": action.name, "data-focus": `do${action.name}` });
      button.addEventListener("click", () => action.run());
      return button;
    });
  return make("div", { className: "row actions", children: buttons, style: "display:flex;flex-wrap:wrap;gap:6px" });
}

function messageParts(message) {
  const { model } = lab;
  const flights = model.flightsOf.get(message);
  const { carried, sent } = flights[0];
  const parts = [make("div", { className: "headline", children: [make("h2", { text: labelOf(carried) }), make("span", { className: "soft", text: `${carried.sender} → ${carried.to}` })] })];
  const rows = Object.entries(carried.fields ?? {}).map(([name, value]) => [name, shortValue(value)]);
  rows.push([t("message.number"), String(message)], [t("message.sent"), String(model.events[sent].time)]);
  for (const flight of flights) {
    const words = ["message.received", "message.lost", "message.underway"][flight.fate];
    rows.push([t(words), flight.end < 0 ? "" : String(model.events[flight.end].time)]);
  }
  const lines = rows.map(([name, value]) => make("tr", { children: [make("th", { text: name, scope: "row" }), make("td", { text: value })] }));
  parts.push(make("table", { className: "state", children: [make("tbody", { children: lines })] }));
  if (flightsUnderWay(message).length && canFork()) parts.push(actionRow(messageActions(message)));
  else {
    const go = make("button", { type: "button", className: "plain", text: t("message.go"), "data-focus": "go" });
    go.addEventListener("click", () => lab.seek(sent));
    parts.push(go);
  }
  parts.push(make("hr", { style: "border:0;border-top:1px solid var(--faint);margin:14px 0" }));
  return parts;
}

function underWayParts() {
  const { model, cursor } = lab;
  const flights = [];
  model.underWay(cursor, (flight) => flights.push(flight));
  if (!flights.length) return [];
  const shown = flights.slice(0, 24).map((flight) => {
    const button = make("button", {
      type: "button",
      className: "plain",
      text: `${labelOf(flight.carried)} ${flight.carried.sender}→${flight.carried.to}`,
      "data-message": flight.carried.message,
      "data-focus": `message${flight.number}`,
      style: `color:var(--ink)`,
    });
    button.addEventListener("click", () => {
      lab.select({ message: flight.carried.message });
      const box = button.getBoundingClientRect();
      offer({ message: flight.carried.message }, { clientX: box.left, clientY: box.bottom });
    });
    return button;
  });
  const list = make("div", { style: "display:flex;flex-wrap:wrap;gap:6px", children: shown });
  const more = flights.length > shown.length ? [make("p", { className: "soft", text: t("underway.more", { count: flights.length - shown.length }) })] : [];
  return [make("h2", { text: t("underway", { count: flights.length }) }), list, ...more];
}

// Figures -------------------------------------------------------------------------------------------------------------

function short(value) {
  return number(Math.round(value * 100) / 100);
}

function drawFigures(element) {
  const { model, run, cursor } = lab;
  const upTo = cursor + 1;
  const complete = run.kept === undefined || run.kept === run.total;
  const rows = [
    ["figures.messages", model.sentUpTo[upTo], run.messages],
    ["figures.bits", model.bitsUpTo[upTo], complete ? model.bitsUpTo.at(-1) : run.bits],
    ["figures.time", model.timeOf(cursor), run.time],
    ["figures.rounds", model.roundsUpTo[upTo], run.rounds],
  ];
  const table = make("table", {
    className: "tally",
    children: rows.map(([key, now, all]) =>
      make("tr", {
        children: [
          make("th", { text: t(key), scope: "row", title: t(`${key}.means`) }),
          make("td", { className: "number", text: number(now) }),
          make("td", { className: "of", text: all === null || all === undefined ? "" : t("figures.of", { all: number(all) }) }),
        ],
      }),
    ),
  });
  const parts = [make("h2", { text: t("figures.sofar") }), table];
  if (run.bound) {
    const { value, formula } = run.bound;
    const most = Math.max(value, run.messages) || 1;
    const gauge = make("div", { className: "gauge", role: "img", "aria-label": t("figures.bound", { messages: number(run.messages), bound: number(Math.round(value)), formula }) });
    gauge.append(make("i", { style: `width:${(100 * model.sentUpTo[upTo]) / most}%` }), make("b", { style: `left:${(100 * value) / most}%` }));
    parts.push(make("h2", { text: t("figures.against") }), gauge, make("p", { className: "soft", text: t("figures.bound", { messages: number(run.messages), bound: number(Math.round(value)), formula }) }));
  }
  const counts = [...model.sentByType(cursor)];
  const most = Math.max(1, ...Object.values(run.messages_by_type ?? {}), ...counts.map(([, count]) => count));
  parts.push(make("h2", { text: t("figures.types") }));
  parts.push(
    make("table", {
      className: "tally",
      children: counts.map(([type, count]) => {
        const bar = make("td", { style: "width:45%;padding:0 12px" });
        bar.append(make("div", { style: `height:6px;border-radius:3px;background:var(--lane);width:${Math.max(count ? 2 : 0, (100 * count) / most)}%` }));
        return make("tr", { children: [make("th", { text: type, scope: "row" }), bar, make("td", { className: "number", text: number(count) })] });
      }),
    }),
  );
  for (const [key, figures] of [["figures.lock", run.lock], ["figures.detection", run.detection]]) {
    if (!figures) continue;
    const rows = Object.entries(figures).filter(([name, value]) => value !== null && has(`figures.${name}`) && !Array.isArray(value));
    const written = (value) => (typeof value === "number" ? short(value) : t("figures.summary", { mean: short(value.mean), most: short(value.max) }));
    parts.push(make("h2", { text: t(key) }));
    parts.push(
      make("table", {
        className: "tally",
        children: rows.map(([name, value]) => make("tr", { children: [make("th", { text: t(`figures.${name}`), scope: "row" }), make("td", { className: "number", text: written(value) })] })),
      }),
    );
  }
  parts.push(make("h2", { text: t("figures.properties") }));
  parts.push(
    make("table", {
      className: "tally",
      children: (run.properties ?? []).map((property) =>
        make("tr", {
          children: [make("th", { text: t(`property.${property.name}`), scope: "row", title: t(`property.${property.name}.means`) }), make("td", { className: property.verdict === false ? "accused" : "", text: t(`verdict.${property.verdict}`) })],
        }),
      ),
    }),
  );
  parts.push(make("p", { className: "soft", text: t(`ended.${run.ended}`) }), make("p", { className: "soft", text: `${t("digest")} ${String(run.digest ?? "").slice(0, 16)}` }));
  element.replaceChildren(...parts);
}
