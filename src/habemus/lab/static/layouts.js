// Where processes stand on the stage: in a circle unless the network has a shape of its own. All within -1 to 1.

const MOST_FORCED = 150;

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
  return n <= MOST_FORCED ? forced(n, edges) : circle(n);
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

/** Springs along links, repulsion between all; from a circle, so that the same graph always looks the same. */
function forced(n, edges) {
  const points = circle(n).map(([x, y], place) => [x + 0.01 * Math.sin(place * 7), y + 0.01 * Math.cos(place * 5)]);
  const ideal = 1.6 / Math.sqrt(n);
  for (let round = 0; round < 400; round++) {
    const heat = 0.12 * (1 - round / 400) + 0.002;
    const push = points.map(() => [0, 0]);
    for (let a = 0; a < n; a++) {
      for (let b = a + 1; b < n; b++) {
        const [dx, dy] = [points[a][0] - points[b][0], points[a][1] - points[b][1]];
        const square = dx * dx + dy * dy + 1e-6;
        const force = (ideal * ideal) / square;
        push[a][0] += dx * force;
        push[a][1] += dy * force;
        push[b][0] -= dx * force;
        push[b][1] -= dy * force;
      }
    }
    for (const [a, b] of edges) {
      const [dx, dy] = [points[a][0] - points[b][0], points[a][1] - points[b][1]];
      const force = Math.hypot(dx, dy) / ideal;
      push[a][0] -= dx * force;
      push[a][1] -= dy * force;
      push[b][0] += dx * force;
      push[b][1] += dy * force;
    }
    points.forEach((point, place) => {
      const size = Math.hypot(...push[place]) || 1;
      point[0] += (push[place][0] / size) * Math.min(size, heat);
      point[1] += (push[place][1] / size) * Math.min(size, heat);
    });
  }
  return fitted(points);
}

function fitted(points) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const wide = Math.max(right - left, bottom - top) / 2 || 1;
  return points.map(([x, y]) => [(x - (left + right) / 2) / wide, (y - (top + bottom) / 2) / wide]);
}
