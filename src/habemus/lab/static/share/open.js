// Opens a link of any lab, or a file: a scenario (TOML or JSON), or a trace, whose scenario is run again.

import { post } from "../store/api.js";
import { lab } from "../store/lab.js";
import { openDialog } from "../widgets/dialog.js";
import { build, buildButton, buildWorded } from "../widgets/elements.js";
import { describeError, makeError } from "../words/text.js";
import { openFragment } from "./share.js";

function showOpening() {
  const link = buildWorded("input", { type: "text", id: "open-link", "data-t-label": "open.link", "data-t-placeholder": "open.link", spellcheck: "false" });
  const file = buildWorded("input", { type: "file", id: "open-file", accept: ".toml,.json,.jsonl", "data-t-label": "open.file" });
  const problem = build("p.problem", { role: "alert", hidden: true });
  const attempt = async (open) => {
    try {
      await open();
      dialog.close();
    } catch (error) {
      problem.textContent = describeError(error);
      problem.hidden = false;
    }
  };
  link.addEventListener("keydown", (event) => {
    if (event.key === "Enter") attempt(() => openLink(link.value));
  });
  file.addEventListener("change", () => attempt(() => openFile(file.files[0])));
  const dialog = openDialog(
    "open-dialog",
    buildWorded("p", { "data-t": "open.text" }),
    build("div.row", {}, link, buildButton("primary", "open.open", () => attempt(() => openLink(link.value)), { id: "open-go" })),
    buildWorded("p", { "data-t": "open.file" }),
    file,
    problem,
  );
}

// Wherever it was made: what matters comes after the host.
async function openLink(text) {
  const fragment = /#.+$/.exec(text.trim())?.[0];
  if (fragment === undefined || !(await openFragment(fragment))) throw makeError("open.unknown");
}

async function openFile(file) {
  const { scenario } = await post("/api/read", { name: file.name, text: await file.text() });
  await lab.openScenario(scenario, { quiet: true });
  lab.setMode("watch");
}

/** Connect the button. */
export function startOpening() {
  document.getElementById("open").addEventListener("click", showOpening);
}
