// Translates sentences of the server, which are English, to Portuguese; they are recognised by their shape (pt/server.js).

import screen from "./pt/screen.js";
import { bounds, json, parts, sentences } from "./pt/server.js";

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

/** Match a sentence with the known shapes: `{field, english, portuguese, places}`; null if none matches. */
export function recognise(sentence) {
  const [, field, rest] = FIELD.exec(sentence) ?? [];
  const behind = rest === undefined ? null : recognise(rest);
  if (behind) return { ...behind, field: `${field}: ${behind.field}` };
  for (const { english, portuguese, pattern } of shapes) {
    const found = pattern.exec(sentence);
    if (found) return { field: "", english, portuguese, places: found.groups ?? {} };
  }
  return null;
}

/** Translate a sentence of the server to Portuguese; null if it is not known. */
export function toPortuguese(sentence) {
  const known = recognise(sentence);
  return known && known.field + known.portuguese.replace(/\{(\w+)\}/g, (_, name) => translatePart(known.places[name]));
}

/** Translate what a name of a shape matches. */
function translatePart(text) {
  const part = parts.find(([pattern]) => pattern.test(text));
  if (part) return text.replace(...part);
  if (THOUSANDS.test(text)) return text.replaceAll(",", ".");
  return screen[`topology.${text}`] ?? toPortuguese(text) ?? text;
}
