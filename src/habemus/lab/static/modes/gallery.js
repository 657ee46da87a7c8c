// The gallery: the guided stories, then every named scenario with a small picture and a sentence.

import { entryOf } from "../store/catalogue.js";
import { lab } from "../store/lab.js";
import { fetchScenarios, openNamedScenario, sentenceOf, titleOf } from "../store/scenarios.js";
import { build, buildWorded, refill } from "../widgets/elements.js";
import { finds } from "../words/search.js";
import { t } from "../words/text.js";
import { buildStoryButton, stories } from "./story.js";

const GLYPH = "M3.5 3.5 H9 V9 H3.5 Z M11 3.5 H16.5 V9 H11 Z M3.5 11 H9 V16.5 H3.5 Z M11 11 H16.5 V16.5 H11 Z";
const KINDS = ["all", "election", "mutex", "detector", "broken"];

let panel = null;
let scenarios = [];
let kind = "all";
let wanted = "";
let ends = [];

function kindOf(scenario) {
  return entryOf(scenario.algorithm)?.kind;
}

/** Whether a property is promised in a scenario; an algorithm outside the catalogue is taken to promise it. */
function promises({ algorithm, layers }, property) {
  return [algorithm, ...layers].some((name) => entryOf(name)?.guarantees.includes(property) ?? true);
}

/** The properties that a scenario violates, and those that do not hold but are not promised. */
function buildVerdicts(scenario) {
  const list = (names) => names.map((name) => t(`property.${name}`)).join(", ");
  const violated = scenario.violated.filter((name) => promises(scenario, name));
  const observed = scenario.violated.filter((name) => !promises(scenario, name));
  return [
    violated.length ? build("span.violates", {}, `✗ ${list(violated)}`) : null,
    observed.length ? build("span", {}, t("gallery.observed", { properties: list(observed) })) : null,
  ];
}

function matches(scenario) {
  if (kind === "broken" ? !scenario.violated.length : kind !== "all" && kindOf(scenario) !== kind) return false;
  const told = [scenario.title, scenario.shows, titleOf(scenario), sentenceOf(scenario), ...(scenario.terms ?? [])];
  return finds(wanted, [scenario.name, scenario.algorithm, ...told, ...storyTexts(scenario.name)]);
}

/** What stories tell of a scenario, in both languages. */
function storyTexts(name) {
  return stories.filter((story) => [story.scenario, ...story.steps.map((step) => step.scenario)].includes(name)).flatMap(textsOf);
}

function textsOf(story) {
  return [...Object.values(story.title), ...story.steps.flatMap((step) => [...step.en, ...step.pt])];
}

function buildCard(scenario) {
  const open = () => {
    lab.setMode("watch");
    openNamedScenario(scenario.name);
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
      buildVerdicts(scenario),
    ),
  );
}

function fillCards() {
  const told = stories.filter((story) => finds(wanted, textsOf(story)));
  panel.querySelector(".story-cards").replaceChildren(...told.map(buildStoryButton));
  const cards = scenarios.filter(matches).map(buildCard);
  panel.querySelector(".cards").replaceChildren(...(cards.length ? cards : [buildWorded("p.soft", { "data-t": "gallery.none" })]));
  for (const chip of panel.querySelectorAll(".pill")) chip.setAttribute("aria-pressed", String(chip.dataset.kind === kind));
}

function render() {
  const chips = KINDS.map((name) =>
    buildWorded("button.pill", {
      type: "button",
      "data-kind": name,
      "data-t": `gallery.${name}`,
      onclick: () => {
        kind = name;
        fillCards();
      },
    }),
  );
  const search = buildWorded("input", {
    type: "search",
    id: "gallery-search",
    value: wanted,
    "data-t-placeholder": "gallery.search",
    "data-t-label": "gallery.search",
    oninput: (event) => {
      wanted = event.target.value;
      fillCards();
    },
  });
  refill(
    panel,
    buildWorded("h2", { "data-t": "story.all" }),
    buildWorded("p.soft", { "data-t": "story.all.text" }),
    build("div.story-cards"),
    buildWorded("h2", { "data-t": "gallery.title" }),
    build("div.gallery-tools", {}, build("div.pills", {}, chips), search),
    build("div.cards"),
  );
  fillCards();
}

export const galleryMode = {
  glyph: GLYPH,
  size: "full",
  async mount(element) {
    panel = element;
    panel.classList.add("in-gallery");
    lab.pause();
    ends = [lab.on("language", render), lab.on("catalogue", render), lab.on("theme", fillCards)];
    render();
    try {
      scenarios = await fetchScenarios();
    } catch (error) {
      lab.report(error);
      return;
    }
    if (panel === element) fillCards();
  },
  unmount() {
    for (const end of ends) end();
    panel.classList.remove("in-gallery");
    panel = null;
  },
};
