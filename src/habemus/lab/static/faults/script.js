// The script: every fault and command of the scenario as a line of text.
//
//   at 31 crash 5                 at 60 cut 1-4, 2-4        at 30 drop message 12
//   at 90 recover 5               at 60 cut 1>4             at 30 delay message 12 by 20
//   at 40 skew 3 by 50            at 70 partition 1 2 | 3   at 10 election 3, 4
//   at 40 drift 3 rate 1.5        at 90 heal                at 10 acquire 2 hold 30
//   at 80 propose 1 {"value":7}   what a command carries
//   at uniform:30:60 election 1, 2, 3                       each at a random time of its own

import { makeError } from "../words/text.js";

/** Write the faults and commands of a scenario as text. */
export function writeScript(scenario) {
  const lines = [
    ...(scenario.faults ?? []).map((fault) => ({ at: fault.at, text: faultLine(fault) })),
    ...(scenario.workload ?? []).map((call) => ({ at: call.at, text: callLine(call) })),
  ];
  return lines
    .map((line, k) => ({ ...line, k }))
    .sort((a, b) => earliest(a.at) - earliest(b.at) || a.k - b.k)
    .map((line) => `at ${line.at} ${line.text}`)
    .join("\n");
}

/** When something is due at the earliest: a time, or the first number of a distribution. */
function earliest(at) {
  return typeof at === "number" ? at : Number(at.split(":")[1] ?? 0);
}

function faultLine(fault) {
  const name = fault.do;
  if (fault.message !== undefined) {
    return `${name} message ${fault.message}${fault.by === undefined ? "" : ` by ${fault.by}`}`;
  }
  if (name === "partition") return `partition ${fault.groups.map((group) => group.join(" ")).join(" | ")}`;
  if (fault.links) {
    const links = fault.links.map(([a, b]) => `${a}${fault.one_way ? ">" : "-"}${b}`).join(", ");
    return [name, links, fault.delay ?? ""].filter(Boolean).join(" ");
  }
  if (name === "skew") return `skew ${fault.process} by ${fault.by}`;
  if (name === "drift") return `drift ${fault.process} rate ${fault.rate}`;
  return fault.process === undefined ? name : `${name} ${fault.process}`;
}

function callLine(call) {
  return `${call.call ?? "election"} ${call.who.join(", ")}${call.hold ? ` hold ${call.hold}` : ""}${call.data ? ` ${JSON.stringify(call.data)}` : ""}`;
}

/** Parse faults and commands; throws an Error that names the line which cannot be parsed. */
export function parseScript(text) {
  const faults = [];
  const workload = [];
  text.split("\n").forEach((raw, k) => {
    const line = raw.replace(/#.*/, "").trim();
    if (!line) return;
    const entry = parseLine(line);
    if (entry === null || (entry.do && typeof entry.at !== "number")) throw makeError("script.unreadable", { line: k + 1, text: line });
    if (entry.do) faults.push(entry);
    else workload.push(entry);
  });
  return { faults, workload };
}

function parseLine(line) {
  const [, time, word, rest] = /^at\s+(\d+|[a-z]+:[\d.:]+)\s+([a-z_]+)\s*(.*)$/i.exec(line) ?? [];
  if (time === undefined) return null;
  const at = /^\d/.test(time) ? Number(time) : time.toLowerCase();
  const name = word.toLowerCase();
  const read = (pattern) => pattern.exec(rest);
  if (["drop", "deliver", "duplicate", "delay"].includes(name)) {
    const found = read(/^(?:message\s+)?(\d+)(?:\s+by\s+(\d+))?$/i);
    if (!found || (name === "delay") !== (found[2] !== undefined)) return null;
    return { do: name, at, message: Number(found[1]), ...(found[2] === undefined ? {} : { by: Number(found[2]) }) };
  }
  if (["crash", "recover", "pause", "resume"].includes(name)) {
    const found = read(/^(\d+|leader|crashed|paused)$/i);
    return found && { do: name, at, process: /^\d/.test(found[1]) ? Number(found[1]) : found[1].toLowerCase() };
  }
  if (name === "skew") {
    const found = read(/^(\d+)\s+by\s+(-?\d+)$/i);
    return found && { do: name, at, process: Number(found[1]), by: Number(found[2]) };
  }
  if (name === "drift") {
    const found = read(/^(\d+)\s+rate\s+([\d.]+)$/i);
    return found && { do: name, at, process: Number(found[1]), rate: Number(found[2]) };
  }
  if (name === "partition") {
    const groups = rest.split("|").map((group) => group.trim().split(/[\s,]+/).filter(Boolean));
    if (groups.length < 2 || groups.flat().some((id) => !/^\d+$/.test(id))) return null;
    return { do: name, at, groups: groups.map((group) => group.map(Number)) };
  }
  if (name === "heal" && !rest) return { do: name, at };
  if (["cut", "heal", "slow"].includes(name)) return parseLinks(name, at, rest);
  const found = read(/^([\d,\s]+?)(?:\s+hold\s+(\d+))?(?:\s+(\{.*\}))?$/i);
  const data = found?.[3] && parseData(found[3]);
  if (!found || data === null) return null;
  const who = found[1].split(/[\s,]+/).filter(Boolean).map(Number);
  return { at, who, call: name, ...(found[2] ? { hold: Number(found[2]) } : {}), ...(data ? { data } : {}) };
}

function parseData(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function parseLinks(name, at, rest) {
  const [, written, delay] = /^((?:\d+\s*[->]\s*\d+[\s,]*)+)\s*([a-z]\S*)?$/i.exec(rest) ?? [];
  if (written === undefined || (name === "slow") !== (delay !== undefined)) return null;
  const found = [...written.matchAll(/(\d+)\s*([->])\s*(\d+)/g)];
  const ways = new Set(found.map((link) => link[2]));
  if (ways.size !== 1 || (ways.has(">") && name === "heal")) return null;
  const links = found.map((link) => [Number(link[1]), Number(link[3])]);
  return { do: name, at, links, ...(delay ? { delay } : {}), ...(ways.has(">") ? { one_way: true } : {}) };
}
