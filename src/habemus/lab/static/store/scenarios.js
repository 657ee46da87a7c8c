// The named scenarios: fetched once, described in the language of the page, opened on the screen.

import portuguese from "../words/pt/scenarios.js";
import { get } from "./api.js";
import { lab } from "./lab.js";

let list = null;

/** All named scenarios: name, title, what it shows, algorithm, n. */
export function fetchScenarios() {
  list ??= get("/api/scenarios").catch((error) => {
    list = null;
    throw error;
  });
  return list;
}

/** The title of a named scenario in the language of the page. */
export function titleOf({ name, title }) {
  return (lab.language === "pt" && portuguese[name]?.[0]) || title;
}

/** What a named scenario shows, in a sentence or two. */
export function sentenceOf({ name, shows }) {
  return (lab.language === "pt" && portuguese[name]?.[1]) || shows;
}

/** Open a named scenario on the screen; resolves to its branch. */
export async function openNamedScenario(name, options = {}) {
  try {
    const scenario = await get(`/api/scenarios/${name}`);
    const title = () => titleOf({ name, title: scenario.title });
    return await lab.openScenario(scenario, { title, ...options });
  } catch (error) {
    lab.report(error);
    return null;
  }
}
