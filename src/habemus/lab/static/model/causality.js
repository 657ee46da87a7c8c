// Which events may have caused which: the causal past and future of an event.

export class Causality {
  constructor(events, indexOf) {
    this.parents = events.map((event) =>
      (event.parents ?? []).map((number) => indexOf.get(number)).filter((i) => i !== undefined),
    );
    this.children = events.map(() => []);
    this.parents.forEach((parents, i) => parents.forEach((parent) => this.children[parent].push(i)));
  }

  /** The events that may have led to this one and those it may have led to, with itself in both, as 1 for each. */
  cone(index) {
    return { past: reachable(index, this.parents), future: reachable(index, this.children) };
  }
}

function reachable(from, links) {
  const seen = new Uint8Array(links.length);
  const waiting = [from];
  seen[from] = 1;
  while (waiting.length) {
    for (const next of links[waiting.pop()]) {
      if (!seen[next]) {
        seen[next] = 1;
        waiting.push(next);
      }
    }
  }
  return seen;
}
