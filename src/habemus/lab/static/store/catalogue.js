// The catalogue of algorithms, as the server sent it.

import { lab } from "./lab.js";

/** What an algorithm does, in one line. */
export function mottoOf(entry) {
  return (lab.language === "pt" && entry.motto_pt) || entry.motto || entry.idea || "";
}

/** The entry of the catalogue with a name; undefined if there is none. */
export function entryOf(name) {
  return lab.catalogue?.algorithms.find((entry) => entry.name === name);
}
