// Messages and values as text, and their size in bits.

import { nameOfContents, nameOfType, namesVersion } from "./message-names.js";

const LONGEST_LABEL = 30;
const bytes = new TextEncoder();

/** The label of a message in diagrams, shortened: `Candidate(7)`. */
export function labelOf(envelope) {
  if (envelope.label?.version !== namesVersion()) {
    const text = spellMessage(envelope.type, Object.values(envelope.fields ?? {}));
    const label = { text, version: namesVersion() };
    Object.defineProperty(envelope, "label", { value: label, enumerable: false, configurable: true });
  }
  return envelope.label.text;
}

function spellMessage(type, values) {
  const own = nameOfContents(type, values);
  if (own !== undefined) return own;
  const name = nameOfType(type);
  const text = values.length ? `${name}(${values.map(shortValue).join(", ")})` : name;
  const most = Math.max(LONGEST_LABEL, name.length + 8);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A value as short text. */
export function shortValue(value) {
  if (value === null || value === undefined) return "–";
  if (value === true) return "✓";
  if (value === false) return "✗";
  if (Array.isArray(value)) return `[${value.map(shortValue).join(" ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, item]) => `${key}: ${shortValue(item)}`);
    return `{${pairs.join(", ")}}`;
  }
  return String(value);
}

/** The bits of a value: a number in binary, a text in bytes, a collection as the sum of its items. */
export function bitsIn(value) {
  if (typeof value === "number") return Number.isInteger(value) ? Math.abs(value).toString(2).length : 64;
  if (typeof value === "string") return 8 * bytes.encode(value).length;
  if (value === null || typeof value === "boolean") return 1;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + bitsIn(item), 0);
  return Object.values(value).reduce((sum, item) => sum + bitsIn(item), 0);
}

/** Whether two values are equal as JSON. */
export function same(one, two) {
  return JSON.stringify(one) === JSON.stringify(two);
}
