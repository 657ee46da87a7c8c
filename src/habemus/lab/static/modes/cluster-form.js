// The form that starts a cluster of real processes.

import { lab } from "../store/lab.js";
import { build, buildButton, buildField, buildWorded } from "../widgets/elements.js";
import { t } from "../words/text.js";

const FIRST = ["bully", "raft-election-steady", "ring-coordinator", "coordinator-lease"]; // first in the list: they tolerate crashes

const GROUP = "group";
const ELECTED = {
  // a lock whose coordinator is elected by the layer below
  "elected-bully": stackLayers({ algorithm: "heartbeat" }, { algorithm: "bully" }),
  "elected-raft": stackLayers({ algorithm: "raft-election-steady" }),
};

function stackLayers(...layers) {
  return { algorithm: "coordinator-elected", layers };
}

let wanted = { algorithm: FIRST[0], n: 5 }; // what was started last, or refused

/** The fields and the button; `start({scenario, n})` is called with what was chosen. */
export function buildClusterForm(start) {
  const names = (lab.catalogue?.algorithms ?? []).filter((entry) => entry.kind !== "detector").map((entry) => entry.name);
  const offered = new Set([...FIRST.filter((name) => names.includes(name)), ...Object.keys(ELECTED), ...names]);
  const options = [...offered].map((name) => build("option", { value: name }, name in ELECTED ? t(`live.${name}`) : name));
  options.splice(FIRST.length, 0, build("option", { value: GROUP }, t("group.launch")));
  const algorithm = build("select", { id: "live-algorithm", onchange: () => (size.value = algorithm.value === GROUP ? 3 : 5) }, options);
  const size = build("input", { type: "number", id: "live-n", min: 1, max: 30, value: wanted.n });
  algorithm.value = wanted.algorithm;
  let launched = false;
  return [
    buildWorded("p.soft", { "data-t": "live.none" }),
    build(
      "div.own-tools",
      {},
      buildField("live.algorithm", algorithm),
      buildField("limits.n", size),
      buildButton("primary", "live.start", launch, { id: "live-start" }),
    ),
  ];
  function launch() {
    if (launched) return; // it is not disabled, which would cost it the focus
    launched = true;
    wanted = { algorithm: algorithm.value, n: Number(size.value) };
    const scenario = algorithm.value === GROUP ? {} : { scenario: ELECTED[algorithm.value] ?? { algorithm: algorithm.value } };
    start({ ...scenario, n: wanted.n });
  }
}
