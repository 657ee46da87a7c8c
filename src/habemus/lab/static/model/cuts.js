// Which links are cut after each event, and the events that are faults of the network.

import { firstAbove } from "./intervals.js";
import { same } from "./values.js";

export class Cuts {
  constructor({ events, run }) {
    this.run = run;
    this.events = []; // the faults of the network
    this.lists = [{ from: -1, cut: new Map() }]; // what is cut from this event on: "a b" -> [a, b], one way each
    let cut = new Map();
    events.forEach((event, i) => {
      if (event.process !== undefined && event.process !== null) return;
      if (event.kind === "lost") return;
      this.events.push(i);
      if (!["cut", "partition", "heal"].includes(event.kind)) return;
      cut = new Map(cut);
      const pairs = event.kind === "partition" ? this.pairsBetween(event.subject) : this.pairsOf(event);
      if (event.kind === "heal" && !(event.subject ?? []).length) cut.clear();
      for (const [a, b] of pairs) {
        if (event.kind === "heal") cut.delete(`${a} ${b}`);
        else cut.set(`${a} ${b}`, [a, b]);
      }
      this.lists.push({ from: i, cut });
    });
    this.starts = this.lists.map((entry) => entry.from);
  }

  /** The links that are cut after an event: "a b" -> [a, b], one way each. */
  at(cursor) {
    return this.lists[firstAbove(this.starts, cursor) - 1].cut;
  }

  pairsOf(event) {
    const links = event.subject ?? [];
    const alike = (fault) => fault.do === event.kind && fault.at === event.time && same(fault.links, links);
    const oneWay = (this.run.scenario?.faults ?? []).some((fault) => alike(fault) && fault.one_way);
    return oneWay ? links : links.flatMap(([a, b]) => [[a, b], [b, a]]);
  }

  pairsBetween(groups) {
    const group = new Map();
    groups.forEach((members, k) => members.forEach((id) => group.set(id, k)));
    const apart = ([a, b]) => (group.get(a) ?? -1) !== (group.get(b) ?? -1);
    return this.run.edges.filter(apart).flatMap(([a, b]) => [[a, b], [b, a]]);
  }
}
