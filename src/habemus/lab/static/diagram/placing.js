// Where the lanes of the diagram are: side by side with as much room for each as there is, but close together where they are
// collapsed.

const NARROWEST = 4;
const WIDEST = 190;
const COLLAPSED = 9; // pixels for a lane that is collapsed

/** The places of all lanes in `room` pixels, from 0 on, and the `spacing` of two lanes that are not collapsed. */
export function placeLanes(ids, collapsed, room, zoom) {
  const closed = ids.map((id) => collapsed.has(id));
  const halves = closed.slice(1).map((one, k) => one + closed[k]); // how many of the two are collapsed
  const taken = halves.reduce((sum, count) => sum + count, 0) * (COLLAPSED / 2);
  const open = halves.reduce((sum, count) => sum + 2 - count, 0) / 2;
  const spacing = Math.max(NARROWEST, Math.min(WIDEST, open ? (room - taken) / open : 0)) * zoom;
  const places = [0];
  for (const count of halves) places.push(places.at(-1) + ((2 - count) * spacing + count * COLLAPSED) / 2);
  return { places, spacing };
}

/** Lanes next to each other that are collapsed, as one: the seats of each group, and of each lane that is open. */
export function bundleLanes(ids, collapsed) {
  const bundles = [];
  ids.forEach((id, seat) => {
    const joins = seat > 0 && collapsed.has(id) && collapsed.has(ids[seat - 1]);
    if (joins) bundles.at(-1).push(seat);
    else bundles.push([seat]);
  });
  return bundles;
}
