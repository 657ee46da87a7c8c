// Links to runs: the compressed scenarios of a branch are in the fragment of the address, which is never sent to a server.
//
// A run is determined by its scenario, so a link needs no more; the digest shows whether the reader sees the same run. A link
// may contain the user's own code. It is then opened in the editor, and runs only when the reader starts it.

import { editCode } from "../modes/own.js";
import { lab } from "../store/lab.js";
import { openDialog } from "../widgets/dialog.js";
import { build, buildWorded } from "../widgets/elements.js";
import { formatNumber, makeError, t } from "../words/text.js";
import { MARK, isOwnAddress } from "./address.js";
import { describeBranches, lineage, pack, restoreBranches, unpack } from "./packing.js";

/** Make the link to what is on the screen. */
export async function shareLink() {
  const data = { ...describeBranches(lineage(lab.branch)), digest: lab.run.digest };
  return `${window.location.origin}${window.location.pathname}${MARK}${await pack(data)}`;
}

async function share() {
  if (lab.branch === null || lab.live || (lab.branch.shown && !lab.branch.scenario?.schedule)) {
    lab.report(makeError("share.nothing"));
    return;
  }
  const link = await shareLink();
  const field = buildWorded("input", { type: "text", id: "share-link", readonly: true, value: link, "data-t-label": "share.link" });
  const copy = buildWorded("button.primary", { type: "button", id: "share-copy", "data-t": "share.copy" });
  copy.addEventListener("click", async () => {
    field.select();
    await navigator.clipboard.writeText(link).catch(() => document.execCommand("copy"));
    copy.textContent = t("share.copied");
  });
  openDialog(
    "share-dialog",
    buildWorded("p", { "data-t": lab.branch.code === undefined ? "share.text" : "share.text.code" }),
    build("div.row", {}, field, copy),
    build("p.soft", {}, t("share.size", { characters: formatNumber(link.length), digest: lab.run.digest.slice(0, 12) })),
  );
  field.select();
}

/** Open the runs in a fragment, by default that of the address; resolves to whether there were any. */
export async function openFragment(fragment = window.location.hash) {
  if (!fragment.startsWith(MARK)) return false;
  let data;
  try {
    data = await unpack(fragment.slice(MARK.length));
  } catch {
    showNote(t("share.broken"), "error");
    return false;
  }
  const own = fragment === window.location.hash && isOwnAddress();
  const code = data.codes[data.runs[data.here]?.code ?? -1];
  if (data.codes.length && !own) {
    if (code !== undefined) editCode(code, data.runs[data.here].scenario);
    return code !== undefined;
  }
  const branch = await restoreBranches(data);
  if (branch === null) return false;
  lab.show(branch, data.at);
  if (data.mode) lab.setMode(data.mode);
  if (data.digest !== undefined) compareDigests(branch.run.digest, String(data.digest));
  return true;
}

function compareDigests(digest, other) {
  const args = { digest: digest.slice(0, 12), other: other.slice(0, 12) };
  if (digest === other) showNote(t("share.same", args), "holds");
  else showNote(t("share.differs", args), "error");
}

// Shows a sentence for a while; an error for longer.
function showNote(sentence, kind) {
  const note = build("div.note", { role: "status", id: "share-note", "data-kind": kind }, `${kind === "holds" ? "✓" : "✗"} ${sentence}`);
  document.body.append(note);
  setTimeout(() => note.remove(), kind === "holds" ? 6000 : 12_000);
}

/** Connect the share button, and open links that are pasted into an open page. */
export function startSharing() {
  document.getElementById("share").addEventListener("click", share);
  window.addEventListener("hashchange", () => openFragment());
}
