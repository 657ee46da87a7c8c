// Where processes are on the stage: in a circle unless the network has a shape of its own. Coordinates are from -1 to 1.

const MOST_SPREAD = 150;

/** A point [x, y] for each seat. */
export function layOut(run) {
  const n = run.ids.length;
  const seats = new Map(run.ids.map((id, seat) => [id, seat]));
  const edges = run.edges.map(([a, b]) => [seats.get(a), seats.get(b)]);
  const kind = run.topology ?? "";
  const full = edges.length >= (n * (n - 1)) / 2;
  if (n === 1) return [[0, 0]];
  if (kind === "ring" || kind === "complete" || kind === "line" || full || !edges.length) return circle(n);
  if (kind === "grid" || kind === "torus") return grid(n);
  const degree = degrees(n, edges);
  const hub = degree.indexOf(n - 1);
  if (hub >= 0 && edges.length === n - 1) return star(n, hub);
  if (edges.length === n - 1) return tree(n, edges);
  if (isCircle(n, edges)) return circle(n);
  return n <= MOST_SPREAD ? spread(n, edges) : circle(n);
}

function circle(n) {
  return Array.from({ length: n }, (_, seat) => {
    const angle = (2 * Math.PI * seat) / n - Math.PI / 2;
    return [Math.cos(angle), Math.sin(angle)];
  });
}

function star(n, hub) {
  const points = circle(n - 1);
  points.splice(hub, 0, [0, 0]);
  return points;
}

function isCircle(n, edges) {
  return edges.length === n && edges.every(([a, b]) => [1, n - 1].includes(Math.abs(a - b)));
}

function degrees(n, edges) {
  const degree = Array(n).fill(0);
  for (const [a, b] of edges) {
    degree[a] += 1;
    degree[b] += 1;
  }
  return degree;
}

/** As many columns as the least divisor of n that is at least its square root, as topologies are built. */
function grid(n) {
  let columns = Math.ceil(Math.sqrt(n));
  while (n % columns) columns += 1;
  const rows = n / columns;
  const across = columns - 1 || 1;
  return Array.from({ length: n }, (_, seat) => [
    (2 * (seat % columns) - (columns - 1)) / across,
    (2 * Math.floor(seat / columns) - (rows - 1)) / across,
  ]);
}

function neighbourLists(n, edges) {
  const lists = Array.from({ length: n }, () => []);
  for (const [a, b] of edges) {
    lists[a].push(b);
    lists[b].push(a);
  }
  return lists;
}

/** A tree from its first process down: leaves side by side, parents above the middle of their children. */
function tree(n, edges) {
  const lists = neighbourLists(n, edges);
  const points = Array(n);
  let leaves = 0;
  let deepest = 0;
  const visit = (seat, parent, depth) => {
    deepest = Math.max(deepest, depth);
    const children = lists[seat].filter((child) => child !== parent);
    const xs = children.map((child) => visit(child, seat, depth + 1));
    const x = xs.length ? (xs[0] + xs.at(-1)) / 2 : leaves++;
    points[seat] = [x, depth];
    return x;
  };
  visit(0, -1, 0);
  if (points.some((point) => point === undefined)) return circle(n);
  return points.map(([x, depth]) => [
    leaves > 1 ? (2 * x) / (leaves - 1) - 1 : 0,
    deepest ? (2 * depth) / deepest - 1 : 0,
  ]);
}

/**
 * Places a graph so that distances on the stage approximate distances in the graph (stress majorization, started from a
 * circle, so that the same graph always looks the same), then stretches it to fill the stage.
 */
function spread(n, edges) {
  const far = distances(n, edges);
  let points = circle(n).map(([x, y], seat) => [x + 0.02 * Math.sin(seat * 7), y + 0.02 * Math.cos(seat * 5)]);
  for (let round = 0; round < 300; round++) {
    points = points.map(([x, y], a) => {
      let [sumX, sumY, weight] = [0, 0, 0];
      for (let b = 0; b < n; b++) {
        if (a === b) continue;
        const [dx, dy] = [x - points[b][0], y - points[b][1]];
        const wanted = far[a][b] / Math.hypot(dx, dy, 1e-6);
        const strength = 1 / (far[a][b] * far[a][b]);
        sumX += strength * (points[b][0] + dx * wanted);
        sumY += strength * (points[b][1] + dy * wanted);
        weight += strength;
      }
      return [sumX / weight, sumY / weight];
    });
  }
  return fit(points);
}

/** The number of links between any two seats, on the shortest path. */
function distances(n, edges) {
  const lists = neighbourLists(n, edges);
  return lists.map((_, from) => {
    const far = Array(n).fill(n);
    far[from] = 0;
    for (const ahead = [from]; ahead.length; ) {
      const seat = ahead.shift();
      for (const next of lists[seat]) {
        if (far[next] < n) continue;
        far[next] = far[seat] + 1;
        ahead.push(next);
      }
    }
    return far;
  });
}

/** Scales points to -1 to 1, the shorter extent stretched a little. */
function fit(points) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [wide, high] = [(right - left) / 2 || 1, (bottom - top) / 2 || 1];
  const [stretchX, stretchY] = [Math.max(wide, high / 1.8), Math.max(high, wide / 1.8)];
  return points.map(([x, y]) => [(x - (left + right) / 2) / stretchX, (y - (top + bottom) / 2) / stretchY]);
}
