// Faults by hand: what the user can do to a process, a message, a link or a group at the cursor.
//
// Each is a line of the scenario, at the tick that is shown; the scenario is run again with it, and the new run is a branch.
// Nothing before the fault changes. A run that the scenario ends goes on after the fault for as long as it was to last.

import { labelOf } from "../model/values.js";
import { lab } from "../store/lab.js";
import { showMenu } from "../widgets/menu.js";
import { formatList, t } from "../words/text.js";

const MOST_LISTED = 8;

// Values to fill in: how they are parsed, and the words for what is expected
const WHOLE = { read: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : null), wanted: "wanted.whole" };
const TICKS = { read: (text) => (/^\d+$/.test(text) && Number(text) >= 1 ? Number(text) : null), wanted: "wanted.ticks" };
const RATE = { read: readRate, wanted: "wanted.rate" };
const DELAY = { read: (text) => (/^\d+$/.test(text) ? `constant:${text}` : text || null), wanted: "wanted.delay" };

function readRate(text) {
  const rate = Number(text.replace(",", "."));
  return rate > 0 && Number.isFinite(rate) ? rate : null;
}

/** Whether this run can be branched: not if it was made step by step or live. */
export function canBranch() {
  return lab.branch !== null && !lab.branch.shown && !lab.branch.scenario.schedule;
}

// Branching -----------------------------------------------------------------------------------------------------------

let playOn = false; // whether the run was playing when the menu was opened

async function branchOff(change, label, options) {
  const branch = await lab.fork(change, label, options);
  if (branch && playOn) lab.play();
}

function addFaults(faults, label, options) {
  const change = (scenario) => ({ ...extend(scenario), faults: [...(scenario.faults ?? []), ...faults] });
  return branchOff(change, label, options);
}

/** Give a scenario with an end as much time after this moment as it had from the beginning. */
function extend(scenario) {
  if (scenario.until === undefined) return scenario; // the server gives it more time if it needs more
  let root = lab.branch;
  while (root.parent) root = root.parent;
  return { ...scenario, until: Math.max(scenario.until, lab.forkTime + (root.scenario.until ?? scenario.until)) };
}

function addFault(fault, label) {
  return addFaults([{ at: lab.forkTime, ...fault }], label);
}

/**
 * Add a fault of a message. If the message is due later in the cursor's own tick, the fault has to strike at the beginning
 * of that tick; the events before the cursor do not depend on it.
 */
function addMessageFault(fault, label) {
  const { events } = lab.model;
  const due = transmissionsUnderWay(fault.message).map(({ end }) => (end < 0 ? Infinity : events[end].time));
  const at = Math.min(lab.forkTime, ...due);
  return addFaults([{ at, ...fault }], label, { back: at < lab.forkTime });
}

/** Have processes call an election or acquire the lock. What they would do anyway stays as it is. */
function addCall(who, call, more = {}) {
  const at = lab.forkTime;
  const change = (scenario) => {
    const workload = scenario.workload ?? [];
    const changed = { ...extend(scenario), workload: [...workload, { at, who, call, ...more }] };
    const calledBefore = workload.some((known) => (known.call ?? "election") === "election");
    if (call === "election" && changed.starters === undefined && !calledBefore) changed.starters = "all";
    if (call === "acquire" && changed.demand === undefined && !workload.length) changed.demand = { kind: "one-each" };
    return changed;
  };
  return branchOff(change, () => t(`call.${call}`, { ids: formatList(who) }));
}

// Processes -----------------------------------------------------------------------------------------------------------

/** What can be done to a process now: [{name, label, key, run}], null between groups. */
export function processActions(id) {
  const { status, role } = lab.model.processAt(lab.model.seatOf.get(id), lab.cursor);
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

/** The commands for processes; one that waits or is inside (`engaged`) cannot ask for the lock. */
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
    const faults = ids.map((process) => ({ at: lab.forkTime, do: name, process }));
    const called = () => `${t(`fault.${name}`)} ${formatList(ids)}`;
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

/** The transmissions of a message that are under way now. */
export function transmissionsUnderWay(message) {
  return (lab.model.transmissionsOf.get(message) ?? []).filter(
    ({ sent, end }) => sent <= lab.cursor && (end < 0 || end > lab.cursor),
  );
}

/** What can be done to a message that is under way. */
export function messageActions(message) {
  if (!transmissionsUnderWay(message).length) return [];
  const { envelope } = lab.model.transmissionsOf.get(message)[0];
  const fault = (name, more = {}, words = "") => {
    const called = () => `${t(`fault.${name}`)} ${labelOf(envelope)} ${envelope.sender}→${envelope.to}${words}`;
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

/** The one action that is no fault: it changes the picture only. */
function laneAction(ids) {
  const key = lab.collapsed.has(ids[0]) ? "lanes.open" : "lanes.collapse";
  return { name: "lane", key: "h", label: t(key, { ids: shortList(ids) }), run: () => lab.toggleLanes(ids) };
}

// The menu ------------------------------------------------------------------------------------------------------------

/** Show a menu of faults for what was clicked; if the run `played` until then, the new branch plays too. */
export function offerFaults(what, point, played = false) {
  playOn = played;
  if (what === null) return;
  if (canBranch()) showMenu(point, ...choices(what, t("menu.at", { time: lab.forkTime })));
  else if (lab.branch?.scenario?.schedule) {
    showMenu(point, { title: t("menu.schedule"), note: t("menu.schedule.why") }, []);
  }
}

function choices({ process, processes, link, message }, note) {
  if (process !== undefined) {
    return [{ title: t("process", { id: process }), note }, [...processActions(process), null, laneAction([process])]];
  }
  if (processes) {
    return [{ title: t("processes", { ids: shortList(processes) }), note }, [...groupActions(processes), null, laneAction(processes)]];
  }
  if (link) return [{ title: t("link", { a: link[0], b: link[1] }), note }, linkActions(link)];
  const { envelope } = lab.model.transmissionsOf.get(message)[0];
  const way = `${envelope.sender} → ${envelope.to} · ${note}`;
  return [{ title: labelOf(envelope), note: way }, messageActions(message)];
}

function shortList(ids) {
  return ids.length > MOST_LISTED ? `${ids.slice(0, MOST_LISTED).join(" ")} …` : ids.join(" ");
}
