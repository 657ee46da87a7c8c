// The pointer on the stage: what it points at, and what a click, a lasso and a key do.

import { contains, distance } from "../drawing/geometry.js";
import { lab } from "../store/lab.js";

const SVG = "http://www.w3.org/2000/svg";

export class StagePointing {
  /** Listens to the `svg` of a `stage`; `choose(what, point)` is called for clicks. */
  constructor(stage, svg, choose) {
    Object.assign(this, { stage, svg, choose, hovered: null, hoverKey: "" });
    this.listen();
  }

  /** What is at a point of the stage: {process}, {message}, {link} or null. */
  find(x, y) {
    const { at, edges, messages, radius } = this.stage;
    const { model } = lab;
    if (!at) return null;
    for (const transmission of messages.transmissions) {
      const [px, py] = messages.pointOf(transmission);
      if (Math.hypot(px - x, py - y) < 9) return { message: transmission.envelope.message };
    }
    let best = null;
    let nearest = Math.max(8, radius + 2);
    at.forEach(([px, py], seat) => {
      const far = Math.hypot(px - x, py - y);
      if (far < nearest) [nearest, best] = [far, { process: model.ids[seat] }];
    });
    if (best) return best;
    nearest = 6;
    for (const link of edges) {
      const far = distance(x, y, at[model.seatOf.get(link[0])], at[model.seatOf.get(link[1])]);
      if (far < nearest) [nearest, best] = [far, { link }];
    }
    return best;
  }

  listen() {
    const { svg, stage } = this;
    const local = (event) => {
      const box = stage.element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let lasso = null;
    svg.addEventListener("pointerdown", (event) => {
      const [x, y] = local(event);
      if (!stage.at || event.button !== 0) return;
      const found = this.find(x, y);
      lasso = { points: [[x, y]], free: found === null || found.link !== undefined, path: null };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const [x, y] = local(event);
      if (lasso) {
        if (lasso.free) this.extendLasso(lasso, x, y);
        return;
      }
      const found = this.find(x, y);
      const key = JSON.stringify(found);
      if (key !== this.hoverKey) {
        this.hoverKey = key;
        this.hovered = found;
        svg.style.cursor = found ? "pointer" : "default";
        stage.invalidate();
      }
    });
    svg.addEventListener("pointerup", (event) => {
      const [x, y] = local(event);
      const drawn = lasso;
      lasso = null;
      if (!drawn) return;
      if (drawn.path) {
        drawn.path.remove();
        const inside = lab.model.ids.filter((_, seat) => contains(drawn.points, stage.at[seat]));
        this.choose(inside.length ? { processes: inside } : null, event);
      } else this.choose(this.find(x, y), event);
    });
    svg.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.hoverKey = "";
      stage.invalidate();
    });
    svg.addEventListener("keydown", (event) => {
      const node = event.target.closest?.(".node");
      if (!node || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      const box = node.getBoundingClientRect();
      const point = { clientX: box.right, clientY: box.top, shiftKey: event.shiftKey };
      this.choose({ process: Number(node.dataset.id) }, point);
    });
    svg.addEventListener("focusin", (event) => {
      const node = event.target.closest?.(".node");
      if (node && node.matches(":focus-visible")) lab.select({ process: Number(node.dataset.id) });
    });
  }

  extendLasso(lasso, x, y) {
    const [x0, y0] = lasso.points[0];
    if (!lasso.path && Math.hypot(x - x0, y - y0) < 6) return;
    if (!lasso.path) {
      lasso.path = document.createElementNS(SVG, "path");
      lasso.path.setAttribute("class", "lasso");
      this.svg.append(lasso.path);
    }
    lasso.points.push([x, y]);
    const corners = lasso.points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`);
    lasso.path.setAttribute("d", `M${corners.join(" L")} Z`);
  }
}
