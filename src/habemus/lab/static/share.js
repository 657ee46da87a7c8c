// A link that carries a run: the scenarios of its branch, compressed, in the fragment, which is never sent to a server.
//
// A run is a function of its scenario, so the scenarios are all there is to send; the digest says whether what is seen
// is what was shared. A link may carry code of one's own. That is shown in the editor, and runs when its reader says so.

import { build, worded } from "./build.js";
import { openDialog } from "./dialog.js";
import { editCode } from "./editor.js";
import { lab } from "./lab.js";
import { mistaken, number, t } from "./text.js";

const FORMAT = 1;
const MARK = "#run=";
const MOST_RUNS = 100; // from the root to the branch that is shared

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Data as a short text that may stand in an address. */
export async function packed(data) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(data)), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The data that `packed` made a text of. */
export async function unpacked(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** A branch and those that it came from, the first one first. */
function lineage(branch) {
  return branch === null ? [] : [...lineage(branch.parent), branch];
}

/** The link to what is on the screen. */
export async function shareLink() {
  const branch = lab.branch;
  const runs = lineage(branch).map((each) => ({ scenario: each.scenario, title: each.title, from: each.from }));
  const data = { format: FORMAT, runs, digest: branch.run.digest, at: lab.cursor, code: branch.code };
  return `${window.location.origin}${window.location.pathname}${MARK}${await packed(data)}`;
}

async function share() {
  if (lab.branch === null || lab.live || (lab.branch.shown && !lab.branch.scenario?.schedule)) {
    lab.report(mistaken("share.nothing"));
    return;
  }
  const link = await shareLink();
  const field = worded("input", { type: "text", id: "share-link", readonly: true, value: link, "data-t-label": "share.link" });
  const copy = worded("button.primary", { type: "button", id: "share-copy", "data-t": "share.copy" });
  copy.addEventListener("click", async () => {
    field.select();
    await navigator.clipboard.writeText(link).catch(() => document.execCommand("copy"));
    copy.textContent = t("share.copied");
  });
  openDialog(
    "share-dialog",
    worded("p", { "data-t": lab.branch.code === undefined ? "share.text" : "share.text.code" }),
    build("div.row", {}, field, copy),
    build("p.soft", {}, t("share.size", { letters: number(link.length), digest: lab.run.digest.slice(0, 12) })),
  );
  field.select();
}

/** Open the run that the address carries; whether there was one. */
export async function openShared() {
  if (!window.location.hash.startsWith(MARK)) return false;
  let data;
  try {
    data = await unpacked(window.location.hash.slice(MARK.length));
    if (data.format !== FORMAT || !data.runs.length || data.runs.length > MOST_RUNS) throw new Error("format");
  } catch {
    say(t("share.broken"), "mistake");
    return false;
  }
  window.history.replaceState(null, "", window.location.pathname);
  if (data.code !== undefined) {
    editCode(data.code, data.runs.at(-1).scenario, t("share.code"));
    return true;
  }
  let branch = null;
  for (const { scenario, title, from } of data.runs) {
    const run = await lab.compute(scenario, undefined, false);
    if (run === null) return false;
    branch = lab.addBranch(run, { title, parent: branch, from });
  }
  lab.show(branch, data.at);
  if (data.at === undefined) lab.play();
  if (data.digest !== undefined) compareDigests(branch.run.digest, String(data.digest));
  return true;
}

function compareDigests(digest, other) {
  const args = { digest: digest.slice(0, 12), other: other.slice(0, 12) };
  if (digest === other) say(t("share.same", args), "holds");
  else say(t("share.differs", args), "mistake");
}

// A sentence that goes away by itself; one that tells of a mistake after a while longer.
function say(sentence, kind) {
  const note = build("div.note", { role: "status", id: "share-note", "data-kind": kind }, `${kind === "holds" ? "✓" : "✗"} ${sentence}`);
  document.body.append(note);
  setTimeout(() => note.remove(), kind === "holds" ? 6000 : 12_000);
}

/** Have the page's button share, and a link that is pasted into an open page be opened. */
export function startSharing() {
  document.getElementById("share").addEventListener("click", share);
  window.addEventListener("hashchange", openShared);
}
