// The story in sentences, with the present in the middle; a click goes there. Only what is near is made, however long
// the run. `/` searches it.

import { build } from "./build.js";
import { lab } from "./lab.js";
import { violations } from "./playback.js";
import { plainSentence, sentenceOf } from "./sentences.js";
import { t } from "./text.js";

const BEFORE = 40;
const AFTER = 25;

export class StorySheet {
  constructor() {
    this.element = document.createElement("div");
    this.element.innerHTML = `
      <div class="searching"><label class="field"><span class="unseen" data-t="search"></span>
      <input id="search" type="search" data-t-placeholder="search" spellcheck="false" /></label></div>
      <ol class="story"></ol>`;
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

  /** Show what is near the cursor, or what was searched for. */
  update() {
    const { model, cursor } = lab;
    if (!model) return;
    const wanted = this.search.value.trim().toLowerCase();
    const near = () => range(Math.max(0, cursor - BEFORE), Math.min(model.events.length, cursor + AFTER));
    const indices = wanted ? this.found(wanted) : near();
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

  found(wanted) {
    const hits = [];
    for (let i = 0; i < lab.model.events.length && hits.length < 200; i++) {
      const event = lab.model.events[i];
      const text = `${event.time} ${event.clause ?? ""} ${event.kind} ${plainSentence(event)}`;
      if (text.toLowerCase().includes(wanted)) hits.push(i);
    }
    return hits;
  }

  /** Begin to search. */
  focusSearch() {
    this.search.focus();
    this.search.select();
  }
}

function range(from, to) {
  return Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k);
}
