// A dialog: a heading, what is in it, and a way out (Escape, the cross, or a click beside it).

import { build, worded } from "./build.js";
import { translate } from "./text.js";

/** Show a dialog under a heading (the key of its words) and return it; it is removed when it closes. */
export function openDialog(name, ...content) {
  document.getElementById(name)?.close();
  const cross = worded("button.plain.cross", { type: "button", "data-t-label": "close", onclick: () => dialog.close() }, "×");
  const dialog = build(
    "dialog",
    { id: name, "aria-labelledby": `${name}-title` },
    build("header", {}, build("h2", { id: `${name}-title`, "data-t": `${name}.title` }), cross),
    ...content,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  translate(dialog);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
