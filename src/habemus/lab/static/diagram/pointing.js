// The pointer in the diagram: what it points at, and what dragging, scrolling and clicking do.

import { distance } from "../drawing/geometry.js";
import { lab } from "../store/lab.js";
import { formatList, t } from "../words/text.js";
import { arrowOf } from "./arrows.js";

const REACH = 40; // pixels around the pointer within which events and messages are looked for
const NEAR_EVENT = 10;
const NEAR_MESSAGE = 6;

export class Pointing {
  /** Listens to the canvas of a `diagram`; left of `gutter` are its times, above `heading` its ids. */
  constructor(diagram, gutter, heading) {
    Object.assign(this, { diagram, gutter, heading, key: "" });
    this.listen();
  }

  /** What is at a point of the element: {event}, {message}, or null. */
  at(x, y) {
    const { model } = this.diagram.moment();
    if (!model || x < this.gutter || y < this.heading) return null;
    const frame = this.diagram.frame;
    const [px, py] = [x - this.gutter + this.diagram.scroll.x, y - this.heading + this.diagram.scroll.y];
    const near = this.diagram.inView(model, frame, py - REACH, py + REACH);
    let best = null;
    let nearest = NEAR_EVENT;
    for (const i of near.indices) {
      if (model.lanes[i] < 0 || model.events[i].kind === "lost") continue;
      const far = Math.hypot(frame.x(model.lanes[i]) - px, frame.y(model.positions[i]) - py);
      if (far < nearest) [nearest, best] = [far, { event: i }];
    }
    if (best) return best;
    nearest = NEAR_MESSAGE;
    for (const transmission of near.transmissions) {
      for (const [x1, y1, x2, y2] of arrowOf(model, frame, transmission)) {
        const far = distance(px, py, [x1, y1], [x2, y2]);
        if (far < nearest) [nearest, best] = [far, { message: transmission.envelope.message, transmission }];
      }
    }
    return best;
  }

  /** The processes whose ids are at a point of the heading. */
  headedAt(x, y) {
    if (!this.diagram.moment().model || x < this.gutter || y >= this.heading) return [];
    return this.diagram.headedAt(x);
  }

  /** Where an event is within the element, in pixels. */
  pointOf(index) {
    const { model } = this.diagram.moment();
    const frame = this.diagram.frame;
    return {
      x: this.gutter + frame.x(model.lanes[index]) - this.diagram.scroll.x,
      y: this.heading + frame.y(model.positions[index]) - this.diagram.scroll.y,
    };
  }

  listen() {
    const { canvas } = this.diagram;
    let drag = null;
    const local = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = local(event);
      drag = { x, y, scroll: { ...this.diagram.scroll }, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = local(event);
      if (drag) {
        if (Math.hypot(x - drag.x, y - drag.y) > 4) drag.moved = true;
        const { scroll } = this.diagram;
        if (drag.moved) this.diagram.pan(drag.scroll.x - (x - drag.x) - scroll.x, drag.scroll.y - (y - drag.y) - scroll.y);
        return;
      }
      const found = this.at(x, y);
      const headed = this.headedAt(x, y);
      canvas.style.cursor = found || headed.length ? "pointer" : "default";
      canvas.title = headed.length ? t(lab.collapsed.has(headed[0]) ? "lanes.open" : "lanes.collapse", { ids: formatList(headed) }) : "";
      this.highlight(found);
      this.diagram.hover(found, event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const [x, y] = local(event);
      const click = drag && !drag.moved;
      drag = null;
      if (!click) return;
      if (y < this.heading) {
        lab.toggleLanes(this.headedAt(x, y));
        return;
      }
      const found = this.at(x, y);
      if (found) this.diagram.pick(found, event);
      else this.diagram.pick({ position: this.diagram.positionAt(y), empty: x >= this.gutter }, event);
    });
    canvas.addEventListener("pointerleave", (event) => {
      this.highlight(null);
      this.diagram.hover(null, event);
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) this.diagram.zoomBy(Math.exp(-event.deltaY / 300), ...local(event));
        else this.diagram.pan(event.shiftKey ? event.deltaY : event.deltaX, event.shiftKey ? 0 : event.deltaY);
      },
      { passive: false },
    );
  }

  /** Highlight the causal past and future of an event or a message. */
  highlight(found) {
    const { diagram } = this;
    const { model } = diagram.moment();
    const key = found ? `${found.event ?? ""} ${found.message ?? ""}` : "";
    if (key === this.key) return;
    this.key = key;
    if (found === null) diagram.lit = null;
    else if (found.event !== undefined) diagram.lit = model.cone(found.event);
    else {
      const { past } = model.cone(found.transmission.sent);
      const future = found.transmission.end >= 0 ? model.cone(found.transmission.end).future : new Uint8Array(model.events.length);
      diagram.lit = { past, future, message: found.message };
    }
    diagram.invalidate();
  }
}
