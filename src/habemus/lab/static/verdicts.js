// What has to be said at once: a property that breaks, with its witness lit up; a mistake, in one sentence.

import { build, button } from "./build.js";
import { lab } from "./lab.js";
import { violations } from "./playback.js";
import { explanation } from "./sentences.js";
import { spoken, t } from "./text.js";

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
      else if (this.error) this.complain(this.error);
    });
    lab.on("error", (error) => this.complain(error));
  }

  /** Say which properties break in an event, and why. */
  explain(index) {
    const broken = violations().filter((found) => found.index === index);
    if (!broken.length) return;
    window.clearTimeout(this.timer);
    this.at = index;
    const witnesses = broken.map(({ property }) => property.witness ?? {});
    const numbers = witnesses.flatMap((witness) => witness.events ?? []);
    const events = new Set(numbers.map((number) => lab.model.indexOf.get(number)));
    this.light({ events, processes: new Set(witnesses.flatMap((witness) => witness.processes ?? [])) });
    const words = broken.flatMap(({ property }) => [
      build("h2", {}, t("violated", { property: t(`property.${property.name}`) })),
      build("p", {}, explanation(property, lab.language)),
    ]);
    const earliest = Math.min(...events, index);
    const actions = build(
      "div.actions",
      {},
      earliest < index ? button("plain", "violated.first", () => lab.seek(earliest)) : null,
      button("plain", "violated.on", () => lab.play()),
    );
    this.open(build("div", {}, words, actions), "violation");
  }

  /** Say what was wrong with what the user asked for. */
  complain(error) {
    this.at = undefined;
    this.open(build("div", {}, build("p", {}, spoken(error))), "mistake");
    this.error = error;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.close(), LONGEST_SHOWN);
  }

  open(body, kind) {
    this.error = null;
    const leave = { type: "button", "aria-label": t("close"), onclick: () => this.close() };
    this.element.replaceChildren(body, build("button.close", leave, "×"));
    this.element.dataset.kind = kind;
    this.element.hidden = false;
  }

  /** Say no more; says whether there was something. */
  close() {
    const open = !this.element.hidden;
    this.element.hidden = true;
    this.at = undefined;
    this.error = null;
    this.light(null);
    return open;
  }
}
