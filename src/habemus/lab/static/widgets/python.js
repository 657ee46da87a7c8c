// Highlights Python: strings, comments, decorators, keywords, defined names, numbers.

const TOKEN = new RegExp(
  [
    /(?<text>[rbfu]{0,2}(?:"""[^]*?(?:"""|(?![^]))|'''[^]*?(?:'''|(?![^]))|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/.source,
    /(?<comment>#[^\n]*)/.source,
    /(?<decorator>^[ \t]*@[\w.]+)/.source,
    /(?<=\b(?:def|class)\s+)(?<name>\w+)/.source,
    /(?<keyword>\b(?:False|None|True|and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|self|try|while|with|yield)\b)/
      .source,
    /(?<number>\b\d[\d_.]*\b)/.source,
  ].join("|"),
  "gm",
);

/** The source as nodes, each token in a span of its class. */
export function highlight(source) {
  const nodes = [];
  let done = 0;
  for (const match of source.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    if (match.index > done) nodes.push(source.slice(done, match.index));
    const span = document.createElement("span");
    span.className = `py-${kind}`;
    span.textContent = match[0];
    nodes.push(span);
    done = match.index + match[0].length;
  }
  nodes.push(source.slice(done));
  return nodes;
}

/** The main class of a file: the last one that is not a message. */
export function findMainClass(source) {
  const classes = [...source.matchAll(/^class\s+(\w+)\s*\(([^)]*)\)/gm)].filter(([, , bases]) => !/\bMessage\b/.test(bases));
  return classes.at(-1)?.[1] ?? null;
}
