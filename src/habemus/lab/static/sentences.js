// What happened, in sentences: one for each event, in the language of the page.

import { labelOf, shortValue } from "./values.js";
import { has, listed, t } from "./text.js";

/** The sentence of an event: a list of {text} and {code} pieces. */
export function sentenceOf(event) {
  return event.clause ? stepSentence(event) : faultSentence(event);
}

/** The same as plain text. */
export function plainSentence(event) {
  return sentenceOf(event)
    .map((piece) => piece.text ?? piece.code)
    .join("");
}

function stepSentence(event) {
  const id = event.process;
  const pieces = [...trigger(event, id)];
  const sent = grouped(event.sent ?? []);
  const changes = Object.entries(event.changed ?? {});
  const role = event.role ? t(`story.becomes.${event.role}`) : null;
  if (sent.length) {
    pieces.push({ text: t("story.then.sends") });
    sent.forEach(([label, receivers], k) => {
      if (k > 0) pieces.push({ text: k === sent.length - 1 ? ` ${t("and")} ` : ", " });
      pieces.push({ code: label }, { text: ` ${t("story.to", { ids: many(receivers) })}` });
    });
  }
  if (changes.length) {
    pieces.push({ text: "; " });
    changes.forEach(([name, value], k) => {
      if (k > 0) pieces.push({ text: ", " });
      pieces.push({ code: `${name} = ${clipped(shortValue(value))}` });
    });
  }
  if (role) pieces.push({ text: `; ${role}` });
  else if (event.role === "") pieces.push({ text: `; ${t("story.becomes.nothing")}` });
  pieces.push({ text: "." });
  return pieces;
}

function trigger(event, id) {
  const received = event.received ?? [];
  if (event.kind === "pulse") return [{ text: t("story.pulse", { id, count: received.length }) }];
  if (received.length) {
    const first = received[0];
    return [
      { text: t("story.gets", { id }) },
      { code: labelOf(first) },
      { text: ` ${t("story.from", { id: first.sender })}` },
      ...(received.length > 1 ? [{ text: ` ${t("story.more", { count: received.length - 1 })}` }] : []),
    ];
  }
  const key = `story.${event.kind}`;
  const subject = event.subject === undefined || event.subject === null ? "" : shortValue(event.subject);
  const particular = { command: `story.command.${subject}`, leader: subject ? "" : "story.leader.none" }[event.kind];
  const words = [particular, key].find((known) => known && has(known)) ?? "story.other";
  return [{ text: t(words, { id, subject, clause: event.clause }) }];
}

function faultSentence(event) {
  if (event.kind === "lost") {
    const lost = event.received[0];
    const why = event.subject ? ` ${reason(event.subject)}` : "";
    return [{ code: labelOf(lost) }, { text: ` ${t("story.lost", { from: lost.sender, to: lost.to })}${why}.` }];
  }
  const { subject } = event;
  if (event.kind === "cut") return [{ text: t("story.cut", { links: links(subject) }) }];
  if (event.kind === "heal" && !subject?.length) return [{ text: t("story.heal.all") }];
  if (event.kind === "heal") return [{ text: t("story.heal", { links: links(subject) }) }];
  if (event.kind === "partition") {
    return [{ text: t("story.partition", { groups: subject.map((group) => group.join(", ")).join(" / ") }) }];
  }
  const key = `story.fault.${event.kind}`;
  const values = Array.isArray(subject) ? { token: subject[0], seen: subject[1] } : { subject: subject ?? "" };
  return [{ text: has(key) ? t(key, { id: event.process, ...values }) : `${event.kind} ${shortValue(subject)}` }];
}

const REASONS = {
  "the link is cut": "story.lost.cut",
  "the network lost it": "story.lost.network",
  "the receiver has crashed": "story.lost.crashed",
};

function reason(why) {
  return `(${why in REASONS ? t(REASONS[why]) : why})`;
}

function links(subject) {
  return (subject ?? []).map(([a, b]) => `${a}–${b}`).join(", ");
}

function grouped(sent) {
  const groups = new Map();
  for (const carried of sent) {
    const label = labelOf(carried);
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(carried.to);
  }
  return [...groups];
}

function many(ids) {
  return ids.length > 6 ? t("story.many", { count: ids.length }) : listed(ids);
}

function clipped(text) {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Why a property is violated: the witness's own words in English, and what it comes to in other languages. */
export function explanation(property, language) {
  const { witness, name } = property;
  if (!witness) return "";
  if (language === "en") return capital(witness.text);
  const ids = listed((witness.processes ?? []).slice(0, 6));
  const key = witness.events?.length ? `why.${name}` : `why.${name}.end`;
  return has(key) ? t(key, { ids, time: witness.time }) : t("why.any", { ids, time: witness.time });
}

function capital(text) {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
