// Builds elements, each in one expression.

import { translate } from "../words/text.js";

/**
 * `build("button.primary", {type: "button", onclick: run}, "Run")`: a tag with its classes; properties whose names begin
 * with "on" are listeners, the others attributes (left out if false or null); then the content.
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

/** The same, with the words for `data-t` and similar attributes filled in. */
export function buildWorded(kind, properties = {}, ...children) {
  const element = build(kind, properties, ...children);
  translate(element);
  return element;
}

/** A button: its class ("primary", "plain"), the key of its words, what it does. */
export function buildButton(look, key, onclick, more = {}) {
  return buildWorded(`button.${look}`, { type: "button", "data-t": key, onclick, ...more });
}

/** A control with its label above it. */
export function buildField(key, control) {
  return buildWorded("label.field", {}, build("span", { "data-t": key }), control);
}

/** Replace the content of an element and keep the focus: on the control with the same id, or else at the same index. */
export function refill(element, ...children) {
  const controls = () => [...element.querySelectorAll("button:not(:disabled), input, select, summary")];
  const held = document.activeElement;
  const index = controls().indexOf(held);
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (index < 0) return;
  const there = controls();
  const same = held.id ? there.find((control) => control.id === held.id) : undefined;
  (same ?? there[Math.min(index, there.length - 1)])?.focus();
}

const robbed = new WeakSet(); // buttons that had the focus when they were disabled, which takes it away

/** Enable or disable a button; when it is enabled again, it has the focus that it had, unless that has moved on. */
export function enable(button, enabled) {
  if (!enabled && document.activeElement === button) robbed.add(button);
  button.disabled = !enabled;
  if (enabled && robbed.delete(button) && document.activeElement === document.body) button.focus();
}

/** A line icon: `path` in a box of 20 by 20. */
export function buildIcon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Text with **strong**, *emphasized* and `code` parts, as nodes. */
export function buildProse(text) {
  const tags = { "**": "strong", "*": "em", "`": "code" };
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part) => {
    const mark = /^(\*\*|\*|`)(.+)\1$/.exec(part);
    return mark ? build(tags[mark[1]], {}, mark[2]) : part;
  });
}

/** The same text without its marks. */
export function stripMarks(text) {
  return text.replace(/\*\*|\*|`/g, "");
}
