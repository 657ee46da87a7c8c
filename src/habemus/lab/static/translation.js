// What the server says, in Portuguese. It speaks English; its sentences are known by their shapes (words/server.js).

import screen from "./words/screen.js";
import { bounds, json, parts, sentences } from "./words/server.js";

const FIELD = /^([\w.[\]-]+): (.+)$/s; // "topology.n: expected ..."
const THOUSANDS = /^\d{1,3}(,\d{3})+$/;

const shapes = Object.entries({ ...bounds, ...json, ...sentences }).map(shapeOf).sort((a, b) => b.words - a.words);

function shapeOf([english, portuguese]) {
  const seen = new Set();
  const place = (name) => {
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>.+?)`;
  };
  const pieces = english.split(/\{(\w+)\}/);
  const pattern = pieces.map((piece, k) => (k % 2 ? place(piece) : piece.replace(/[^\w\s]/g, "\\$&"))).join("");
  const words = pieces.reduce((sum, piece, k) => sum + (k % 2 ? 0 : piece.length), 0);
  return { english, portuguese, words, pattern: new RegExp(`^${pattern}$`, "s") };
}

/** A sentence in its parts: `{field, english, portuguese, places}`, the last by name; null if it has none of the shapes. */
export function recognised(sentence) {
  const [, field, rest] = FIELD.exec(sentence) ?? [];
  const behind = rest === undefined ? null : recognised(rest);
  if (behind) return { ...behind, field: `${field}: ${behind.field}` };
  for (const { english, portuguese, pattern } of shapes) {
    const found = pattern.exec(sentence);
    if (found) return { field: "", english, portuguese, places: found.groups ?? {} };
  }
  return null;
}

/** A sentence of the server in Portuguese; null if it is not known. */
export function inPortuguese(sentence) {
  const known = recognised(sentence);
  return known && known.field + known.portuguese.replace(/\{(\w+)\}/g, (_, name) => within(known.places[name]));
}

/** What stands in a place of a sentence. */
function within(text) {
  const part = parts.find(([pattern]) => pattern.test(text));
  if (part) return text.replace(...part);
  if (THOUSANDS.test(text)) return text.replaceAll(",", ".");
  return screen.pt[`topology.${text}`] ?? inPortuguese(text) ?? text;
}
