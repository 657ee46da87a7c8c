// What has to be said at once: a property that breaks, with its witness lit up; a mistake, in one sentence.

import { lab } from "./lab.js";
import { violations } from "./playback.js";
import { explanation } from "./sentences.js";
import { t } from "./text.js";

const LONGEST_SHOWN = 9000; // milliseconds that a mistake stays

export class Banner {
  /** `light(witness)` outlines the evidence {events, processes} in stage and diagram; null takes it away. */
  constructor(element, light) {
    this.element = element;
    this.light = light;
    lab.on("violation", (index) => this.explain(index));
    lab.on("cursor", (cursor) => {
      if (this.at !== undefined && cursor !== this.at) this.close();
    });
    lab.on("run", () => this.close());
    lab.on("language", () => {
      if (this.at !== undefined) this.explain(this.at);
    });
    lab.on("error", ({ message }) => this.complain(message));
  }

  /** Say which properties break in an event, and why. */
  explain(index) {
    const broken = violations().filter((found) => found.index === index);
    if (!broken.length) return;
    window.clearTimeout(this.timer);
    this.at = index;
    const events = new Set(broken.flatMap(({ property }) => (property.witness?.events ?? []).map((event) => lab.model.indexOf.get(event))));
    const processes = new Set(broken.flatMap(({ property }) => property.witness?.processes ?? []));
    this.light({ events, processes });
    const body = document.createElement("div");
    for (const { property } of broken) {
      body.append(Object.assign(document.createElement("h2"), { textContent: t("violated", { property: t(`property.${property.name}`) }) }));
      body.append(Object.assign(document.createElement("p"), { textContent: explanation(property, lab.language) }));
    }
    const actions = document.createElement("div");
    actions.className = "actions";
    const earliest = Math.min(...events, index);
    if (earliest < index) actions.append(this.button("violated.first", () => lab.seek(earliest)));
    actions.append(this.button("violated.on", () => lab.play()));
    body.append(actions);
    this.open(body, "violation");
  }

  button(key, run) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.dataset.t = key;
    button.textContent = t(key);
    button.addEventListener("click", run);
    return button;
  }

  /** Say what was wrong with what the user asked for. */
  complain(message) {
    const body = document.createElement("div");
    body.append(Object.assign(document.createElement("p"), { textContent: message }));
    this.at = undefined;
    this.open(body, "mistake");
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.close(), LONGEST_SHOWN);
  }

  open(body, kind) {
    const close = document.createElement("button");
    close.type = "button";
    close.className = "close";
    close.textContent = "×";
    close.setAttribute("aria-label", t("close"));
    close.addEventListener("click", () => this.close());
    this.element.replaceChildren(body, close);
    this.element.dataset.kind = kind;
    this.element.hidden = false;
  }

  /** Say no more; says whether there was something. */
  close() {
    const open = !this.element.hidden;
    this.element.hidden = true;
    this.at = undefined;
    this.light(null);
    return open;
  }
}
