// Where processes stand on the stage: in a circle unless the network has a shape of its own. All within -1 to 1.

const MOST_SPREAD = 150;

/** A point [x, y] for each place. */
export function layOut(run) {
  const n = run.ids.length;
  const places = new Map(run.ids.map((id, place) => [id, place]));
  const edges = run.edges.map(([a, b]) => [places.get(a), places.get(b)]);
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
  return Array.from({ length: n }, (_, place) => {
    const angle = (2 * Math.PI * place) / n - Math.PI / 2;
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

/** Rows of the least divisor of n that is at least its square root, as topologies are built. */
function grid(n) {
  let columns = Math.ceil(Math.sqrt(n));
  while (n % columns) columns += 1;
  const rows = n / columns;
  const across = columns - 1 || 1;
  return Array.from({ length: n }, (_, place) => [
    (2 * (place % columns) - (columns - 1)) / across,
    (2 * Math.floor(place / columns) - (rows - 1)) / across,
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
  const visit = (place, parent, depth) => {
    deepest = Math.max(deepest, depth);
    const children = lists[place].filter((child) => child !== parent);
    const xs = children.map((child) => visit(child, place, depth + 1));
    const x = xs.length ? (xs[0] + xs.at(-1)) / 2 : leaves++;
    points[place] = [x, depth];
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
 * A graph so that distances on the stage come close to distances in the graph (stress majorization, from a circle, so
 * that the same graph always looks the same), then stretched to fill its room.
 */
function spread(n, edges) {
  const far = distances(n, edges);
  let points = circle(n).map(([x, y], place) => [x + 0.02 * Math.sin(place * 7), y + 0.02 * Math.cos(place * 5)]);
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
  return fitted(points);
}

/** How many links lie between any two places, at least. */
function distances(n, edges) {
  const lists = neighbourLists(n, edges);
  return lists.map((_, from) => {
    const far = Array(n).fill(n);
    far[from] = 0;
    for (const ahead = [from]; ahead.length; ) {
      const place = ahead.shift();
      for (const next of lists[place]) {
        if (far[next] < n) continue;
        far[next] = far[place] + 1;
        ahead.push(next);
      }
    }
    return far;
  });
}

/** Within -1 to 1, the shorter extent stretched a little. */
function fitted(points) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [wide, high] = [(right - left) / 2 || 1, (bottom - top) / 2 || 1];
  const [stretchX, stretchY] = [Math.max(wide, high / 1.8), Math.max(high, wide / 1.8)];
  return points.map(([x, y]) => [(x - (left + right) / 2) / stretchX, (y - (top + bottom) / 2) / stretchY]);
}
