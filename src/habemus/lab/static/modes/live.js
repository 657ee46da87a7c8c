// Live mode: real processes on this machine, on the same stage and diagram. Buttons send real signals, the PIDs are real, and
// a clock measures the time from the kill of a leader to the next leader.
//
// Events come as a stream and are shown as a run. When the user stops the stream or goes back in time, the run on the screen
// is frozen; new events are kept, and shown when the user follows again. Old events are dropped, but counted.

import { addLosses } from "../model/losses.js";
import { keepRecent } from "../model/recent.js";
import { findPeriodic, isRoutine } from "../model/routine.js";
import { Tally } from "../model/tally.js";
import { get, post, stream } from "../store/api.js";
import { lab } from "../store/lab.js";
import { build, buildButton, buildWorded, refill } from "../widgets/elements.js";
import { showMenu } from "../widgets/menu.js";
import { describeError, formatNumber, makeError, t, translateSentence } from "../words/text.js";
import { buildClock, tickClock } from "./clock.js";
import { buildClusterForm } from "./cluster-form.js";
import { buildLinks } from "./cluster-links.js";
import { buildGroup, buildMembers, showGroup, tickGroup } from "./group.js";
import { buildLiveStory, followStory, meetCluster, showStory, storyStep } from "./group-story.js";

const GLYPH =
  "M10 8.2 A1.8 1.8 0 1 0 10 11.8 A1.8 1.8 0 1 0 10 8.2 M6.2 6.2 A5.4 5.4 0 0 0 6.2 13.8 M13.8 6.2 A5.4 5.4 0 0 1 13.8 13.8 " +
  "M3.8 3.8 A8.8 8.8 0 0 0 3.8 16.2 M16.2 3.8 A8.8 8.8 0 0 1 16.2 16.2";
const REFRESH = 250; // milliseconds between two updates of the run

let panel = null;
let status = null;
let frame = null; // the run without its events
let before = new Tally(); // of the dropped events
let events = [];
let waiting = []; // events that came since the run was frozen
let frozen = false;
let showing = false;
let current = false; // whether the stream has brought all that had happened before, so that the status is the present one
let fresh = false;
let failover = null; // {process, what, at, leader, took}: who was killed or paused, when, who leads next, after how many seconds
let lost = null; // the error that ended the stream
let drawn = ""; // the content of the panel, as text
let end = null;
let timer = null;
let ends = [];
let types = []; // of messages, in order of first appearance
let routine = new Set(); // the types of messages that were hidden because they go on for ever
let roles = new Map(); // process -> its role in each of its layers, as its events say

// The stream ------------------------------------------------------------------------------------------------------------

async function connect() {
  end?.();
  end = null;
  lost = null;
  current = false;
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
    event: takeEvent,
    status(now) {
      current = true;
      if (now.algorithm !== status.algorithm) {
        if (now.algorithm === null) endRun();
        connect(); // another cluster, or none
      } else {
        status = now;
        if (now.group) followStory(now, command);
        render();
      }
    },
    error: disconnected,
    end: () => disconnected(makeError("live.lost")),
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
  types = [...(frame?.types ?? [])];
  roles = new Map();
  beginWith({});
  failover = null;
  frozen = false;
  meetCluster(known, command);
  render();
}

// The server has dropped the events before those that follow.
function beginWith(counted) {
  before = new Tally(counted);
  types = [...new Set([...types, ...before.byType.keys()])];
  events = [];
  waiting = [];
}

function takeEvent(event) {
  observe(event);
  for (const { type } of event.sent ?? []) if (!types.includes(type)) types.push(type);
  (frozen ? waiting : events).push(event);
  fresh = true;
}

// Records roles, and whether the process that was killed or paused has a successor.
function observe(event) {
  if (event.role !== undefined && event.role !== null) {
    roles.set(event.process, { ...roles.get(event.process), [event.layer ?? ""]: event.role });
  }
  if (event.kind === "crash") roles.delete(event.process);
  if (failover === null || failover.took !== null) return;
  if (event.role === "leader" && event.process !== failover.process && event.time >= failover.at) {
    failover.leader = event.process;
    failover.took = (event.time - failover.at) / 1000;
    render();
  }
}

function refresh() {
  tickClock(panel, failover, frame?.began);
  if (current && status?.group) tickGroup(panel, status.group);
  if (fresh && !frozen && frame !== null && events.length) {
    fresh = false;
    events = keepRecent(events, before);
    show(true);
  }
  if (frozen) panel.querySelector(".live-waiting")?.replaceChildren(t("live.frozen", { events: formatNumber(waiting.length) }));
}

// The cluster has ended, and with it every process: nothing leads.
function endRun() {
  if (!events.length || frame === null) return;
  events.push(...waiting);
  const time = Date.now() - frame.began;
  const first = events.at(-1).event + 1;
  events.push(...frame.ids.map((process, k) => ({ event: first + k, time, kind: "crash", process })));
  show(false);
}

// Messages that go on for ever are hidden at first, and steps that are about nothing else: an election stays in view.
function hideRoutine() {
  for (const type of [...(frame.routine ?? []), ...findPeriodic(events)]) {
    if (routine.has(type)) continue;
    routine.add(type);
    lab.hidden.add(type);
  }
}

function showRoutine() {
  for (const type of routine) lab.hidden.delete(type);
  routine = new Set();
  lab.emit("filter", lab.hidden);
}

function show(live) {
  hideRoutine();
  const shown = [];
  const earlier = before.copy(); // what is not shown is counted
  for (const event of addLosses(events)) {
    if (isRoutine(event, lab.hidden)) earlier.add(event);
    else shown.push(event);
  }
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
    events: shown,
    unit: "ms",
    leader: status?.leader ?? null,
    before: earlier,
    messages: all.messages,
    messages_by_type: Object.fromEntries(all.byType),
    bits: all.bits,
    rounds: all.rounds,
    types,
    time: events.at(-1).time,
    kept: shown.length,
    total: shown.length,
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
  events = keepRecent(events, before);
  if (events.length) {
    show(true);
    lab.seek(lab.run.events.length - 1);
  }
  render();
}

// What can be done ------------------------------------------------------------------------------------------------------

async function command(path, body = {}) {
  try {
    const now = await post(`/api/live/${path}`, body);
    if (now.algorithm === status?.algorithm) status = now; // else the stream brings the change
  } catch (error) {
    lab.report(error);
    drawn = ""; // so that the panel is drawn again, with its buttons enabled
  }
  render();
}

function disturb(what, node) {
  const leads = hasRole(node.id, "leader") || status.nodes.some((other) => other.id !== node.id && other.leader === node.id);
  const at = Date.now() - frame.began; // the processes run on this machine, so their clock is the page's
  if (leads) failover = { process: node.id, what, at, leader: null, took: null };
  render();
  command(`${what}/${node.id}`);
}

function hasRole(id, role) {
  return Object.values(roles.get(id) ?? {}).includes(role);
}

function linksOf(id) {
  return frame.edges.filter((link) => link.includes(id));
}

function isCutOff(id) {
  const cuts = new Set(status.cuts.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
  return linksOf(id).length > 0 && linksOf(id).every(([a, b]) => cuts.has(`${a} ${b}`));
}

// The panel -------------------------------------------------------------------------------------------------------------

/** What can be done to a process: [{name, run}]; its words are "live.NAME". */
function memberActions(node) {
  if (node.state === "dead") return [{ name: "restart", run: () => command(`restart/${node.id}`) }];
  const pause = { name: "pause", run: () => disturb("pause", node) };
  const resume = { name: "resume", run: () => command(`resume/${node.id}`) };
  return [
    { name: "kill", run: () => disturb("kill", node) },
    node.state === "paused" ? resume : pause,
    ...(isCutOff(node.id) ? [] : [{ name: "cut", run: () => command("cut", { links: linksOf(node.id) }) }]),
  ];
}

/** Offer on the stage what the row of a process offers. */
function offerActions({ what, point }) {
  const node = lab.branch?.shown && status?.nodes?.find(({ id }) => id === what?.process);
  if (!node) return;
  const items = memberActions(node).map(({ name, run }) => ({ name, label: t(`live.${name}`), run }));
  showMenu(point, { title: t("process", { id: node.id }), note: node.pid ? t("live.pid", { pid: node.pid }) : "" }, items);
}

function buildMember(node) {
  const leads = hasRole(node.id, "leader");
  const inside = !status.group && hasRole(node.id, "inside");
  const cut = isCutOff(node.id);
  const known = (status.group ? ["leader"] : ["leader", "inside", "waiting"]).filter((role) => hasRole(node.id, role));
  const buttons = memberActions(node).map(({ name, run }) => buildButton("plain.small", `live.${name}`, run, { "data-act": name }));
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
    status.group ? build("span.member-holds") : null,
    node.complaint ? build("span.member-complaint", {}, translateSentence(node.complaint)) : null,
  );
}

// The content of the panel as text: while it is the same, the panel is not drawn again, so that buttons stay in place.
function panelContent() {
  const rolesOf = (id) => (status.group ? hasRole(id, "leader") : roles.get(id));
  const nodes = status?.nodes.map(({ id, pid, state, complaint }) => [id, pid, state, complaint, rolesOf(id)]);
  const shown = [status?.algorithm, status?.mine, nodes, status?.cuts, frozen, failover, status?.group?.name, storyStep()];
  return JSON.stringify([lab.language, lost && describeError(lost), ...shown]);
}

function render() {
  if (panel === null) return;
  if (drawn !== panelContent()) draw();
  if (!status?.group || lost) return;
  showGroup(panel, status);
  showStory(panel, status);
}

function draw() {
  drawn = panelContent();
  if (lost) refill(panel, build("p.own-said", { role: "alert" }, describeError(lost)), buildButton("plain", "live.again", connect));
  else if (status === null) refill(panel, buildWorded("p.soft", { "data-t": "live.connecting" }));
  else if (status.algorithm === null) refill(panel, ...buildClusterForm((launch) => command("start", launch)));
  else
    refill(
      panel,
      status.group
        ? [buildLiveStory(() => status, command, render), ...buildGroup(status.group, status.nodes.length - status.group.voters)]
        : build("p.soft", {}, t("live.text", { n: status.nodes.length, algorithm: status.algorithm })),
      buildClock(failover, frame?.began, status.group ? "group.hint" : frame?.kind === "mutex" ? "live.hint.mutex" : "live.hint"),
      status.group ? buildMembers(status, buildMember) : build("ul.members", {}, status.nodes.map(buildMember)),
      buildLinks(status, command),
      build(
        "div.step-tools",
        {},
        frozen
          ? buildButton("primary", "live.follow", follow, { id: "live-follow" })
          : buildButton("plain", "live.freeze", freeze, { id: "live-freeze" }),
        status.mine ? buildButton("plain", "live.stop", () => command("stop"), { id: "live-stop" }) : null,
      ),
      frozen ? build("p.soft.live-waiting", {}, t("live.frozen", { events: formatNumber(waiting.length) })) : "",
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
      lab.on("pick", offerActions),
      lab.on("filter", () => (fresh = true)),
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
    showRoutine();
    panel.classList.remove("in-live");
    panel = null;
    status = null;
    lab.live = false;
  },
};
