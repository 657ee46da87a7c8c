// A service group in Live mode: who holds which lock, with which token and for how long; who waits; what the store refused.
//
// What changes several times a second is filled in without drawing the panel again, so that its buttons stay where they are.

import { build, buildWorded } from "../widgets/elements.js";
import { formatDecimal, formatList, formatNumber, t } from "../words/text.js";

/** The locks and the store, empty: `showGroup` fills them in. */
export function buildGroup(group, workers) {
  const heads = ["lock", "holder", "token", "left", "waiters"].map((name) => build(`th.${name}`, { scope: "col", "data-t": `group.${name}` }));
  heads[2].dataset.tTitle = "group.token.title";
  return [
    build("p.soft", {}, t("group.text", { name: group.name, voters: group.voters, workers })),
    buildWorded("table.locks", {}, build("thead", {}, build("tr", {}, heads)), build("tbody")),
    build("p.store", { role: "status" }),
  ];
}

/** The members in two lists; `buildMember(node)` is the row of one. */
export function buildMembers({ nodes, group }, buildMember) {
  const list = (key, members) => [buildWorded("h3", { "data-t": key }), build("ul.members", {}, members.map(buildMember))];
  return [...list("group.voters", nodes.filter(({ id }) => id <= group.voters)), ...list("group.workers", nodes.filter(({ id }) => id > group.voters))];
}

/** Show what is known of the group now. */
export function showGroup(panel, { nodes, group }) {
  const body = panel.querySelector(".locks tbody");
  if (!body) return;
  body.replaceChildren(...group.locks.flatMap((lock) => buildLock(lock, nodes)));
  panel.querySelector(".store").replaceChildren(...buildStore(group));
  for (const { id } of nodes) showMember(panel.querySelector(`.member[data-id="${id}"]`), id, group.locks);
  tickGroup(panel, group);
}

/** Let the time run that is left of the leases. */
export function tickGroup(panel, { ttl }) {
  for (const cell of panel.querySelectorAll(".locks [data-ends]")) {
    const left = Math.max(0, Number(cell.dataset.ends) - Date.now()) / 1000;
    cell.classList.toggle("short", left < ttl / 2);
    cell.querySelector(".gauge i").style.width = `${Math.min(100, (100 * left) / ttl)}%`;
    cell.querySelector(".seconds").textContent = t("live.seconds", { seconds: formatDecimal(left.toFixed(1)) });
  }
}

function nameMode({ kind, slots, holders }) {
  if (kind === "role") return t("group.role");
  if (slots > 1) return t("group.slots", { slots });
  return t(holders.some(({ shared }) => shared) ? "group.shared" : "group.exclusive");
}

function buildLock(lock, nodes) {
  const holders = lock.holders.length ? lock.holders : [null];
  const lines = { rowspan: holders.length };
  const name = build("th.lock", { scope: "row", ...lines }, lock.name, build("small", {}, nameMode(lock)));
  const waiters = build("td.waiters", lines, lock.waiters.map(({ member }) => member).join(", "));
  return holders.map((holder, place) => {
    const cells = holder === null ? [build("td.free", { colspan: 3 }, t("group.free"))] : buildHolder(holder, nodes);
    const row = build("tr", { "data-lock": lock.name }, place === 0 ? name : null, ...cells, place === 0 ? waiters : null);
    if (place > 0) row.classList.add("more");
    return row;
  });
}

function buildHolder({ member, token, ends }, nodes) {
  const state = nodes.find(({ id }) => id === member)?.state;
  const left = build("span.remaining", {}, build("span.gauge", {}, build("i")), build("span.seconds"));
  return [
    build("td.holder", { class: `holder ${state}` }, String(member), state === "running" ? null : build("small", {}, t(`live.${state}`))),
    build("td.token", {}, token),
    ends === null ? build("td.left") : build("td.left", { "data-ends": ends }, left),
  ];
}

function buildStore({ store, has_quorum }) {
  const { accepted, refused } = store;
  const [last] = store.refusals;
  const told = last && t("group.refusal", { ...last, lock: last.name });
  return [
    has_quorum ? null : build("strong.none", {}, t("group.none")),
    `${t("group.store", { accepted: formatNumber(accepted) })} `,
    build(refused ? "strong.refused" : "span", {}, formatNumber(refused)),
    ".",
    told ? build("small", {}, told) : null,
  ].filter((part) => part !== null);
}

function showMember(row, id, locks) {
  const among = (list) => locks.filter((lock) => lock[list].some(({ member }) => member === id)).map(({ name }) => name);
  const [holds, waits] = [among("holders"), among("waiters")];
  row.classList.toggle("inside", holds.length > 0);
  const parts = [holds.length ? t("group.holds", { locks: formatList(holds) }) : "", waits.length ? t("group.waits", { locks: formatList(waits) }) : ""];
  row.querySelector(".member-holds").textContent = parts.filter((part) => part).join("; ");
}
