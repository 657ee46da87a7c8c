// The events sheet: the events around the cursor as sentences; a click goes to an event, `/` searches. Only those near the
// cursor are in the document, however long the run.

import { lab } from "../store/lab.js";
import { violations } from "../store/violations.js";
import { build } from "../widgets/elements.js";
import { plainSentenceOf, sentenceOf } from "../words/sentences.js";
import { t } from "../words/text.js";

const BEFORE = 40;
const AFTER = 25;

export class EventsSheet {
  constructor() {
    this.element = document.createElement("div");
    this.element.innerHTML = `
      <div class="searching"><label class="field"><span class="unseen" data-t="search"></span>
      <input id="search" type="search" data-t-placeholder="search" spellcheck="false" /></label></div>
      <ol class="events"></ol>`;
    this.list = this.element.querySelector("ol");
    this.search = this.element.querySelector("input");
    this.search.addEventListener("input", () => this.update());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.search.value = "";
        this.update();
        this.search.blur();
      } else if (event.key === "Enter") this.list.querySelector("li")?.click();
    });
    this.list.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (!item) return;
      lab.pause();
      const index = Number(item.dataset.index);
      lab.seek(index);
      lab.select({ event: index });
    });
    this.list.addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.target.closest("li")?.click();
    });
  }

  /** Show the events near the cursor, or those that were searched for. */
  update() {
    const { model, cursor } = lab;
    if (!model) return;
    const wanted = this.search.value.trim().toLowerCase();
    const near = () => range(Math.max(0, cursor - BEFORE), Math.min(model.events.length, cursor + AFTER));
    const indices = wanted ? this.find(wanted) : near();
    const broken = new Set(violations().map(({ index }) => index));
    this.list.replaceChildren(...indices.map((index) => this.item(index, broken)));
    const now = this.list.querySelector(".now");
    if (!now) return;
    const sheet = this.element.parentElement;
    if (sheet) sheet.scrollTop = now.offsetTop - sheet.offsetTop - sheet.clientHeight * 0.55;
  }

  item(index, broken) {
    const event = lab.model.events[index];
    const now = index === lab.cursor;
    const pieces = sentenceOf(event).map(({ code, text }) => (code === undefined ? text : build("code", {}, code)));
    const item = build("li", { "data-index": index, tabindex: 0, "aria-current": now && "true" });
    item.classList.toggle("now", now);
    item.classList.toggle("later", index > lab.cursor);
    item.classList.toggle("broken", broken.has(index));
    item.append(build("time", {}, String(event.time)), build("span", {}, pieces));
    return item;
  }

  find(wanted) {
    const hits = [];
    for (let i = 0; i < lab.model.events.length && hits.length < 200; i++) {
      const event = lab.model.events[i];
      const text = `${event.time} ${event.clause ?? ""} ${event.kind} ${plainSentenceOf(event)}`;
      if (text.toLowerCase().includes(wanted)) hits.push(i);
    }
    return hits;
  }

  focusSearch() {
    this.search.focus();
    this.search.select();
  }
}

function range(from, to) {
  return Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k);
}
