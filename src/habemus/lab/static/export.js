// Take the run along: as data, as a picture, as a diagram for other tools, as a test.

import { download } from "./api.js";
import { build } from "./build.js";
import { openDialog } from "./dialog.js";
import { lab } from "./lab.js";
import { mistaken } from "./text.js";

const KINDS = ["json", "svg", "png", "mermaid", "shiviz", "pytest", "toml"];
const SCALE = 2; // dots of the picture for each of the drawing

/** Hand a file to the user. */
export function save({ name, blob }) {
  const address = URL.createObjectURL(blob);
  build("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Whether the run on the screen follows from a scenario; what real processes did does not. */
function repeatable() {
  return !lab.branch.shown || Boolean(lab.branch.scenario?.schedule);
}

/** The trace of what is on the screen, its events numbered as they stand there. */
function traceOnScreen() {
  const { algorithm, ids, edges, scenario, events } = lab.run;
  const place = new Map(events.map((event, index) => [event.event, index]));
  const header = { habemus: lab.catalogue.version, format: 1, algorithm, ids, edges, scenario };
  const known = (parents = []) => parents.map((parent) => place.get(parent)).filter((parent) => parent !== undefined);
  const lines = events.map((event, index) => ({ ...event, event: index, parents: known(event.parents) }));
  const text = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
  return { name: "trace.jsonl", blob: new Blob([text], { type: "application/jsonl" }) };
}

async function exported(kind) {
  if (!repeatable()) return traceOnScreen();
  const { scenario, code } = lab.branch;
  const body = code === undefined ? { scenario } : { scenario, code };
  if (kind !== "png") return download(`/api/export/${kind}`, body);
  const drawing = await download("/api/export/svg", body);
  return { name: drawing.name.replace(/\.svg$/, ".png"), blob: await painted(drawing.blob) };
}

/** An SVG as a PNG, on the ground that the page has. */
async function painted(drawing) {
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

function offer() {
  if (lab.branch === null) {
    lab.report(mistaken("share.nothing"));
    return;
  }
  const rows = (repeatable() ? KINDS : ["json"]).map((kind) =>
    build(
      "button.export",
      {
        type: "button",
        "data-kind": kind,
        onclick: async (event) => {
          const row = event.currentTarget;
          row.disabled = true;
          try {
            save(await exported(kind));
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

/** Have the page's button export. */
export function startExporting() {
  document.getElementById("export").addEventListener("click", offer);
}
