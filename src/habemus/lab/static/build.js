// Elements in one line each, and prose with a little emphasis.

import { translate } from "./text.js";

/**
 * `build("button.primary", {type: "button", onclick: run}, "Run")`: a tag with its classes; properties whose names begin with
 * "on" are listeners, others attributes (false and null: left out); then what is in it.
 */
export function build(kind, properties = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** The same, with the words that `data-t` and its kin ask for. */
export function worded(kind, properties = {}, ...children) {
  const element = build(kind, properties, ...children);
  translate(element);
  return element;
}

/** A button: how it looks ("primary", "plain"), the key of its words, what it does. */
export function button(look, key, onclick, more = {}) {
  return worded(`button.${look}`, { type: "button", "data-t": key, onclick, ...more });
}

/** A control with its name above it. */
export function field(key, control) {
  return worded("label.field", {}, build("span", { "data-t": key }), control);
}

/** Put something else into an element, and leave the keyboard where it was: at the control of the same id, or in the same place. */
export function refill(element, ...children) {
  const controls = () => [...element.querySelectorAll("button:not(:disabled), input, select, summary")];
  const held = document.activeElement;
  const place = controls().indexOf(held);
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (place < 0) return;
  const there = controls();
  const same = held.id ? there.find((control) => control.id === held.id) : undefined;
  (same ?? there[Math.min(place, there.length - 1)])?.focus();
}

/** A line icon: `path` in a box of 20 by 20. */
export function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Text in which **strong**, *stressed* and `code` are marked, as nodes. */
export function prose(text) {
  const tags = { "**": "strong", "*": "em", "`": "code" };
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part) => {
    const mark = /^(\*\*|\*|`)(.+)\1$/.exec(part);
    return mark ? build(tags[mark[1]], {}, mark[2]) : part;
  });
}

/** The same without its marks. */
export function plain(text) {
  return text.replace(/\*\*|\*|`/g, "");
}
