// Labels that never overlap: each is tried in many spots and dropped if it fits in none (as in habemus/trace/labels.py).
//
// A label is a box that may be rotated. It must not touch other labels, marks and icons; it may cross lines at a price.
// Two convex shapes do not touch if an edge of one of them separates them.

const CELL = 48;
const CLEARANCE = 1.5;
const STEEPEST = 58; // degrees by which a label may be rotated
const TRIES = Array.from({ length: 21 }, (_, step) => [0.5 + step / 50, 0.5 - step / 50]).flat();

/** What has been drawn so far, which labels must keep clear of. */
export class LabelBoard {
  constructor(left, top, right, bottom) {
    Object.assign(this, { left, top, right, bottom });
    this.labels = [];
    this.shapes = [];
    this.prices = [];
    this.stamps = [];
    this.stamp = 0;
    this.cells = new Map();
  }

  /** Add a shape (corners in a flat list) and the price of touching it; Infinity: no label may touch it. */
  add(corners, price = Infinity) {
    const number = this.shapes.length;
    this.shapes.push(corners);
    this.prices.push(price);
    this.stamps.push(0);
    for (const cell of cellsUnder(corners)) {
      const found = this.cells.get(cell);
      if (found) found.push(number);
      else this.cells.set(cell, [number]);
    }
  }

  price(corners, budget) {
    for (let k = 0; k < corners.length; k += 2) {
      const [x, y] = [corners[k], corners[k + 1]];
      if (x < this.left || x > this.right || y < this.top || y > this.bottom) return Infinity;
    }
    let total = 0;
    this.stamp += 1;
    for (const cell of cellsUnder(corners)) {
      for (const number of this.cells.get(cell) ?? []) {
        if (this.stamps[number] === this.stamp) continue;
        this.stamps[number] = this.stamp;
        if (touch(corners, this.shapes[number], CLEARANCE)) {
          total += this.prices[number];
          if (total >= budget) return Infinity;
        }
      }
    }
    return total;
  }

  /** Put a label {width, height} on the cheapest spot within the budget; returns whether there was one. */
  place(label, spots, budget) {
    let best = null;
    let cheapest = budget;
    for (const spot of spots) {
      if (spot.penalty >= cheapest) continue;
      const corners = boxCorners(spot.x, spot.y, label.width, label.height, spot.angle);
      const price = spot.penalty + this.price(corners, cheapest - spot.penalty);
      if (price < cheapest) {
        cheapest = price;
        const lowest = Math.max(corners[1], corners[3], corners[5], corners[7]);
        best = { ...label, x: spot.x, y: spot.y, angle: spot.angle, corners, reach: lowest - spot.y };
      }
    }
    if (best === null) return false;
    this.labels.push(best);
    this.add(best.corners);
    return true;
  }
}

/** The corners of a box centred on (x, y), rotated by an angle in degrees. */
export function boxCorners(x, y, width, height, angle = 0) {
  const cos = Math.cos((angle * Math.PI) / 180);
  const sin = Math.sin((angle * Math.PI) / 180);
  const [u, v] = [width / 2, height / 2];
  return [
    x - u * cos + v * sin, y - u * sin - v * cos,
    x + u * cos + v * sin, y + u * sin - v * cos,
    x + u * cos - v * sin, y + u * sin + v * cos,
    x - u * cos - v * sin, y - u * sin + v * cos,
  ];
}

function touch(one, other, clearance) {
  return !separated(one, one, other, clearance) && !separated(other, one, other, clearance);
}

function separated(edges, one, other, clearance) {
  const count = edges.length;
  for (let k = 0; k < count; k += 2) {
    const next = (k + 2) % count;
    let nx = edges[k + 1] - edges[next + 1];
    let ny = edges[next] - edges[k];
    const length = Math.hypot(nx, ny);
    if (length === 0) continue;
    nx /= length;
    ny /= length;
    let [least, most, lowest, highest] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < one.length; i += 2) {
      const at = one[i] * nx + one[i + 1] * ny;
      if (at < least) least = at;
      if (at > most) most = at;
    }
    for (let i = 0; i < other.length; i += 2) {
      const at = other[i] * nx + other[i + 1] * ny;
      if (at < lowest) lowest = at;
      if (at > highest) highest = at;
    }
    if (most + clearance <= lowest || highest + clearance <= least) return true;
  }
  return false;
}

function cellsUnder(corners) {
  const cells = new Set();
  const reach = CELL / 4;
  const around = (left, top, right, bottom) => {
    for (let column = Math.floor((left - reach) / CELL); column <= Math.floor((right + reach) / CELL); column++) {
      for (let row = Math.floor((top - reach) / CELL); row <= Math.floor((bottom + reach) / CELL); row++) {
        cells.add(column * 100_003 + row);
      }
    }
  };
  if (corners.length === 4) {
    const [x1, y1, x2, y2] = corners;
    const steps = Math.floor((Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1)) / CELL) * 2) + 1;
    for (let i = 0; i <= steps; i++) {
      const [x, y] = [x1 + ((x2 - x1) * i) / steps, y1 + ((y2 - y1) * i) / steps];
      around(x, y, x, y);
    }
  } else {
    const xs = corners.filter((_, k) => k % 2 === 0);
    const ys = corners.filter((_, k) => k % 2 === 1);
    around(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
  }
  return cells;
}

/** Spots beside a line: parallel to it if it is flat enough to read, upright next to it if it is steep. */
export function* spotsAlong([x1, y1, x2, y2], width, size) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy);
  if (length < 1) return;
  let angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  if (angle > 90) angle -= 180;
  else if (angle < -90) angle += 180;
  const steep = Math.abs(angle) > STEEPEST;
  const away = size * 0.55 + 2.5;
  const nx = Math.sin((angle * Math.PI) / 180);
  const ny = -Math.cos((angle * Math.PI) / 180); // towards the upper side of the line
  for (const t of TRIES) {
    const [x, y] = [x1 + t * dx, y1 + t * dy];
    const penalty = Math.abs(t - 0.5);
    if (steep) {
      const aside = width / 2 + 4 + size * 0.55 * Math.abs(dx / dy);
      yield { x: x + aside, y, angle: 0, penalty };
      yield { x: x - aside, y, angle: 0, penalty: penalty + 0.1 };
    } else if (penalty * length + width / 2 < length / 2 + 4) {
      yield { x: x + nx * away, y: y + ny * away, angle, penalty };
      yield { x: x - nx * away, y: y - ny * away, angle, penalty: penalty + 0.3 };
    }
  }
}

/** Spots at the sides of a mark on a lane. */
export function* spotsBeside(x, y, width, size, gap) {
  const aside = width / 2 + gap;
  const lift = size * 0.55 + 4;
  let rank = 0;
  for (const side of [1, -1]) {
    for (const rise of [0, lift, -lift]) yield { x: x + side * aside, y: y + rise, angle: 0, penalty: 0.05 * rank++ };
  }
}

const widths = new Map();

/** The width of a text in a font, cached. */
export function measureText(ctx, text, font) {
  const key = `${font}|${text}`;
  if (!widths.has(key)) {
    ctx.font = font;
    widths.set(key, ctx.measureText(text).width);
  }
  return widths.get(key);
}
