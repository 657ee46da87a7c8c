// A dialog: a heading, its content, and ways to close it (Escape, the cross, or a click outside).

import { translate } from "../words/text.js";
import { build, buildWorded } from "./elements.js";

/** Show a dialog; its heading is the words "NAME.title". It is removed when it closes. */
export function openDialog(name, ...content) {
  document.getElementById(name)?.close();
  const cross = buildWorded("button.plain.cross", { type: "button", "data-t-label": "close", onclick: () => dialog.close() }, "×");
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
