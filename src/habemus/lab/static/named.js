// The named scenarios: fetched once, told in the language of the page, opened on the screen.

import { get } from "./api.js";
import { lab } from "./lab.js";
import portuguese from "./words/scenarios.js";

let list = null;

/** All named scenarios, a few words each. */
export function namedScenarios() {
  list ??= get("/api/scenarios").catch((error) => {
    list = null;
    throw error;
  });
  return list;
}

/** What a named scenario is called in the language of the page. */
export function titleOf({ name, title }) {
  return (lab.language === "pt" && portuguese[name]?.[0]) || title;
}

/** What it shows, in a sentence or two. */
export function sentenceOf({ name, shows }) {
  return (lab.language === "pt" && portuguese[name]?.[1]) || shows;
}

/** Open a named scenario on the screen; resolves to its branch. */
export async function openNamed(name, options = {}) {
  try {
    const scenario = await get(`/api/scenarios/${name}`);
    const title = () => titleOf({ name, title: scenario.title });
    return await lab.openScenario(scenario, { title, ...options });
  } catch (error) {
    lab.report(error);
    return null;
  }
}
