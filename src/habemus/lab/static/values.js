// Messages and values as the page writes and weighs them.

const LONGEST_LABEL = 30;
const bytes = new TextEncoder();

/** `Candidate(7)`: a message as diagrams write it, no longer than fits. */
export function labelOf(carried) {
  if (carried.label === undefined) {
    const values = Object.values(carried.fields ?? {}).map(shortValue);
    let text = values.length ? `${carried.type}(${values.join(", ")})` : carried.type;
    const most = Math.max(LONGEST_LABEL, carried.type.length + 8);
    if (text.length > most) text = `${text.slice(0, most - 1)}…`;
    Object.defineProperty(carried, "label", { value: text, enumerable: false });
  }
  return carried.label;
}

/** A value as the page writes it. */
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

/** The length of a value: a number in binary, a text in bytes, a collection as all that is in it. */
export function bitsIn(value) {
  if (typeof value === "number") return Number.isInteger(value) ? Math.abs(value).toString(2).length : 64;
  if (typeof value === "string") return 8 * bytes.encode(value).length;
  if (value === null || typeof value === "boolean") return 1;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + bitsIn(item), 0);
  return Object.values(value).reduce((sum, item) => sum + bitsIn(item), 0);
}
