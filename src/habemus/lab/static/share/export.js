// Exports the run: as a trace, a picture, a diagram for other tools, a test.

import { download } from "../store/api.js";
import { lab } from "../store/lab.js";
import { openDialog } from "../widgets/dialog.js";
import { build } from "../widgets/elements.js";
import { makeError } from "../words/text.js";

const KINDS = ["json", "svg", "png", "mermaid", "shiviz", "pytest", "toml"];
const SCALE = 2; // pixels of the PNG for each unit of the SVG

/** Have the browser save a file. */
export function saveFile({ name, blob }) {
  const address = URL.createObjectURL(blob);
  build("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Whether the run on the screen is determined by a scenario; a live run is not. */
function isRepeatable() {
  return !lab.branch.shown || Boolean(lab.branch.scenario?.schedule);
}

/** The trace of the run on the screen, with its events numbered from 0. */
function traceOnScreen() {
  const { algorithm, ids, edges, scenario, events } = lab.run;
  const numberOf = new Map(events.map((event, index) => [event.event, index]));
  const header = { habemus: lab.catalogue.version, format: 1, algorithm, ids, edges, scenario };
  const known = (parents = []) => parents.map((parent) => numberOf.get(parent)).filter((parent) => parent !== undefined);
  const lines = events.map((event, index) => ({ ...event, event: index, parents: known(event.parents) }));
  const text = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
  return { name: "trace.jsonl", blob: new Blob([text], { type: "application/jsonl" }) };
}

async function exportRun(kind) {
  if (!isRepeatable()) return traceOnScreen();
  const { scenario, code } = lab.branch;
  const body = code === undefined ? { scenario } : { scenario, code };
  if (kind !== "png") return download(`/api/export/${kind}`, body);
  const drawing = await download("/api/export/svg", body);
  return { name: drawing.name.replace(/\.svg$/, ".png"), blob: await toPng(drawing.blob) };
}

/** Convert an SVG to a PNG, on the background of the page. */
async function toPng(drawing) {
  const address = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
  const picture = new Image();
  picture.style.colorScheme = lab.theme;
  picture.src = address;
  await picture.decode();
  const canvas = build("canvas", { width: picture.naturalWidth * SCALE, height: picture.naturalHeight * SCALE });
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function showFormats() {
  if (lab.branch === null) {
    lab.report(makeError("share.nothing"));
    return;
  }
  const rows = (isRepeatable() ? KINDS : ["json"]).map((kind) =>
    build(
      "button.export",
      {
        type: "button",
        "data-kind": kind,
        onclick: async (event) => {
          const row = event.currentTarget;
          row.disabled = true;
          try {
            saveFile(await exportRun(kind));
          } catch (error) {
            dialog.close();
            lab.report(error);
          }
          row.disabled = false;
        },
      },
      build("strong", { "data-t": `export.${kind}` }),
      build("span", { "data-t": `export.${kind}.text` }),
    ),
  );
  const dialog = openDialog("export-dialog", build("div.exports", {}, rows));
}

/** Connect the export button. */
export function startExporting() {
  document.getElementById("export").addEventListener("click", showFormats);
}
