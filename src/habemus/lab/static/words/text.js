// The words of the page, in English and in Brazilian Portuguese.
//
// `t("key", {n: 3})` is the sentence of the current language with `{n}` filled in. Elements name their words in attributes,
// so that a change of language needs no redrawing: `data-t` is their text, `data-t-title` their tooltip, `data-t-label` their
// accessible name, `data-t-placeholder` the hint in an empty field.

import englishGroup from "./en/group.js";
import englishModes from "./en/modes.js";
import englishScreen from "./en/screen.js";
import portugueseGroup from "./pt/group.js";
import portugueseModes from "./pt/modes.js";
import portugueseScreen from "./pt/screen.js";
import { toPortuguese } from "./translation.js";

export const LANGUAGES = ["en", "pt"];

const words = {
  en: { ...englishScreen, ...englishModes, ...englishGroup },
  pt: { ...portugueseScreen, ...portugueseModes, ...portugueseGroup },
};

let language = "en";

export function useLanguage(chosen) {
  language = LANGUAGES.includes(chosen) ? chosen : "en";
}

/** The language of the page: chosen before, else the browser's. */
export function preferredLanguage() {
  const chosen = window.localStorage.getItem("habemus-language");
  return chosen ?? (navigator.language.toLowerCase().startsWith("pt") ? "pt" : "en");
}

/** The words for a key, with `{name}` replaced by `args.name`. */
export function t(key, args = {}) {
  const sentence = words[language][key] ?? words.en[key] ?? nameClaim(key);
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in args ? String(args[name]) : whole));
}

/** A property that an algorithm's author has named (`property.two_have_spoken`) is called so; any other key is itself. */
function nameClaim(key) {
  const [kind, name, means] = key.split(".");
  if (kind !== "property") return key;
  return means === undefined ? name.replaceAll("_", " ") : "";
}

/** Translate a sentence of the server to the language of the page. */
export function translateSentence(sentence) {
  return (language === "pt" && toPortuguese(sentence)) || sentence;
}

/** The text of an error in the language of the page: the words for `error.key`, else the sentence of the server. */
export function describeError(error) {
  return error.key ? t(error.key, error.args) : nameField(translateSentence(error.message));
}

// Fields of a scenario that the form calls otherwise
const FIELDS = {
  algorithm: "setup.algorithm",
  topology: "setup.topology",
  "topology.kind": "setup.topology",
  "topology.n": "setup.n",
  "topology.ids": "setup.order",
  "network.delay": "setup.delay",
  "network.loss": "setup.loss",
  seed: "setup.seed",
};

/** Call the field in front of a sentence (`topology.kind: ...`) what the form calls it. */
function nameField(sentence) {
  const [, field, rest] = /^([a-z_]+(?:\.[a-z_]+)*): (.+)$/s.exec(sentence) ?? [];
  const key = FIELDS[field] ?? `option.${field}`;
  return hasWords(key) ? `${t(key)}: ${rest}` : sentence;
}

/** Make an error whose text is the words for a key. */
export function makeError(key, args = {}) {
  return Object.assign(new Error(key), { key, args });
}

/** Whether there are words for a key. */
export function hasWords(key) {
  return key in words.en;
}

/** A number with the separators of the language. */
export function formatNumber(value) {
  return value.toLocaleString(language === "pt" ? "pt-BR" : "en");
}

/** What the server or a rounding wrote as a number, 1,234.5, with the separators of the language. */
export function formatDecimal(text) {
  return language === "pt" ? text.replace(/[,.]/g, (sign) => (sign === "," ? "." : ",")) : text;
}

/** `1, 2 and 3`. */
export function formatList(values) {
  const texts = values.map(String);
  if (texts.length < 2) return texts.join("");
  return `${texts.slice(0, -1).join(", ")} ${t("and")} ${texts.at(-1)}`;
}

/** Fill in the words of an element and its descendants. */
export function translate(root) {
  const fill = (attribute, put) => {
    const elements = [...root.querySelectorAll(`[${attribute}]`)];
    if (root.nodeType === Node.ELEMENT_NODE && root.hasAttribute(attribute)) elements.push(root);
    for (const element of elements) put(element, t(element.getAttribute(attribute)));
  };
  fill("data-t", (element, text) => (element.textContent = text));
  fill("data-t-title", (element, text) => (element.title = text));
  fill("data-t-label", (element, text) => element.setAttribute("aria-label", text));
  fill("data-t-placeholder", (element, text) => (element.placeholder = text));
}
