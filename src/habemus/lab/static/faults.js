// Faults by hand: what can be done to a process, a message, a link or a group, at this moment.
//
// Each is a line of the scenario, one tick after the cursor's event; the run is computed anew with it, and what comes
// of it is a branch. Nothing that was seen changes.

import { lab } from "./lab.js";
import { showMenu } from "./menu.js";
import { listed, t } from "./text.js";
import { labelOf } from "./values.js";

const MOST_LISTED = 8;

// What can be filled in: how it is read, and the words for what is wanted
const WHOLE = { read: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : null), wanted: "wanted.whole" };
const TICKS = { read: (text) => (/^\d+$/.test(text) && Number(text) >= 1 ? Number(text) : null), wanted: "wanted.ticks" };
const RATE = { read: readRate, wanted: "wanted.rate" };
const DELAY = { read: (text) => (/^\d+$/.test(text) ? `constant:${text}` : text || null), wanted: "wanted.delay" };

function readRate(text) {
  const rate = Number(text.replace(",", "."));
  return rate > 0 && Number.isFinite(rate) ? rate : null;
}

/** When a fault by hand takes effect. */
export function moment() {
  return lab.model.timeOf(lab.cursor) + 1;
}

/** Whether this run can be branched: not one that was made elsewhere, step by step or live. */
export function canFork() {
  return lab.branch !== null && !lab.branch.shown && !lab.branch.scenario.schedule;
}

// Branching -----------------------------------------------------------------------------------------------------------

let playOn = false; // whether it played when the menu was asked for

async function branchOff(change, label, options) {
  const branch = await lab.fork(change, label, options);
  if (branch && playOn) lab.play();
}

function addFaults(faults, label, options) {
  return branchOff((scenario) => ({ ...scenario, faults: [...(scenario.faults ?? []), ...faults] }), label, options);
}

function addFault(fault, label) {
  return addFaults([{ at: moment(), ...fault }], label);
}

/**
 * A fault of a message. One that is due later in the cursor's own tick has to be reached at the beginning of that tick;
 * what was seen of the tick does not depend on it.
 */
function addMessageFault(fault, label) {
  const { events } = lab.model;
  const due = flightsUnderWay(fault.message).map(({ end }) => (end < 0 ? Infinity : events[end].time));
  const at = Math.min(moment(), ...due);
  return addFaults([{ at, ...fault }], label, { back: at < moment() });
}

/** Have processes called upon: for an election, or to acquire the lock. What they would do anyway stays as it is. */
function addCall(who, call, more = {}) {
  const at = moment();
  const change = (scenario) => {
    const workload = scenario.workload ?? [];
    const changed = { ...scenario, workload: [...workload, { at, who, call, ...more }] };
    const calledBefore = workload.some((known) => (known.call ?? "election") === "election");
    if (call === "election" && changed.starters === undefined && !calledBefore) changed.starters = "all";
    if (call === "acquire" && changed.demand === undefined && !workload.length) changed.demand = { kind: "one-each" };
    return changed;
  };
  return branchOff(change, () => t(`call.${call}`, { ids: listed(who) }));
}

// Processes -----------------------------------------------------------------------------------------------------------

/** What can be done to a process now: [{name, label, key, run}], null between groups. */
export function processActions(id) {
  const { status, role } = lab.model.processAt(lab.model.placeOf.get(id), lab.cursor);
  const called = (name, words) => () => `${t(`fault.${name}`)} ${id}${words}`;
  const fault = (name, more, words) => addFault({ do: name, process: id, ...more }, called(name, words));
  const plain = (name, key) => ({ name, key, label: t(`do.${name}`), run: () => fault(name, {}, "") });
  const clock = (name, field, value, kind) => ({
    name,
    label: t(`do.${name}`),
    value,
    kind,
    run: (given) => fault(name, { [field]: given }, ` ${given}`),
  });
  const down = status === "crashed";
  return [
    down ? plain("recover", "r") : plain("crash", "c"),
    ...(down ? [] : [status === "paused" ? plain("resume", "p") : plain("pause", "p")]),
    clock("skew", "by", "50", WHOLE),
    clock("drift", "rate", "1.5", RATE),
    ...(down ? [] : callActions([id], role === "inside" || role === "waiting")),
  ];
}

/** What processes can be asked to do; who waits or is inside cannot ask for the lock. */
function callActions(ids, engaged) {
  const known = commandsKnown();
  const actions = [];
  if (known.includes("election")) {
    actions.push({ name: "election", label: t("do.election"), run: () => addCall(ids, "election") });
  }
  if (known.includes("acquire") && !engaged) {
    const run = (hold) => addCall(ids, "acquire", { hold });
    actions.push({ name: "acquire", label: t("do.acquire"), value: "10", kind: TICKS, run });
  }
  return actions.length ? [null, ...actions] : [];
}

function commandsKnown() {
  const { algorithm, layers = [] } = lab.branch.scenario;
  const names = [algorithm, ...layers.map((layer) => layer.algorithm)];
  const known = lab.catalogue.algorithms.filter((entry) => names.includes(entry.name)).flatMap((entry) => entry.commands);
  if (known.length) return known;
  return { mutex: ["acquire"], election: ["election"] }[lab.run.kind] ?? [];
}

/** What can be done to some processes at once. */
export function groupActions(ids) {
  const others = lab.model.ids.filter((id) => !ids.includes(id));
  const all = (name) => {
    const faults = ids.map((process) => ({ at: moment(), do: name, process }));
    const called = () => `${t(`fault.${name}`)} ${listed(ids)}`;
    return { name, label: t(`do.${name}.all`), run: () => addFaults(faults, called) };
  };
  const actions = [];
  if (others.length) {
    const called = () => `${t("fault.partition")} ${shortList(ids)} | ${shortList(others)}`;
    const run = () => addFault({ do: "partition", groups: [ids, others] }, called);
    actions.push({ name: "partition", key: "f", label: t("do.partition"), run });
  }
  if (lab.model.cutsAt(lab.cursor).size) {
    actions.push({ name: "heal-all", label: t("do.heal.all"), run: () => addFault({ do: "heal" }, () => t("fault.heal")) });
  }
  return [...actions, null, all("crash"), all("pause"), ...callActions(ids, false)];
}

// Messages ------------------------------------------------------------------------------------------------------------

/** The flights of a message that are under way now. */
export function flightsUnderWay(message) {
  return (lab.model.flightsOf.get(message) ?? []).filter(
    ({ sent, end }) => sent <= lab.cursor && (end < 0 || end > lab.cursor),
  );
}

/** What can be done to a message that is under way. */
export function messageActions(message) {
  if (!flightsUnderWay(message).length) return [];
  const { carried } = lab.model.flightsOf.get(message)[0];
  const fault = (name, more = {}, words = "") => {
    const called = () => `${t(`fault.${name}`)} ${labelOf(carried)} ${carried.sender}→${carried.to}${words}`;
    return addMessageFault({ do: name, message, ...more }, called);
  };
  const plain = (name, key) => ({ name, key, label: t(`do.${name}`), run: () => fault(name) });
  const delay = (by) => fault("delay", { by }, ` ${by}`);
  return [
    plain("deliver"),
    { name: "delay", label: t("do.delay"), value: "20", kind: TICKS, run: delay },
    plain("drop", "d"),
    plain("duplicate"),
  ];
}

// Links ---------------------------------------------------------------------------------------------------------------

/** What can be done to a link, given by its two ends. */
export function linkActions([a, b]) {
  const cuts = lab.model.cutsAt(lab.cursor);
  const [there, back] = [cuts.has(`${a} ${b}`), cuts.has(`${b} ${a}`)];
  const fault = (name, links, more = {}, mark = `${a}-${b}`) => {
    return addFault({ do: name, links, ...more }, () => `${t(`fault.${name}`)} ${mark}`);
  };
  const cutOneWay = (name, from, to) => ({
    name,
    label: t("do.cut.way", { from, to }),
    run: () => fault("cut", [[from, to]], { one_way: true }, `${from}→${to}`),
  });
  const slow = (delay) => fault("slow", [[a, b]], { delay });
  const actions = [];
  if (!there || !back) actions.push({ name: "cut", label: t("do.cut"), run: () => fault("cut", [[a, b]]) });
  if (!there) actions.push(cutOneWay("cut-there", a, b));
  if (!back) actions.push(cutOneWay("cut-back", b, a));
  if (there || back) actions.push({ name: "heal", label: t("do.heal"), run: () => fault("heal", [[a, b]]) });
  return [...actions, { name: "slow", label: t("do.slow"), value: "constant:20", kind: DELAY, run: slow }];
}

// The menu ------------------------------------------------------------------------------------------------------------

/** Show what can be done to what was clicked; if it `played` until then, the branch plays on. */
export function offer(what, point, played = false) {
  playOn = played;
  if (what === null) return;
  if (canFork()) showMenu(point, ...choices(what, t("menu.at", { time: moment() })));
  else if (lab.branch?.scenario?.schedule) {
    showMenu(point, { title: t("menu.schedule"), note: t("menu.schedule.why") }, []);
  }
}

function choices({ process, processes, link, message }, note) {
  if (process !== undefined) return [{ title: t("process", { id: process }), note }, processActions(process)];
  if (processes) return [{ title: t("processes", { ids: shortList(processes) }), note }, groupActions(processes)];
  if (link) return [{ title: t("link", { a: link[0], b: link[1] }), note }, linkActions(link)];
  const { carried } = lab.model.flightsOf.get(message)[0];
  const way = `${carried.sender} → ${carried.to} · ${note}`;
  return [{ title: labelOf(carried), note: way }, messageActions(message)];
}

function shortList(ids) {
  return ids.length > MOST_LISTED ? `${ids.slice(0, MOST_LISTED).join(" ")} …` : ids.join(" ");
}
