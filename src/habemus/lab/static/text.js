// The words of the page, in English and in Brazilian Portuguese.
//
// `t("key", {n: 3})` gives the sentence of the current language with `{n}` filled in. Elements say what they show by
// attributes, so that a change of language needs no redrawing: `data-t` is their text, `data-t-title` their tooltip,
// `data-t-label` what a screen reader says, `data-t-placeholder` the hint in an empty field.

import { inPortuguese } from "./translation.js";
import screen from "./words/screen.js";
import modes from "./words/modes.js";

export const LANGUAGES = ["en", "pt"];

const words = {
  en: { ...screen.en, ...modes.en },
  pt: { ...screen.pt, ...modes.pt },
};

let language = "en";

/** From now on speak this language. */
export function speak(chosen) {
  language = LANGUAGES.includes(chosen) ? chosen : "en";
}

/** The language of the page: chosen before, else the browser's. */
export function preferredLanguage() {
  const chosen = window.localStorage.getItem("habemus-language");
  return chosen ?? (navigator.language.toLowerCase().startsWith("pt") ? "pt" : "en");
}

/** The words for a key, with `{name}` replaced by `args.name`. */
export function t(key, args = {}) {
  const sentence = words[language][key] ?? words.en[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in args ? String(args[name]) : whole));
}

/** A sentence of the server in the language of the page. */
export function told(sentence) {
  return (language === "pt" && inPortuguese(sentence)) || sentence;
}

/** What an error says, in the language of the page: the words for `error.key`, else the sentence of the server. */
export function spoken(error) {
  return error.key ? t(error.key, error.args) : told(error.message);
}

/** An error of which the page has the words. */
export function mistaken(key, args = {}) {
  return Object.assign(new Error(key), { key, args });
}

/** Whether there are words for a key. */
export function has(key) {
  return key in words.en;
}

/** A whole number with the language's separators. */
export function number(value) {
  return value.toLocaleString(language === "pt" ? "pt-BR" : "en");
}

/** `1, 2 and 3`. */
export function listed(values) {
  const texts = values.map(String);
  if (texts.length < 2) return texts.join("");
  return `${texts.slice(0, -1).join(", ")} ${t("and")} ${texts.at(-1)}`;
}

/** Fill in the words of an element and all within it. */
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
