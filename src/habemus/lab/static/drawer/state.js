// The state sheet: a process after the cursor's event, with what has just changed; the selected message; all messages under
// way; and the faults that can be added.

import { canBranch, messageActions, offerFaults, processActions, transmissionsUnderWay } from "../faults/actions.js";
import { labelOf, shortValue } from "../model/values.js";
import { lab } from "../store/lab.js";
import { build } from "../widgets/elements.js";
import { plainSentenceOf } from "../words/sentences.js";
import { t } from "../words/text.js";

const MOST_CHIPS = 40;
const MOST_UNDER_WAY = 24;

export class StateSheet {
  constructor() {
    this.element = build("div");
  }

  update() {
    const { model, cursor, selected } = lab;
    const focus = document.activeElement?.closest?.("[data-focus]")?.dataset.focus;
    const id = selected?.process ?? model.ids[Math.max(0, model.lanes[cursor] ?? 0)];
    const message = selected?.message;
    this.element.replaceChildren(
      ...(model.transmissionsOf.has(message) ? messageParts(message) : []),
      ...processParts(id, cursor),
      ...underWayParts(cursor),
    );
    if (focus) this.element.querySelector(`[data-focus="${focus}"]`)?.focus();
  }
}

// The process -----------------------------------------------------------------------------------------------------------

function processParts(id, cursor) {
  const { model } = lab;
  const seat = model.seatOf.get(id);
  const { roles, status } = model.processAt(seat, cursor);
  const words = roles.map((role) => t(`role.${role}`));
  if (status !== "up") words.push(t(`status.${status}`));
  const parts = [chooser(id), headline(t("process", { id }), words.join(", "))];
  const last = model.lastStep(seat, cursor);
  if (last >= 0) {
    const event = model.events[last];
    parts.push(build("p.soft", {}, `${event.time}: ${plainSentenceOf(event)}`));
  }
  parts.push(...layerParts(seat, cursor, last, status === "crashed"), ...timerParts(seat, cursor));
  if (canBranch()) parts.push(build("h2", {}, t("act", { time: lab.forkTime })), actionRow(processActions(id)));
  return parts;
}

function layerParts(seat, cursor, last, crashed) {
  const { model } = lab;
  const event = last < 0 ? {} : model.events[last];
  const before = last < 0 ? [] : model.stateAt(seat, last - 1);
  const layers = model.stateAt(seat, cursor);
  return layers.flatMap(({ layer, fields, durable }, k) => {
    const here = layers.length === 1 || layer === event.layer;
    const rows = Object.entries(fields).map(([name, value]) => {
      const changed = here && name in (event.changed ?? {});
      const lasting = durable.includes(name);
      const was = changed && before[k] ? build("span.was", {}, shortValue(before[k].fields[name])) : null;
      return build(
        "tr",
        { class: [changed ? "changed" : "", crashed && !lasting ? "lost" : ""].join(" ").trim() || null },
        build("th", { scope: "row" }, name, lasting ? build("sup", { title: t("durable") }, " ◆") : null),
        build("td", {}, was, shortValue(value)),
      );
    });
    return [layers.length > 1 ? build("h2", {}, layer) : "", build("table.state", {}, build("tbody", {}, rows))];
  });
}

function timerParts(seat, cursor) {
  const { model } = lab;
  const timers = model.timers.at(seat, cursor);
  if (!timers.length) return [];
  const now = model.timeOf(cursor);
  const rows = timers.map(({ name, deadline }) => [name, t("timer.left", { left: deadline - now, deadline })]);
  return [build("h2", {}, t("timers")), tableOf(rows)];
}

function chooser(id) {
  const { model } = lab;
  if (model.n > MOST_CHIPS) return buildSelect(id);
  const chips = model.ids.map((other) => {
    const pressed = { "aria-pressed": String(other === id), "aria-label": t("process", { id: other }) };
    const onclick = () => lab.select({ process: other });
    return build("button", { type: "button", "data-focus": `chip${other}`, onclick, ...pressed }, String(other));
  });
  return build("div.chips", { role: "group", "aria-label": t("process.choose") }, chips);
}

const selects = new WeakMap(); // model -> its list of processes, too long to be built at every step

function buildSelect(id) {
  const { model } = lab;
  if (!selects.has(model)) {
    const options = [...model.ids].sort((a, b) => a - b).map((other) => build("option", { value: other }, String(other)));
    const onchange = ({ currentTarget }) => lab.select({ process: Number(currentTarget.value) });
    selects.set(model, build("select", { "data-focus": "chooser", onchange }, options));
  }
  const select = selects.get(model);
  select.value = String(id);
  return build("label.field", {}, build("span", {}, t("process.choose")), select);
}

// Messages --------------------------------------------------------------------------------------------------------------

function messageParts(message) {
  const { model } = lab;
  const transmissions = model.transmissionsOf.get(message);
  const { envelope, sent } = transmissions[0];
  const rows = Object.entries(envelope.fields ?? {}).map(([name, value]) => [name, shortValue(value)]);
  rows.push([t("message.number"), String(message)], [t("message.sent"), String(model.events[sent].time)]);
  for (const { fate, end } of transmissions) {
    const became = t(["message.received", "message.lost", "message.underway"][fate]);
    rows.push([became, end < 0 ? "" : String(model.events[end].time)]);
  }
  const parts = [headline(labelOf(envelope), `${envelope.sender} → ${envelope.to}`), tableOf(rows)];
  if (transmissionsUnderWay(message).length) parts.push(canBranch() ? actionRow(messageActions(message)) : "");
  else {
    const onclick = () => lab.seek(sent);
    parts.push(build("button.plain", { type: "button", "data-focus": "go", onclick }, t("message.go")));
  }
  parts.push(build("hr"));
  return parts;
}

function underWayParts(cursor) {
  const transmissions = [];
  lab.model.underWay(cursor, (transmission) => transmissions.push(transmission));
  if (!transmissions.length) return [];
  const shown = transmissions.slice(0, MOST_UNDER_WAY).map(({ envelope, number }) => {
    const onclick = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      lab.select({ message: envelope.message });
      offerFaults({ message: envelope.message }, { clientX: box.left, clientY: box.bottom });
    };
    const named = { "data-message": envelope.message, "data-focus": `message${number}` };
    const label = `${labelOf(envelope)} ${envelope.sender}→${envelope.to}`;
    return build("button.plain", { type: "button", onclick, ...named }, label);
  });
  const rest = transmissions.length - shown.length;
  return [
    build("h2", {}, t("underway", { count: transmissions.length })),
    build("div.actions", {}, shown),
    rest ? build("p.soft", {}, t("underway.more", { count: rest })) : "",
  ];
}

// Pieces ----------------------------------------------------------------------------------------------------------------

function headline(title, note) {
  return build("div.headline", {}, build("h2", {}, title), note ? build("span.soft", {}, note) : null);
}

function tableOf(rows) {
  const lines = rows.map(([name, value]) => build("tr", {}, build("th", { scope: "row" }, name), build("td", {}, value)));
  return build("table.state", {}, build("tbody", {}, lines));
}

/** The actions that need no value, as buttons; the menu on the stage has the others. */
function actionRow(actions) {
  const buttons = actions
    .filter((action) => action && action.value === undefined)
    .map(({ label, name, run }) => {
      const named = { "data-action": name, "data-focus": `do ${name}` };
      return build("button.plain", { type: "button", onclick: () => run(), ...named }, label);
    });
  return build("div.actions", {}, buttons);
}
