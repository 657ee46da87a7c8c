// Searching: accents and capitals do not matter, and every word has to be there.

export function simplify(text) {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[-_]/g, " ");
}

/** Whether every word that is wanted is in one of the texts. */
export function finds(wanted, texts) {
  const all = texts.map(simplify).join(" ");
  return simplify(wanted).split(/\s+/).every((word) => all.includes(word));
}
