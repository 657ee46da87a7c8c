// Faults by hand: what can be done to a process, a message, a link or a group, at this moment.
//
// Each is a line of the scenario, one tick after the cursor's event; the run is computed anew with it, and what comes of
// it is a branch. Nothing that was seen changes.

import { lab } from "./lab.js";
import { showMenu } from "./menu.js";
import { labelOf } from "./values.js";
import { listed, t } from "./text.js";

/** When a fault by hand takes effect. */
export function moment() {
  return lab.model.timeOf(lab.cursor) + 1;
}

/** Whether this run can be branched: not one that was made elsewhere, step by step or live. */
export function canFork() {
  return lab.branch !== null && !lab.branch.shown && !lab.branch.scenario.schedule;
}

let playOn = false; // whether it played when the menu was asked for

async function branchOff(change, label, options) {
  const branch = await lab.fork(change, label, options);
  if (branch && playOn) lab.play();
}

function addFault(fault, label, at = moment()) {
  const back = at < moment();
  return branchOff((scenario) => ({ ...scenario, faults: [...(scenario.faults ?? []), { at, ...fault }] }), label, { back });
}

/**
 * When a fault by hand reaches a message: as any, except that one which is due later in the cursor's own tick has to be
 * reached at the beginning of that tick. What was seen of the tick does not depend on it.
 */
function momentFor(message) {
  const due = flightsUnderWay(message).map((flight) => (flight.end < 0 ? Infinity : lab.model.events[flight.end].time));
  return Math.min(moment(), ...due);
}

/** Have processes called upon: for an election, or to acquire the lock. What they would do anyway stays as it is. */
function addCall(who, call, more = {}) {
  const at = moment();
  const label = t(`call.${call}`, { ids: listed(who) });
  return branchOff((scenario) => {
    const workload = scenario.workload ?? [];
    const changed = { ...scenario, workload: [...workload, { at, who, call, ...more }] };
    const calledBefore = workload.some((known) => (known.call ?? "election") === "election");
    if (call === "election" && changed.starters === undefined && !calledBefore) changed.starters = "all";
    if (call === "acquire" && changed.demand === undefined && !workload.length) changed.demand = { kind: "one-each" };
    return changed;
  }, label);
}

/** What can be done to a process now: [{name, label, key, run}]. */
export function processActions(id) {
  const { status, role } = lab.model.processAt(lab.model.placeOf.get(id), lab.cursor);
  const named = (name) => `${t(`fault.${name}`)} ${id}`;
  const plain = (name, key) => ({ name, key, label: t(`do.${name}`), run: () => addFault({ do: name, process: id }, named(name)) });
  const actions = [];
  if (status === "crashed") actions.push(plain("recover", "r"));
  else {
    actions.push(plain("crash", "c"));
    actions.push(status === "paused" ? plain("resume", "p") : plain("pause", "p"));
  }
  actions.push({
    name: "skew",
    label: t("do.skew"),
    value: "50",
    run: (value) => addFault({ do: "skew", process: id, by: whole(value) }, `${named("skew")} ${value}`),
  });
  actions.push({
    name: "drift",
    label: t("do.drift"),
    value: "1.5",
    run: (value) => addFault({ do: "drift", process: id, rate: Number(value.replace(",", ".")) }, `${named("drift")} ${value}`),
  });
  const commands = commandsKnown();
  if (commands.length && status !== "crashed") actions.push(null);
  if (status !== "crashed") {
    if (commands.includes("election")) actions.push({ name: "election", label: t("do.election"), run: () => addCall([id], "election") });
    if (commands.includes("acquire") && role !== "inside" && role !== "waiting") {
      actions.push({
        name: "acquire",
        label: t("do.acquire"),
        value: "10",
        run: (value) => addCall([id], "acquire", { hold: Math.max(1, whole(value)) }),
      });
    }
  }
  return actions;
}

function commandsKnown() {
  const algorithms = [lab.branch.scenario.algorithm, ...(lab.branch.scenario.layers ?? []).map((layer) => layer.algorithm)];
  const known = algorithms.flatMap((name) => lab.catalogue.algorithms.find((entry) => entry.name === name)?.commands ?? []);
  if (known.length) return known;
  return lab.run.kind === "mutex" ? ["acquire"] : lab.run.kind === "election" ? ["election"] : [];
}

/** The flights of a message that are under way now. */
export function flightsUnderWay(message) {
  return (lab.model.flightsOf.get(message) ?? []).filter(
    (flight) => flight.sent <= lab.cursor && (flight.end < 0 || flight.end > lab.cursor),
  );
}

/** What can be done to a message that is under way. */
export function messageActions(message) {
  if (!flightsUnderWay(message).length) return [];
  const { carried } = lab.model.flightsOf.get(message)[0];
  const at = momentFor(message);
  const label = (name) => `${t(`fault.${name}`)} ${labelOf(carried)} ${carried.sender}→${carried.to}`;
  const plain = (name, key) => ({ name, key, label: t(`do.${name}`), run: () => addFault({ do: name, message }, label(name), at) });
  return [
    plain("deliver"),
    {
      name: "delay",
      label: t("do.delay"),
      value: "20",
      run: (value) => addFault({ do: "delay", message, by: Math.max(1, whole(value)) }, `${label("delay")} ${value}`, at),
    },
    plain("drop", "d"),
    plain("duplicate"),
  ];
}

/** What can be done to a link, given by its two ends. */
export function linkActions([a, b]) {
  const cuts = lab.model.cutsAt(lab.cursor);
  const [there, back] = [cuts.has(`${a} ${b}`), cuts.has(`${b} ${a}`)];
  const cut = (links, oneWay, mark) => ({ do: "cut", links, ...(oneWay ? { one_way: true } : {}), mark });
  const run = ({ mark, ...fault }) => addFault(fault, `${t(`fault.${fault.do}`)} ${mark}`);
  const actions = [];
  if (!there || !back) actions.push({ name: "cut", label: t("do.cut"), run: () => run(cut([[a, b]], false, `${a}-${b}`)) });
  if (!there) actions.push({ name: "cut-there", label: t("do.cut.way", { from: a, to: b }), run: () => run(cut([[a, b]], true, `${a}→${b}`)) });
  if (!back) actions.push({ name: "cut-back", label: t("do.cut.way", { from: b, to: a }), run: () => run(cut([[b, a]], true, `${b}→${a}`)) });
  if (there || back) actions.push({ name: "heal", label: t("do.heal"), run: () => run({ do: "heal", links: [[a, b]], mark: `${a}-${b}` }) });
  actions.push({
    name: "slow",
    label: t("do.slow"),
    value: "constant:20",
    run: (delay) => run({ do: "slow", links: [[a, b]], delay: /^\d+$/.test(delay) ? `constant:${delay}` : delay, mark: `${a}-${b}` }),
  });
  return actions;
}

/** What can be done to some processes at once. */
export function groupActions(ids) {
  const others = lab.model.ids.filter((id) => !ids.includes(id));
  const at = moment();
  const each = (name) => ({
    name,
    label: t(`do.${name}.all`),
    run: () =>
      branchOff(
        (scenario) => ({ ...scenario, faults: [...(scenario.faults ?? []), ...ids.map((process) => ({ do: name, at, process }))] }),
        `${t(`fault.${name}`)} ${listed(ids)}`,
      ),
  });
  const actions = [];
  if (others.length) {
    actions.push({
      name: "partition",
      key: "f",
      label: t("do.partition"),
      run: () => addFault({ do: "partition", groups: [ids, others] }, `${t("fault.partition")} ${ids.join(" ")} | ${shortList(others)}`),
    });
  }
  if (lab.model.cutsAt(lab.cursor).size) actions.push(healAll());
  actions.push(null, each("crash"), each("pause"));
  const commands = commandsKnown();
  if (commands.includes("election")) actions.push({ name: "election", label: t("do.election"), run: () => addCall(ids, "election") });
  if (commands.includes("acquire")) actions.push({ name: "acquire", label: t("do.acquire.all"), run: () => addCall(ids, "acquire") });
  return actions;
}

/** All links work again. */
export function healAll() {
  return { name: "heal-all", label: t("do.heal.all"), run: () => addFault({ do: "heal" }, t("fault.heal")) };
}

function shortList(ids) {
  return ids.length > 8 ? `${ids.slice(0, 8).join(" ")} …` : ids.join(" ");
}

function whole(value) {
  const number = Number.parseInt(value, 10);
  return Number.isFinite(number) ? number : 0;
}

/** Show what can be done to what was clicked; if it `played` until then, the branch plays on. */
export function offer(what, point, played = false) {
  playOn = played;
  if (what === null) return;
  if (!canFork()) {
    if (lab.branch?.scenario?.schedule) showMenu(point, { title: t("menu.schedule"), note: t("menu.schedule.why") }, []);
    return;
  }
  const at = t("menu.at", { time: moment() });
  if (what.process !== undefined) showMenu(point, { title: t("process", { id: what.process }), note: at }, processActions(what.process));
  else if (what.processes) showMenu(point, { title: t("processes", { ids: shortList(what.processes) }), note: at }, groupActions(what.processes));
  else if (what.link) {
    const [a, b] = what.link;
    showMenu(point, { title: t("link", { a, b }), note: at }, linkActions(what.link));
  } else if (what.message !== undefined) {
    const { carried } = lab.model.flightsOf.get(what.message)[0];
    showMenu(point, { title: labelOf(carried), note: `${carried.sender} → ${carried.to} · ${at}` }, messageActions(what.message));
  }
}
