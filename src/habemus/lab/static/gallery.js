// The gallery: the guided stories, then every named scenario with a small picture and a sentence.

import { build, refill, worded } from "./build.js";
import { lab } from "./lab.js";
import { namedScenarios, openNamed, sentenceOf, titleOf } from "./named.js";
import { stories, storyButton } from "./stories.js";
import { t } from "./text.js";

const GLYPH = "M3.5 3.5 H9 V9 H3.5 Z M11 3.5 H16.5 V9 H11 Z M3.5 11 H9 V16.5 H3.5 Z M11 11 H16.5 V16.5 H11 Z";
const KINDS = ["all", "election", "mutex", "detector", "broken"];

let panel = null;
let scenarios = [];
let kind = "all";
let wanted = "";
let ends = [];

function kindOf(scenario) {
  return lab.catalogue?.algorithms.find((entry) => entry.name === scenario.algorithm)?.kind;
}

function shown(scenario) {
  if (kind === "broken" ? !scenario.violated.length : kind !== "all" && kindOf(scenario) !== kind) return false;
  const text = `${scenario.name} ${scenario.algorithm} ${titleOf(scenario)} ${sentenceOf(scenario)}`.toLowerCase();
  return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function card(scenario) {
  const open = () => {
    lab.setMode("watch");
    openNamed(scenario.name);
  };
  return build(
    "button.card",
    { type: "button", onclick: open, "data-name": scenario.name },
    build("img", { src: `/api/thumbnails/${scenario.name}.svg?theme=${lab.theme}`, alt: "", loading: "lazy" }),
    build("strong", {}, titleOf(scenario)),
    build("span.sentence", {}, sentenceOf(scenario)),
    build(
      "span.card-foot",
      {},
      build("span", {}, `${scenario.algorithm} · n = ${scenario.n}`),
      scenario.violated.length ? build("span.violates", {}, `✗ ${scenario.violated.map((name) => t(`property.${name}`)).join(", ")}`) : null,
    ),
  );
}

function fill() {
  const cards = scenarios.filter(shown).map(card);
  panel.querySelector(".cards").replaceChildren(...(cards.length ? cards : [worded("p.soft", { "data-t": "gallery.none" })]));
  for (const chip of panel.querySelectorAll(".pill")) chip.setAttribute("aria-pressed", String(chip.dataset.kind === kind));
}

function render() {
  const chips = KINDS.map((name) =>
    worded("button.pill", {
      type: "button",
      "data-kind": name,
      "data-t": `gallery.${name}`,
      onclick: () => {
        kind = name;
        fill();
      },
    }),
  );
  const search = worded("input", {
    type: "search",
    id: "gallery-search",
    value: wanted,
    "data-t-placeholder": "gallery.search",
    "data-t-label": "gallery.search",
    oninput: (event) => {
      wanted = event.target.value;
      fill();
    },
  });
  refill(
    panel,
    worded("h2", { "data-t": "story.all" }),
    worded("p.soft", { "data-t": "story.all.text" }),
    build("div.story-cards", {}, stories.map(storyButton)),
    worded("h2", { "data-t": "gallery.title" }),
    build("div.gallery-tools", {}, build("div.pills", {}, chips), search),
    build("div.cards"),
  );
  fill();
}

export const galleryMode = {
  glyph: GLYPH,
  size: "full",
  async mount(element) {
    panel = element;
    panel.classList.add("in-gallery");
    lab.pause();
    ends = [lab.on("language", render), lab.on("catalogue", render), lab.on("theme", fill)];
    render();
    try {
      scenarios = await namedScenarios();
    } catch (error) {
      lab.report(error);
      return;
    }
    if (panel === element) fill();
  },
  unmount() {
    for (const end of ends) end();
    panel.classList.remove("in-gallery");
    panel = null;
  },
};
