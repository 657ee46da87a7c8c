// The figures sheet: what the run has cost up to the cursor's event and in all, against the proven bound.

import { build } from "./build.js";
import { lab } from "./lab.js";
import { has, number, t, told } from "./text.js";

export class FiguresSheet {
  constructor() {
    this.element = build("div");
  }

  update() {
    const { run } = lab;
    this.element.replaceChildren(
      ...costParts(),
      ...(run.bound ? boundParts(run) : []),
      ...typeParts(),
      ...qualityParts("figures.lock", run.lock),
      ...qualityParts("figures.detection", run.detection),
      ...propertyParts(run),
      build("p.soft", {}, has(`ended.${run.ended}`) ? t(`ended.${run.ended}`) : ""),
      build("p.soft", {}, run.digest ? `${t("digest")} ${run.digest.slice(0, 16)}` : ""),
    );
  }
}

function row(name, ...cells) {
  return build("tr", {}, build("th", { scope: "row" }, name), cells);
}

function amount(value) {
  return build("td.number", {}, typeof value === "number" ? number(Math.round(value * 100) / 100) : value);
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
    const whole = build("td.of", {}, all === null || all === undefined ? "" : t("figures.of", { all: number(all) }));
    const line = row(t(key), amount(now), whole);
    line.title = t(`${key}.means`);
    return line;
  });
  return [build("h2", {}, t("figures.sofar")), build("table.tally", {}, rows)];
}

/** An election's bound is on all its messages, a lock's on the messages of an entry. */
function boundParts({ bound, lock, messages }) {
  const { model, cursor } = lab;
  const spent = lock ? (lock.messages_per_entry ?? 0) : model.sentUpTo[cursor + 1];
  const all = lock ? spent : messages;
  const most = Math.max(bound.value, all) || 1;
  const share = (part) => `${((100 * part) / most).toFixed(1)}%`;
  const words = t(lock ? "figures.bound.entry" : "figures.bound", {
    messages: number(Math.round(all * 100) / 100),
    bound: number(Math.round(bound.value)),
    formula: told(bound.formula),
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
    return row(type, build("td.bar", {}, build("div", { style: `width:${width}` })), amount(count));
  });
  return [build("h2", {}, t("figures.types")), build("table.tally.bars", {}, rows)];
}

/** How good the lock or the detector was, in the figures that the simulator took. */
function qualityParts(key, figures) {
  const known = Object.entries(figures ?? {}).filter(([name, value]) => value !== null && has(`figures.${name}`));
  if (!known.length) return [];
  const rows = known.map(([name, value]) => {
    if (typeof value === "number") return row(t(`figures.${name}`), amount(value));
    const [mean, most] = [value.mean, value.max].map((part) => number(Math.round(part * 100) / 100));
    return row(t(`figures.${name}`), amount(t("figures.summary", { mean, most })));
  });
  return [build("h2", {}, t(key)), build("table.tally", {}, rows)];
}

function propertyParts({ properties = [] }) {
  if (!properties.length) return [];
  const rows = properties.map(({ name, verdict }) => {
    const line = row(t(`property.${name}`), build(verdict === false ? "td.accused" : "td", {}, t(`verdict.${verdict}`)));
    line.title = has(`property.${name}.means`) ? t(`property.${name}.means`) : "";
    return line;
  });
  return [build("h2", {}, t("figures.properties")), build("table.tally", {}, rows)];
}
