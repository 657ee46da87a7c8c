// The timeline: the buttons, the scrubber, and a thin strip for each property.

import { frames, makePainter } from "../drawing/frames.js";
import { measureText } from "../drawing/label-board.js";
import { FAULTS, FONT, ROLE_COLOUR, VIOLATION, coloursOf } from "../drawing/palette.js";
import { lab } from "../store/lab.js";
import { brokenAt, isViolated } from "../store/violations.js";
import { build } from "../widgets/elements.js";
import { verdictOf } from "../words/sentences.js";
import { formatNumber, t } from "../words/text.js";
import { startClock, step, togglePlaying } from "./playback.js";

const CLOCK_MARGIN = 14; // pixels, for its padding and the mark of a run that is cut short
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];
const MARKS = { true: "✓", false: "✗", null: "…" };
const SVG = "http://www.w3.org/2000/svg";
const GLYPHS = {
  start: "M5 4 V16 M15 4 L8 10 L15 16 Z",
  back: "M13.5 4.5 L6.5 10 L13.5 15.5 Z",
  play: "M7 4.5 L16 10 L7 15.5 Z",
  pause: "M7 5 V15 M13 5 V15",
  next: "M6.5 4.5 L13.5 10 L6.5 15.5 Z",
  end: "M15 4 V16 M5 4 L12 10 L5 16 Z",
};

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
    this.invalidate = makePainter(() => this.paint());
    new ResizeObserver(() => this.open()).observe(this.track);
    this.listen();
  }

  listen() {
    const on = (id, run) => this.element.querySelector(`#${id}`).addEventListener("click", run);
    on("start", () => lab.seek(-1));
    on("back", () => step(-1));
    on("play", togglePlaying);
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
      if (playing) startClock();
    });
    lab.on("speed", (chosen) => (speed.value = String(chosen)));
    lab.on("position", () => this.invalidate());
    lab.on("cursor", () => this.invalidate());
  }

  /** Show another run, or the same at another width. */
  open() {
    if (!lab.model) return;
    this.reserveClock();
    this.width = this.strips.clientWidth;
    this.left = this.strips.offsetLeft;
    this.drawStrips();
    this.drawDensity();
    this.invalidate();
  }

  /** Give the clock the width of its longest text, so that nothing moves while it counts. */
  reserveClock() {
    const all = formatNumber((lab.run.before?.events ?? 0) + lab.model.events.length);
    const last = formatNumber(lab.model.timeOf(lab.model.events.length - 1));
    const ctx = this.canvas.getContext("2d");
    const { font } = window.getComputedStyle(this.clock);
    const room = Math.max(
      measureText(ctx, t("clock.event", { event: all, events: all }), font),
      measureText(ctx, last, `600 16px ${FONT}`) + measureText(ctx, ` ${lab.run.unit ?? t("ticks")}`, font),
    );
    this.clock.style.minWidth = `${Math.ceil(room) + CLOCK_MARGIN}px`;
  }

  fraction(position) {
    const { model } = lab;
    return (position - model.start) / (model.length - model.start || 1);
  }

  paint() {
    const { model, cursor, position } = lab;
    if (!model) return false;
    const fraction = this.fraction(position);
    this.range.value = String(fraction);
    this.knob.style.left = `${fraction * this.width}px`;
    this.needle.style.left = `${this.left + fraction * this.width}px`;
    const time = Math.floor(model.timeAt(position));
    const before = lab.run.before?.events ?? 0;
    const counted = { event: formatNumber(before + cursor + 1), events: formatNumber(before + model.events.length) };
    const text = t("clock", { time: formatNumber(time), ...counted });
    if (this.clockText !== text) {
      this.clockText = text;
      this.clock.replaceChildren(
        build("b", {}, formatNumber(time)),
        build("span.soft", {}, ` ${lab.run.unit ?? t(time === 1 ? "tick" : "ticks")}`),
        build("br"),
        build("span.soft", {}, t("clock.event", counted)),
      );
      this.range.setAttribute("aria-valuetext", text);
      const { kept, total } = lab.run;
      this.clock.title = kept < total ? t("clock.kept", { kept: formatNumber(kept), total: formatNumber(total) }) : "";
      this.clock.classList.toggle("cut-short", kept < total);
    }
    return false;
  }

  drawStrips() {
    const { model, run } = lab;
    const { width } = this;
    const x = (index) => (this.fraction(model.reachOf(Math.min(index, model.events.length - 1))) * width).toFixed(1);
    this.strips.replaceChildren(
      ...(run.properties ?? []).map((property) => {
        const strip = document.createElement("div");
        strip.className = `strip${property.promised ? "" : " observed"}${isViolated(property) ? " violated" : ""}`;
        strip.dataset.property = property.name;
        const broken = brokenAt(property);
        const name = document.createElement(broken === undefined ? "span" : "button");
        name.className = "name";
        name.textContent = t(`property.${property.name}`);
        name.title = t(`property.${property.name}.means`);
        if (!property.promised) name.title += ` (${verdictOf(property, lab.language)})`;
        if (broken !== undefined) {
          name.type = "button";
          name.addEventListener("click", () => {
            lab.pause();
            lab.seek(broken);
            if (property.promised) lab.emit("violation", broken);
          });
        }
        const svg = document.createElementNS(SVG, "svg");
        const pieces = (property.strip ?? []).map(([index, state], k, all) => {
          const end = k + 1 < all.length ? x(model.indexOf.get(all[k + 1][0]) ?? all[k + 1][0]) : width;
          return { state, from: x(index < 0 ? -1 : (model.indexOf.get(index) ?? index)), to: end };
        });
        svg.innerHTML = pieces.map(({ state, from, to }) => stroke(state, property.promised, from, to)).join("");
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", `${t(`property.${property.name}`)}: ${verdictOf(property, lab.language)}`);
        const mark = document.createElement("span");
        mark.className = "mark";
        mark.textContent = property.promised || property.verdict !== false ? MARKS[property.verdict] : "";
        mark.title = verdictOf(property, lab.language);
        mark.ariaHidden = "true"; // the strip says it
        strip.append(name, mark, svg);
        return strip;
      }),
    );
  }

  /** Draw how many messages are sent over time, and where the faults are. */
  drawDensity() {
    const { model } = lab;
    const { width } = this;
    const height = 24;
    const ratio = (window.devicePixelRatio || 1) * (this.element.currentCSSZoom ?? 1);
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

function stroke(state, promised, from, to) {
  const kind = state === "violated" && !promised ? "observed" : state;
  const style = {
    pending: 'stroke="var(--lane)" stroke-width="1.2" stroke-dasharray="1 4" stroke-linecap="round"',
    holds: 'stroke="var(--lane)" stroke-width="2.4"',
    violated: `stroke="${VIOLATION}" stroke-width="5"`,
    open: 'stroke="var(--lane)" stroke-width="5" stroke-dasharray="3 3"',
    observed: 'stroke="var(--lane)" stroke-width="1.2" stroke-dasharray="6 4"',
  }[kind];
  return `<path d="M${from} 6.5 H${to}" ${style} fill="none"/>`;
}

function button(id, key, look = "") {
  const glyph = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${GLYPHS[id]}"/></svg>`;
  const words = `data-t-label="${key}" data-t-title="${key}"`;
  return `<button type="button" class="tool ${look}" id="${id}" ${words}>${glyph}</button>`;
}
