// Time on the page: the clock that plays, the buttons, the scrubber, and a thin strip for each property.
//
// It plays along the diagram's axis, not by the tick, so that idle stretches pass quickly and a crowded moment is given
// its time. Where a property breaks, it stops.

import { build } from "./build.js";
import { calm, frames, painter } from "./frames.js";
import { lab } from "./lab.js";
import { FAULTS, ROLE_COLOUR, VIOLATION, coloursOf } from "./palette.js";
import { number, t } from "./text.js";

const PACE = 55; // along the axis in a second, at speed 1
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];
const LONGEST_FRAME = 100; // milliseconds that count at most, after a hidden tab or a long task
const SVG = "http://www.w3.org/2000/svg";
const GLYPHS = {
  start: "M5 4 V16 M15 4 L8 10 L15 16 Z",
  back: "M13.5 4.5 L6.5 10 L13.5 15.5 Z",
  play: "M7 4.5 L16 10 L7 15.5 Z",
  pause: "M7 5 V15 M13 5 V15",
  next: "M6.5 4.5 L13.5 10 L6.5 15.5 Z",
  end: "M15 4 V16 M5 4 L12 10 L5 16 Z",
};

lab.frames = frames;

let before = null;
const turn = painter((now) => {
  if (!lab.playing) {
    before = null;
    return false;
  }
  const passed = before === null ? 0 : Math.min(LONGEST_FRAME, now - before);
  before = now;
  advance(passed / 1000);
  return lab.playing;
});

function advance(seconds) {
  const { model } = lab;
  const from = lab.cursor;
  const target = Math.min(model.length, lab.position + PACE * lab.speed * seconds);
  const broken = firstViolation(from, model.cursorAt(target));
  if (broken !== null) {
    lab.seek(broken);
    lab.pause();
    lab.emit("violation", broken);
    return;
  }
  if (calm()) {
    const next = model.cursorAt(target);
    if (next > from) lab.seek(next); // jumps from event to event; between them only the clock runs
    lab.position = target;
  } else lab.seekPosition(target);
  if (target >= model.length) lab.pause();
}

/** The first event after one and up to another in which a property breaks; null if none does. */
function firstViolation(after, upTo) {
  let first = null;
  for (const { index } of violations()) {
    if (index > after && index <= upTo && (first === null || index < first)) first = index;
  }
  return first;
}

/** Each property that is violated in this run, with the event in which it breaks. */
export function violations() {
  return (lab.run?.properties ?? []).flatMap((property) => {
    const step = (property.strip ?? []).find(([, state]) => state === "violated");
    if (!step) return [];
    return [{ property, index: lab.model.indexOf.get(step[0]) ?? Math.min(step[0], lab.run.events.length - 1) }];
  });
}

/** The timeline below the room. */
export class Timeline {
  constructor(element) {
    this.element = element;
    element.innerHTML = `
      <div class="playback">
        ${button("start", "play.start")}${button("back", "play.back")}
        ${button("play", "play", "big")}
        ${button("next", "play.next")}${button("end", "play.end")}
        <select id="speed" data-t-label="play.speed" data-t-title="play.speed">
          ${SPEEDS.map((speed) => `<option value="${speed}">${speed}×</option>`).join("")}
        </select>
        <div class="reading" id="clock"></div>
      </div>
      <div class="track">
        <div class="strips"></div>
        <div class="scrubber">
          <canvas></canvas>
          <input id="scrubber" type="range" min="0" max="1" step="any" value="0" data-t-label="scrubber" />
          <div class="knob"></div>
        </div>
        <div class="needle"></div>
      </div>
      <div class="rail" id="rail"></div>`;
    this.strips = element.querySelector(".strips");
    this.canvas = element.querySelector("canvas");
    this.range = element.querySelector("#scrubber");
    this.knob = element.querySelector(".knob");
    this.needle = element.querySelector(".needle");
    this.clock = element.querySelector("#clock");
    this.track = element.querySelector(".track");
    element.querySelector("#speed").value = "1";
    this.invalidate = painter(() => this.paint());
    new ResizeObserver(() => this.open()).observe(this.track);
    this.listen();
  }

  listen() {
    const on = (id, run) => this.element.querySelector(`#${id}`).addEventListener("click", run);
    on("start", () => lab.seek(-1));
    on("back", () => step(-1));
    on("play", toggle);
    on("next", () => step(1));
    on("end", () => lab.seek(lab.run.events.length - 1));
    const speed = this.element.querySelector("#speed");
    speed.addEventListener("change", () => lab.setSpeed(Number(speed.value)));
    this.range.addEventListener("input", () => {
      lab.pause();
      const { model } = lab;
      lab.seekPosition(model.start + Number(this.range.value) * (model.length - model.start));
    });
    lab.on("playing", (playing) => {
      frames.measuring = playing;
      const play = this.element.querySelector("#play");
      play.querySelector("path").setAttribute("d", playing ? GLYPHS.pause : GLYPHS.play);
      play.querySelector("path").style.strokeWidth = playing ? "3" : "";
      play.setAttribute("aria-pressed", String(playing));
      if (playing) turn();
    });
    lab.on("speed", (chosen) => (speed.value = String(chosen)));
    lab.on("position", () => this.invalidate());
    lab.on("cursor", () => this.invalidate());
  }

  /** Another run, or another width. */
  open() {
    if (!lab.model) return;
    this.drawStrips();
    this.drawDensity();
    this.invalidate();
  }

  fraction(position) {
    const { model } = lab;
    return (position - model.start) / (model.length - model.start || 1);
  }

  paint() {
    const { model, cursor, position } = lab;
    if (!model) return false;
    const fraction = this.fraction(position);
    const width = this.strips.clientWidth;
    this.range.value = String(fraction);
    this.knob.style.left = `${fraction * width}px`;
    this.needle.style.left = `${this.strips.offsetLeft + fraction * width}px`;
    const time = Math.floor(model.timeAt(position));
    const before = lab.run.before?.events ?? 0;
    const counted = { event: number(before + cursor + 1), events: number(before + model.events.length) };
    const text = t("clock", { time: number(time), ...counted });
    if (this.clockText !== text) {
      this.clockText = text;
      this.clock.replaceChildren(
        build("b", {}, number(time)),
        build("span.soft", {}, ` ${lab.run.unit ?? t(time === 1 ? "tick" : "ticks")}`),
        build("br"),
        build("span.soft", {}, t("clock.event", counted)),
      );
      this.range.setAttribute("aria-valuetext", text);
      const { kept, total } = lab.run;
      this.clock.title = kept < total ? t("clock.kept", { kept: number(kept), total: number(total) }) : "";
      this.clock.classList.toggle("cut-short", kept < total);
    }
    return false;
  }

  drawStrips() {
    const { model, run } = lab;
    const width = this.strips.clientWidth;
    const x = (index) => (this.fraction(model.reachOf(Math.min(index, model.events.length - 1))) * width).toFixed(1);
    this.strips.replaceChildren(
      ...(run.properties ?? []).map((property) => {
        const strip = document.createElement("div");
        strip.className = `strip${property.verdict === false ? " violated" : ""}`;
        strip.dataset.property = property.name;
        const name = document.createElement(property.verdict === false ? "button" : "span");
        name.className = "name";
        name.textContent = t(`property.${property.name}`);
        name.title = t(`property.${property.name}.means`);
        if (property.verdict === false) {
          name.type = "button";
          name.addEventListener("click", () => {
            const broken = violations().find((found) => found.property === property);
            lab.pause();
            lab.seek(broken.index);
            lab.emit("violation", broken.index);
          });
        }
        const svg = document.createElementNS(SVG, "svg");
        const pieces = (property.strip ?? []).map(([index, state], k, all) => {
          const end = k + 1 < all.length ? x(model.indexOf.get(all[k + 1][0]) ?? all[k + 1][0]) : width;
          return { state, from: x(index < 0 ? -1 : (model.indexOf.get(index) ?? index)), to: end };
        });
        svg.innerHTML = pieces.map(({ state, from, to }) => stroke(state, from, to)).join("");
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", `${t(`property.${property.name}`)}: ${t(`verdict.${property.verdict}`)}`);
        strip.append(name, svg);
        return strip;
      }),
    );
  }

  /** How busy each stretch is, and where faults strike. */
  drawDensity() {
    const { model } = lab;
    const width = this.strips.clientWidth;
    const height = 24;
    const ratio = window.devicePixelRatio || 1;
    if (!width) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const ctx = this.canvas.getContext("2d");
    const colours = coloursOf(lab.theme);
    ctx.scale(ratio, ratio);
    const bins = new Float64Array(Math.ceil(width / 3) + 1);
    model.events.forEach((event, i) => {
      bins[Math.floor((this.fraction(model.positions[i]) * width) / 3)] += (event.sent ?? []).length;
    });
    const most = Math.max(...bins, 1);
    ctx.fillStyle = colours.faint;
    bins.forEach((count, k) => {
      const tall = (count / most) * 9;
      if (count) ctx.fillRect(k * 3, height / 2 - Math.max(1, tall), 2, 2 * Math.max(1, tall));
    });
    ctx.strokeStyle = colours.lane;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(0, height / 2);
    ctx.lineTo(width, height / 2);
    ctx.stroke();
    let marked = -Infinity;
    model.events.forEach((event, i) => {
      const x = this.fraction(model.positions[i]) * width;
      const byHand = FAULTS.includes(event.kind) || event.process === undefined;
      const fault = byHand && !event.clause && event.kind !== "lost";
      const crowned = event.role === "leader" || (event.role === "inside" && model.roles.length < 60);
      if ((!fault && !crowned) || x - marked < 7) return;
      marked = x;
      ctx.save();
      ctx.translate(x, height / 2);
      if (fault) {
        ctx.strokeStyle = colours.ink;
        ctx.fillStyle = colours.ground;
        ctx.lineWidth = 1.4;
        ctx.beginPath();
        ctx.arc(0, 0, 3.4, 0, 2 * Math.PI);
        ctx.fill();
        ctx.stroke();
      } else {
        ctx.fillStyle = ROLE_COLOUR[event.role];
        ctx.beginPath();
        ctx.arc(0, 0, 3.4, 0, 2 * Math.PI);
        ctx.fill();
      }
      ctx.restore();
    });
  }
}

function stroke(state, from, to) {
  const style = {
    pending: 'stroke="var(--lane)" stroke-width="1.2" stroke-dasharray="1 4" stroke-linecap="round"',
    holds: 'stroke="var(--lane)" stroke-width="2.4"',
    violated: `stroke="${VIOLATION}" stroke-width="5"`,
  }[state];
  return `<path d="M${from} 6.5 H${to}" ${style} fill="none"/>`;
}

function button(id, key, look = "") {
  const glyph = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${GLYPHS[id]}"/></svg>`;
  const words = `data-t-label="${key}" data-t-title="${key}"`;
  return `<button type="button" class="tool ${look}" id="${id}" ${words}>${glyph}</button>`;
}

/** One event on or back. */
export function step(by) {
  if (!lab.model) return;
  lab.pause();
  const from = lab.cursor;
  lab.seek(from + by);
  announceBreak(from);
}

/** To the end of the next tick, or back to the end of the one before. */
export function stepTick(direction) {
  if (!lab.model) return;
  lab.pause();
  const from = lab.cursor;
  lab.seek(lab.model.tickFrom(from, direction));
  announceBreak(from);
}

function announceBreak(from) {
  const broken = firstViolation(from, lab.cursor);
  if (broken !== null) lab.emit("violation", broken);
}

/** Play or stand. */
export function toggle() {
  if (lab.playing) lab.pause();
  else lab.play();
}
