// Live: real processes on this machine, on the same stage and diagram. Buttons send real signals, the PIDs are real, and a
// clock runs from the kill of a leader to the next one in office.
//
// Events come as a stream and end in a run like any other. When the stream is stopped, or one scrubs back, the run
// stands still and can be looked at; what happens meanwhile is kept, and shown when one follows again. What was long ago
// is let go, but has been counted.

import { get, post, stream } from "./api.js";
import { build, button, field, refill, worded } from "./build.js";
import { lab } from "./lab.js";
import { withLosses } from "./losses.js";
import { Tally } from "./tally.js";
import { listed, mistaken, number, spoken, t, told } from "./text.js";

const GLYPH =
  "M10 8.2 A1.8 1.8 0 1 0 10 11.8 A1.8 1.8 0 1 0 10 8.2 M6.2 6.2 A5.4 5.4 0 0 0 6.2 13.8 M13.8 6.2 A5.4 5.4 0 0 1 13.8 13.8 " +
  "M3.8 3.8 A8.8 8.8 0 0 0 3.8 16.2 M16.2 3.8 A8.8 8.8 0 0 1 16.2 16.2";
const MOST_EVENTS = 3000; // on the screen; what came before is let go
const MOST_UNDER_WAY = 1000; // of the messages that were sent by events that are let go
const REFRESH = 250; // ms between two looks at the run
const FIRST = ["bully", "raft-election", "ring-coordinator", "coordinator"]; // the first to be offered: they bear crashes

const ELECTED = {
  // a lock whose coordinator is elected: the upper layer lives by what the lower one decides
  "elected-bully": stacked({ algorithm: "heartbeat" }, { algorithm: "bully" }),
  "elected-raft": stacked({ algorithm: "raft-election", parameters: { check_quorum: true } }),
};

function stacked(...layers) {
  return { algorithm: "coordinator", parameters: { elected: true }, layers };
}

let panel = null;
let status = null;
let frame = null; // of the run: all but its events
let before = new Tally(); // of the events that were let go
let events = [];
let waiting = []; // events that came while the run stands still
let frozen = false;
let showing = false;
let fresh = false;
let watch = null; // {process, what, at, leader, took}: who was struck and when, who came after and how soon
let lost = null; // why there is no stream
let drawn = ""; // what the panel says
let end = null;
let timer = null;
let ends = [];
let types = []; // of messages, in order of first appearance
let roles = new Map(); // process -> its role in each of its layers, as its events say

// The stream ------------------------------------------------------------------------------------------------------------

async function connect() {
  end?.();
  end = null;
  lost = null;
  try {
    const known = await get("/api/live");
    if (panel === null) return;
    adopt(known);
  } catch (error) {
    lost = error;
    render();
    return;
  }
  end = stream("/api/live/events", null, {
    before: beginWith,
    event: take,
    status(said) {
      if (said.algorithm !== status.algorithm) connect(); // another cluster, or none: all begins anew
      else {
        status = said;
        render();
      }
    },
    error: disconnected,
    end: () => disconnected(mistaken("live.lost")),
  });
}

function disconnected(error) {
  end = null;
  lost = error;
  render();
}

function adopt(known) {
  status = known;
  frame = known.run;
  types = [];
  roles = new Map();
  beginWith({});
  watch = null;
  frozen = false;
  render();
}

// What comes next was preceded by events that the server has let go, too.
function beginWith(counted) {
  before = new Tally(counted);
  types = [...new Set([...types, ...before.byType.keys()])];
  events = [];
  waiting = [];
}

function take(event) {
  observe(event);
  for (const { type } of event.sent ?? []) if (!types.includes(type)) types.push(type);
  (frozen ? waiting : events).push(event);
  fresh = true;
}

// Who leads, and whether the one who was struck has a successor.
function observe(event) {
  if (event.role !== undefined && event.role !== null) roles.set(event.process, { ...roles.get(event.process), [event.layer ?? ""]: event.role });
  if (event.kind === "crash") roles.delete(event.process);
  if (watch === null || watch.took !== null) return;
  if (event.role === "leader" && event.process !== watch.process && event.time >= watch.at) {
    watch.leader = event.process;
    watch.took = (event.time - watch.at) / 1000;
    render();
  }
}

// What is still so, and the latest events: what was long ago and is over is counted and let go.
function trimmed(all) {
  if (all.length <= MOST_EVENTS) return all;
  const inForce = new Map();
  const old = all.slice(0, all.length - MOST_EVENTS);
  for (const event of old) {
    if (event.role !== undefined && event.role !== null) inForce.set(`role ${event.process} ${event.layer ?? ""}`, event);
    if ("leader" in (event.changed ?? {})) inForce.set(`leader ${event.process}`, event);
    if (["crash", "recover", "pause", "resume"].includes(event.kind)) inForce.set(`state ${event.process}`, event);
    if (["cut", "heal"].includes(event.kind)) inForce.set(`links ${event.event}`, event);
  }
  const kept = new Set(inForce.values());
  for (const event of old) if (!kept.has(event)) before.add(event);
  before.giveUp(MOST_UNDER_WAY);
  return [...old.filter((event) => kept.has(event)), ...all.slice(old.length)];
}

function refresh() {
  tickClock();
  if (fresh && !frozen && frame !== null && events.length) {
    fresh = false;
    events = trimmed(events);
    show(true);
  }
  if (frozen) panel.querySelector(".live-waiting")?.replaceChildren(t("live.frozen", { events: number(waiting.length) }));
}

function show(live) {
  const told = withLosses(events);
  const all = before.copy();
  for (const event of events) all.add(event);
  const run = {
    timers: [],
    properties: [],
    bound: null,
    lock: null,
    detection: null,
    ended: "",
    surprises: [],
    warning: "",
    ...frame,
    events: told,
    unit: "ms",
    leader: status?.leader ?? null,
    before: before.copy(),
    messages: all.messages,
    messages_by_type: Object.fromEntries(all.byType),
    bits: all.bits,
    rounds: all.rounds,
    types,
    time: events.at(-1).time,
    kept: told.length,
    total: told.length,
  };
  showing = true;
  lab.showRun(run, { title: () => t("live.title"), live });
  showing = false;
}

function freeze() {
  if (frozen || !events.length) return;
  frozen = true;
  const at = lab.cursor;
  show(false);
  lab.seek(at);
  render();
}

function follow() {
  frozen = false;
  events.push(...waiting);
  waiting = [];
  events = trimmed(events);
  if (events.length) {
    show(true);
    lab.seek(lab.run.events.length - 1);
  }
  render();
}

// What can be done ------------------------------------------------------------------------------------------------------

async function order(path, body = {}) {
  try {
    const now = await post(`/api/live/${path}`, body);
    if (now.algorithm === status?.algorithm) status = now; // else the stream will tell
  } catch (error) {
    lab.report(error);
    drawn = ""; // so that a button that was pressed can be pressed again
  }
  render();
}

function strike(what, node) {
  const leads = hasRole(node.id, "leader") || status.nodes.some((other) => other.id !== node.id && other.leader === node.id);
  const at = Date.now() - frame.began; // the processes are on this machine: their clock is ours
  if (leads) watch = { process: node.id, what, at, leader: null, took: null };
  render();
  order(`${what}/${node.id}`);
}

function hasRole(id, role) {
  return Object.values(roles.get(id) ?? {}).includes(role);
}

function others(id) {
  return status.nodes.filter((node) => node.id !== id).map((node) => [id, node.id]);
}

function isCutOff(id) {
  const cuts = new Set(status.cuts.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
  return others(id).length > 0 && others(id).every(([a, b]) => cuts.has(`${a} ${b}`));
}

// The panel -------------------------------------------------------------------------------------------------------------

function waited() {
  return (Date.now() - frame.began - watch.at) / 1000;
}

function tickClock() {
  const clock = panel?.querySelector(".clock-time");
  if (clock && watch && watch.took === null) clock.textContent = t("live.seconds", { seconds: decimal(waited().toFixed(1)) });
}

function clock() {
  if (watch === null) return worded("p.soft", { "data-t": frame?.kind === "mutex" ? "live.hint.mutex" : "live.hint" });
  const done = watch.took !== null;
  const time = done ? watch.took.toFixed(watch.took < 10 ? 2 : 1) : waited().toFixed(1);
  return build(
    done ? "div.clock.done" : "div.clock",
    { id: "live-clock", "aria-live": "polite" },
    build("strong.clock-time", {}, t("live.seconds", { seconds: decimal(time) })),
    build("span", {}, t(`live.${done ? "done" : "wait"}.${watch.what}`, { process: watch.process, leader: watch.leader })),
  );
}

function decimal(text) {
  return lab.language === "pt" ? text.replace(".", ",") : text;
}

function row(node) {
  const leads = hasRole(node.id, "leader");
  const inside = hasRole(node.id, "inside");
  const cut = isCutOff(node.id);
  const known = ["leader", "inside", "waiting"].filter((role) => hasRole(node.id, role));
  const buttons =
    node.state === "dead"
      ? [button("plain.small", "live.restart", () => order(`restart/${node.id}`), { "data-act": "restart" })]
      : [
          button("plain.small", "live.kill", () => strike("kill", node), { "data-act": "kill" }),
          node.state === "paused"
            ? button("plain.small", "live.resume", () => order(`resume/${node.id}`), { "data-act": "resume" })
            : button("plain.small", "live.pause", () => strike("pause", node), { "data-act": "pause" }),
          cut ? null : button("plain.small", "live.cut", () => order("cut", { links: others(node.id) }), { "data-act": "cut" }),
        ];
  return build(
    "li",
    { class: `member ${node.state}${leads ? " leads" : inside ? " inside" : ""}`, "data-id": node.id },
    build("span.member-id", {}, leads ? "♛ " : inside ? "▣ " : "", String(node.id)),
    build(
      "span.member-facts",
      {},
      build("span.member-pid", {}, node.pid ? t("live.pid", { pid: node.pid }) : "–"),
      build("span.member-state", {}, [node.state, ...known, ...(cut ? ["cutoff"] : [])].map((word) => t(`live.${word}`)).join(", ")),
    ),
    build("span.member-acts", {}, buttons),
    node.complaint ? build("span.member-complaint", {}, told(node.complaint)) : null,
  );
}

function links() {
  const choose = (name, first) => {
    const options = status.nodes.map(({ id }, place) => build("option", { value: id, selected: place === first }, String(id)));
    return build("select", { name, "aria-label": name }, options);
  };
  const [a, b] = [choose("a", 0), choose("b", 1)];
  const pairs = status.cuts.filter(([from, to]) => from < to).map(([from, to]) => `${from}–${to}`);
  return build(
    "div.live-links",
    {},
    a,
    build("span", {}, "–"),
    b,
    button("plain.small", "live.cut.link", cutLink, { id: "live-cut" }),
    button("plain.small", "live.heal", () => order("heal"), { id: "live-heal", disabled: !status.cuts.length }),
    pairs.length ? build("span.soft", {}, `✂ ${listed(pairs)}`) : null,
  );
  function cutLink() {
    if (a.value !== b.value) order("cut", { links: [[Number(a.value), Number(b.value)]] });
  }
}

function startForm() {
  const names = (lab.catalogue?.algorithms ?? []).filter((entry) => entry.kind !== "detector").map((entry) => entry.name);
  const offered = new Set([...FIRST.filter((name) => names.includes(name)), ...Object.keys(ELECTED), ...names]);
  const options = [...offered].map((name) => build("option", { value: name }, name in ELECTED ? t(`live.${name}`) : name));
  const algorithm = build("select", { id: "live-algorithm" }, options);
  const size = build("input", { type: "number", id: "live-n", min: 1, max: 30, value: 5 });
  return [
    worded("p.soft", { "data-t": "live.none" }),
    build(
      "div.own-tools",
      {},
      field("live.algorithm", algorithm),
      field("limits.n", size),
      button("primary", "live.start", start, { id: "live-start" }),
    ),
  ];
  function start(event) {
    event.target.disabled = true;
    order("start", { scenario: ELECTED[algorithm.value] ?? { algorithm: algorithm.value }, n: Number(size.value) });
  }
}

// What the panel says, as a text: as long as that is the same, its buttons stay where they are.
function said() {
  const nodes = status?.nodes.map(({ id, pid, state, complaint }) => [id, pid, state, complaint, roles.get(id)]);
  return JSON.stringify([lab.language, lost && spoken(lost), status?.algorithm, status?.mine, nodes, status?.cuts, frozen, watch]);
}

function render() {
  if (panel === null || drawn === said()) return;
  drawn = said();
  if (lost) refill(panel, build("p.own-said", { role: "alert" }, spoken(lost)), button("plain", "live.again", connect));
  else if (status === null) refill(panel, worded("p.soft", { "data-t": "live.connecting" }));
  else if (status.algorithm === null) refill(panel, ...startForm());
  else
    refill(
    panel,
      build("p.soft", {}, t("live.text", { n: status.nodes.length, algorithm: status.algorithm })),
      clock(),
      build("ul.members", {}, status.nodes.map(row)),
      links(),
      build(
        "div.step-tools",
        {},
        frozen
          ? button("primary", "live.follow", follow, { id: "live-follow" })
          : button("plain", "live.freeze", freeze, { id: "live-freeze" }),
        status.mine ? button("plain", "live.stop", () => order("stop"), { id: "live-stop" }) : null,
      ),
      frozen ? build("p.soft.live-waiting", {}, t("live.frozen", { events: number(waiting.length) })) : "",
    );
}

export const liveMode = {
  glyph: GLYPH,
  size: "side",
  available: () => lab.catalogue?.live !== false,
  mount(element) {
    panel = element;
    panel.classList.add("in-live");
    ends = [
      lab.on("language", render),
      lab.on("cursor", (cursor) => {
        if (!showing && !frozen && lab.live && cursor < lab.run.events.length - 1) freeze();
      }),
    ];
    timer = setInterval(refresh, REFRESH);
    drawn = "";
    render();
    connect();
  },
  unmount() {
    for (const over of ends) over();
    clearInterval(timer);
    end?.();
    end = null;
    panel.classList.remove("in-live");
    panel = null;
    status = null;
    lab.live = false;
  },
};
