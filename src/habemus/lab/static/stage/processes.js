// The processes of the stage, in SVG, so that each can be pointed at, tabbed to and read out.

import { ICON_PATH, ROLE_COLOUR } from "../drawing/palette.js";
import { lab } from "../store/lab.js";
import { hasWords, t } from "../words/text.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST_TABBED = 24;
const PAUSED = "M-2.5 -4 V4 M2.5 -4 V4";

export class Processes {
  /** `stage` says where the processes are; each becomes a group in `svg`. */
  constructor(stage, svg) {
    this.stage = stage;
    this.svg = svg;
    this.nodes = [];
  }

  /** Show another run. */
  open() {
    this.svg.replaceChildren();
    this.svg.classList.toggle("crowded", lab.model.n > MOST_TABBED);
    this.nodes = lab.model.ids.map((id, seat) => this.makeNode(id, seat));
  }

  makeNode(id, seat) {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "node");
    group.setAttribute("role", "button");
    group.dataset.id = id;
    if (lab.model.n <= MOST_TABBED) group.setAttribute("tabindex", "0");
    const add = (name, className) => {
      const part = group.appendChild(document.createElementNS(SVG, name));
      part.setAttribute("class", className);
      return part;
    };
    const node = {
      id,
      seat,
      group,
      load: add("circle", "load"),
      halo: add("circle", "halo"),
      witness: add("circle", "witness"),
      suspicion: add("circle", "suspicion"),
      disc: add("circle", "disc"),
      text: add("text", "id"),
      icon: add("path", "icon"),
      caption: add("text", "caption"),
    };
    node.text.textContent = id;
    this.svg.append(group);
    return node;
  }

  /** Put each process where the stage says, as large as it says. `round` is the radius of a circle of processes. */
  arrange(round, free) {
    const { at, radius: r } = this.stage;
    const every = Math.max(1, Math.ceil((26 * this.nodes.length) / (2 * Math.PI * round)));
    for (const node of this.nodes) {
      node.role = undefined; // whether it has an icon depends on its size
      const [x, y] = at[node.seat];
      node.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      node.disc.setAttribute("r", r);
      node.halo.setAttribute("r", r + 5);
      node.load.setAttribute("r", r + 9);
      node.witness.setAttribute("r", r + 4);
      node.suspicion.setAttribute("r", r + 3.5);
      const inside = r >= 9;
      const [ux, uy] = this.stage.outward(node.seat);
      node.text.setAttribute("x", inside ? 0 : ux * (r + 12));
      node.text.setAttribute("y", inside ? 0 : uy * (r + 12));
      node.text.style.fontSize = `${inside ? Math.min(13, r * (String(node.id).length > 2 ? 0.75 : 0.95)) : 10}px`;
      const spaced = !free && node.seat % every === 0 && node.seat + every <= this.nodes.length;
      node.text.style.display = inside || spaced ? "" : "none";
      const aside = !free && Math.abs(ux) > 0.35; // on a circle captions stand outside, elsewhere below or above
      node.caption.setAttribute("x", aside ? ux * (r + 8) : 0);
      node.caption.setAttribute("y", aside ? uy * (r + 8) : uy > -0.2 ? r + 13 : -r - 9);
      node.caption.style.textAnchor = aside ? (ux > 0 ? "start" : "end") : "middle";
      node.caption.style.display = inside ? "" : "none";
      const away = inside ? r * 0.78 + 3 : r + 4;
      const scale = inside ? 1 : 0.7;
      const [beside, above] = [(away * 0.9).toFixed(1), (-away * 0.95).toFixed(1)];
      node.icon.setAttribute("transform", `translate(${beside} ${above}) scale(${scale})`);
    }
  }

  /** Shade each process by how many messages it has handled. */
  shade() {
    const handled = lab.model.handledBy(lab.cursor);
    const most = Math.max(1, ...handled);
    for (const node of this.nodes) node.load.style.opacity = (handled[node.seat] / most).toFixed(2);
  }

  /** Show the processes as they are after the cursor's event. */
  update(states) {
    const { selected } = lab;
    const chosen = new Set(selected?.processes ?? (selected?.process === undefined ? [] : [selected.process]));
    const suspected = new Set(states.flatMap(({ status, suspects }) => (status === "up" ? suspects : [])));
    if (document.body.dataset.sheet === "figures") this.shade();
    for (const node of this.nodes) {
      const state = states[node.seat];
      const data = node.group.dataset;
      put(data, "role", state.status === "crashed" ? "" : state.role);
      put(data, "status", state.status);
      put(data, "suspected", String(suspected.has(node.id)));
      put(data, "chosen", String(chosen.has(node.id)));
      put(data, "witness", String(this.stage.witnesses.has(node.id)));
      if (node.role !== state.role || node.status !== state.status) {
        node.role = state.role;
        node.status = state.status;
        const crowded = this.stage.radius < 6 && !["leader", "inside"].includes(state.role);
        const paused = state.status === "paused";
        const icon = paused ? PAUSED : (ICON_PATH[state.role] ?? "");
        node.icon.setAttribute("d", state.status === "crashed" || crowded ? "" : icon);
        node.icon.setAttribute("fill", paused ? "none" : (ROLE_COLOUR[state.role] ?? "none"));
        node.icon.style.strokeWidth = paused ? 2.2 : "";
      }
      const caption = state.status === "crashed" ? "" : captionOf(state);
      if (node.caption.textContent !== caption) node.caption.textContent = caption;
      const label = describe(node.id, state);
      if (node.label !== label) node.group.setAttribute("aria-label", (node.label = label));
    }
  }
}

/** What stands beside a process: its place among the directions of links, or the field that the algorithm declares. */
function captionOf({ place, value }) {
  if (place) return t(`place.${place}`);
  return value === "" || !lab.run.shown ? "" : t("shown.field", { field: fieldName(lab.run.shown.field), value });
}

function fieldName(field) {
  return hasWords(`field.${field}`) ? t(`field.${field}`) : field;
}

function describe(id, state) {
  const parts = [t("process", { id })];
  if (state.status !== "up") parts.push(t(`status.${state.status}`));
  for (const role of state.roles) parts.push(t(`role.${role}`));
  if (captionOf(state)) parts.push(captionOf(state));
  if (state.leader !== null && state.leader !== id) parts.push(t("names", { id: state.leader }));
  return parts.join(", ");
}

function put(data, name, value) {
  if (data[name] !== value) data[name] = value;
}
