// The form that cuts and heals links between real processes.

import { build, buildButton } from "../widgets/elements.js";
import { formatList } from "../words/text.js";

/** The links of a cluster: some can be cut, and all healed; `command(path, body)` sends what is chosen. */
export function buildLinks(status, command) {
  const choose = (name, first) => {
    const options = status.nodes.map(({ id }, place) => build("option", { value: id, selected: place === first }, String(id)));
    return build("select", { name, "aria-label": name }, options);
  };
  const [a, b] = [choose("a", 0), choose("b", 1)];
  const pairs = status.cuts.filter(([from, to]) => from < to).map(([from, to]) => `${from}–${to}`);
  return build(
    "div.live-links",
    {},
    a,
    build("span", {}, "–"),
    b,
    buildButton("plain.small", "live.cut.link", cutLink, { id: "live-cut" }),
    buildButton("plain.small", "live.heal", () => command("heal"), { id: "live-heal", disabled: !status.cuts.length }),
    pairs.length ? build("span.soft", {}, `✂ ${formatList(pairs)}`) : null,
  );
  function cutLink() {
    if (a.value !== b.value) command("cut", { links: [[Number(a.value), Number(b.value)]] });
  }
}
