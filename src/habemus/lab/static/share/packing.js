// Branches as text: their compressed scenarios. A run is determined by its scenario, so nothing else is needed; titles and
// where each branch left its parent come along.

import { lab } from "../store/lab.js";

const FORMAT = 2; // 1: one line of branches, with one code
const MOST_RUNS = 100;

async function pipe(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Compress data to a text that can be part of an address. */
export async function pack(data) {
  const bytes = await pipe(new TextEncoder().encode(JSON.stringify(data)), new CompressionStream("deflate-raw"));
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decompress a text that `pack` made; throws if it is none, or not of branches. */
export async function unpack(text) {
  const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await pipe(Uint8Array.from(characters, (character) => character.charCodeAt(0)), new DecompressionStream("deflate-raw"));
  const data = JSON.parse(new TextDecoder().decode(bytes));
  if (![1, FORMAT].includes(data.format) || !data.runs.length || data.runs.length > MOST_RUNS) throw new Error("format");
  if (data.format === FORMAT) return data;
  const runs = data.runs.map((run, k) => ({ ...run, parent: k - 1, ...(data.code === undefined ? {} : { code: 0 }) }));
  return { ...data, runs, here: runs.length - 1, codes: data.code === undefined ? [] : [data.code] };
}

/** A branch and its ancestors, the root first. */
export function lineage(branch) {
  return branch === null ? [] : [...lineage(branch.parent), branch];
}

/** Describe some branches, each after its parent, and the moment that is shown. */
export function describeBranches(branches) {
  const codes = [...new Set(branches.map((branch) => branch.code).filter((code) => code !== undefined))];
  const runs = branches.slice(-MOST_RUNS).map((branch, _, kept) => ({
    scenario: branch.scenario,
    title: branch.title,
    from: branch.from,
    at: branch.at,
    parent: kept.indexOf(branch.parent),
    ...(branch.code === undefined ? {} : { code: codes.indexOf(branch.code) }),
    ...(branch.name === undefined ? {} : { name: branch.name }),
    ...(branch.welcome ? { welcome: true } : {}),
  }));
  return { format: FORMAT, runs, here: branches.slice(-MOST_RUNS).indexOf(lab.branch), at: lab.cursor, codes };
}

/** Run described branches and add them; resolves to the one that was shown, or to null if the server refused one. */
export async function restoreBranches({ runs, here, codes }) {
  const made = [];
  for (const { scenario, title, from, at, parent, code, name } of runs) {
    const source = code === undefined ? undefined : codes[code];
    const run = await lab.compute(scenario, source, false);
    if (run === null) return null;
    made.push(lab.addBranch(run, { code: source, title, parent: made[parent] ?? null, from, at }));
    made.at(-1).name = name;
  }
  runs.forEach(({ welcome }, k) => (made[k].welcome = welcome)); // not before: the next branch would replace it
  return made[here] ?? made.at(-1);
}
