// The banner: a violated property, with its witness highlighted, or an error, in one sentence.

import { lab } from "../store/lab.js";
import { violations } from "../store/violations.js";
import { build, buildButton } from "../widgets/elements.js";
import { explainViolation } from "../words/sentences.js";
import { describeError, t } from "../words/text.js";

const ERROR_SHOWN = 9000; // milliseconds

export class Banner {
  /** `highlight(witness)` outlines the witness {events, processes} in stage and diagram; null removes the outline. */
  constructor(element, highlight) {
    this.element = element;
    this.highlight = highlight;
    lab.on("violation", (index) => this.explain(index));
    lab.on("cursor", (cursor) => {
      if (this.at !== undefined && cursor !== this.at) this.close();
    });
    lab.on("run", () => this.close());
    lab.on("language", () => {
      if (this.at !== undefined) this.explain(this.at);
      else if (this.error) this.showError(this.error);
    });
    lab.on("error", (error) => this.showError(error));
  }

  /** Show which properties are violated in an event, and why. */
  explain(index) {
    const broken = violations().filter((found) => found.index === index);
    if (!broken.length) return;
    window.clearTimeout(this.timer);
    this.at = index;
    const witnesses = broken.map(({ property }) => property.witness ?? {});
    const numbers = witnesses.flatMap((witness) => witness.events ?? []);
    const events = new Set(numbers.map((number) => lab.model.indexOf.get(number)));
    this.highlight({ events, processes: new Set(witnesses.flatMap((witness) => witness.processes ?? [])) });
    const words = broken.flatMap(({ property }) => [
      build("h2", {}, t("violated", { property: t(`property.${property.name}`) })),
      build("p", {}, explainViolation(property, lab.language)),
    ]);
    const earliest = Math.min(...events, index);
    const actions = build(
      "div.actions",
      {},
      earliest < index ? buildButton("plain", "violated.first", () => lab.seek(earliest)) : null,
      buildButton("plain", "violated.on", () => lab.play()),
    );
    this.open(build("div", {}, words, actions), "violation");
  }

  /** Show an error. */
  showError(error) {
    this.at = undefined;
    this.open(build("div", {}, build("p", {}, describeError(error))), "error");
    this.error = error;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.close(), ERROR_SHOWN);
  }

  open(body, kind) {
    this.error = null;
    const leave = { type: "button", "aria-label": t("close"), onclick: () => this.close() };
    this.element.replaceChildren(body, build("button.close", leave, "×"));
    this.element.dataset.kind = kind;
    this.element.hidden = false;
  }

  /** Close the banner; returns whether it was open. */
  close() {
    const open = !this.element.hidden;
    this.element.hidden = true;
    this.at = undefined;
    this.error = null;
    this.highlight(null);
    return open;
  }
}
