// The figures sheet: what the run has cost up to the cursor and in all, against the proven bound; and its properties.

import { nameOfType } from "../model/message-names.js";
import { lab } from "../store/lab.js";
import { isViolated } from "../store/violations.js";
import { build } from "../widgets/elements.js";
import { verdictOf } from "../words/sentences.js";
import { formatNumber, hasWords, t, translateSentence } from "../words/text.js";
import { countParts, levelParts, remarkParts } from "./counts.js";

const MOST_HANDLED = 5; // rows

export class FiguresSheet {
  constructor() {
    this.element = build("div");
  }

  update() {
    const { run } = lab;
    this.element.replaceChildren(
      ...costParts(),
      ...(run.bound ? boundParts(run) : []),
      ...remarkParts(),
      ...countParts(),
      ...levelParts(),
      ...typeParts(),
      ...handledParts(),
      ...qualityParts("figures.lock", run.lock),
      ...qualityParts("figures.detection", run.detection),
      ...propertyParts(run),
      build("p.soft", {}, hasWords(`ended.${run.ended}`) ? t(`ended.${run.ended}`) : ""),
      build("p.soft", {}, run.digest ? `${t("digest")} ${run.digest.slice(0, 16)}` : ""),
    );
  }
}

function row(name, ...cells) {
  return build("tr", {}, build("th", { scope: "row" }, name), cells);
}

function amount(value) {
  return build("td.number", {}, typeof value === "number" ? formatNumber(Math.round(value * 100) / 100) : value);
}

function costParts() {
  const { model, run, cursor } = lab;
  const upTo = cursor + 1;
  const rows = [
    ["figures.messages", model.sentUpTo[upTo], run.messages],
    ["figures.bits", model.bitsUpTo[upTo], run.bits],
    ["figures.time", model.timeOf(cursor), run.time],
    ["figures.rounds", model.roundsUpTo[upTo], run.rounds],
  ].map(([key, now, all]) => {
    const whole = build("td.of", {}, all === null || all === undefined ? "" : t("figures.of", { all: formatNumber(all) }));
    const line = row(t(key), amount(now), whole);
    line.title = t(`${key}.means`);
    return line;
  });
  return [build("h2", {}, t("figures.sofar")), build("table.tally", {}, rows)];
}

/** The bound of an election is on all its messages, that of a lock on the messages of an entry. */
function boundParts({ bound, lock, messages }) {
  const { model, cursor } = lab;
  const spent = lock ? (lock.messages_per_entry ?? 0) : model.sentUpTo[cursor + 1];
  const all = lock ? spent : messages;
  const most = Math.max(bound.value, all) || 1;
  const share = (part) => `${((100 * part) / most).toFixed(1)}%`;
  const words = t(lock ? "figures.bound.entry" : "figures.bound", {
    messages: formatNumber(Math.round(all * 100) / 100),
    bound: formatNumber(Math.round(bound.value)),
    formula: translateSentence(bound.formula),
  });
  const gauge = build(
    "div.gauge",
    { role: "img", "aria-label": words },
    build("i", { style: `width:${share(spent)}` }),
    build("b", { style: `left:${share(bound.value)}` }),
  );
  return [build("h2", {}, t("figures.against")), gauge, build("p.soft", {}, words)];
}

function typeParts() {
  const { model, cursor } = lab;
  const counts = [...model.sentByType(cursor)];
  const most = Math.max(1, ...model.sentByType(model.events.length).values());
  const rows = counts.map(([type, count]) => {
    const width = `${Math.max(count ? 2 : 0, (100 * count) / most)}%`;
    return row(nameOfType(type), build("td.bar", {}, build("div", { style: `width:${width}` })), amount(count));
  });
  return [build("h2", {}, t("figures.types")), build("table.tally.bars", {}, rows)];
}

/** The busiest processes: how many messages each has handled, and which share of all that is. */
function handledParts() {
  const { model, cursor } = lab;
  const handled = model.handledBy(cursor);
  const all = handled.reduce((sum, count) => sum + count, 0);
  if (!all) return [];
  const seats = [...handled.keys()].sort((a, b) => handled[b] - handled[a] || a - b).slice(0, MOST_HANDLED);
  const rows = seats.map((seat) => {
    const share = `${formatNumber(Math.round((1000 * handled[seat]) / all) / 10)}%`;
    const width = `${(100 * handled[seat]) / handled[seats[0]]}%`;
    const line = row(t("process", { id: model.ids[seat] }), build("td.bar", {}, build("div", { style: `width:${width}` })));
    line.append(amount(handled[seat]), build("td.of", {}, share));
    return line;
  });
  return [
    build("h2", {}, t("figures.handled")),
    build("table.tally.bars.handled", {}, rows),
    build("p.soft", {}, t("figures.handled.means", { equal: formatNumber(Math.round(1000 / model.n) / 10) })),
  ];
}

/** The quality of the lock or the detector, as the simulator measured it. */
function qualityParts(key, figures) {
  const known = Object.entries(figures ?? {}).filter(([name, value]) => value !== null && hasWords(`figures.${name}`));
  if (!known.length) return [];
  const rows = known.map(([name, value]) => {
    if (typeof value === "number") return row(t(`figures.${name}`), amount(value));
    const [mean, most] = [value.mean, value.max].map((part) => formatNumber(Math.round(part * 100) / 100));
    return row(t(`figures.${name}`), amount(t("figures.summary", { mean, most })));
  });
  const { waiting_bound: waiting } = lab.run;
  const declared = figures === lab.run.lock && waiting ? [row(t("figures.waiting_bound"), amount(waiting.entries))] : [];
  return [build("h2", {}, t(key)), build("table.tally", {}, rows, declared)];
}

function propertyParts({ properties = [] }) {
  if (!properties.length) return [];
  const rows = properties.map((property) => {
    const { name, promised } = property;
    const look = isViolated(property) ? "td.violated" : promised ? "td" : "td.soft";
    const line = row(t(`property.${name}`), build(look, {}, verdictOf(property, lab.language)));
    line.title = hasWords(`property.${name}.means`) ? t(`property.${name}.means`) : "";
    return line;
  });
  return [build("h2", {}, t("figures.properties")), build("table.tally", {}, rows)];
}
