// What happened, in sentences: one for each event, in the language of the page.

import { labelOf, shortValue } from "../model/values.js";
import { formatList, hasWords, t } from "./text.js";

/** The sentence of an event: a list of {text} and {code} pieces. */
export function sentenceOf(event) {
  return event.clause ? stepSentence(event) : faultSentence(event);
}

/** The same as plain text. */
export function plainSentenceOf(event) {
  return sentenceOf(event)
    .map((piece) => piece.text ?? piece.code)
    .join("");
}

function stepSentence(event) {
  const id = event.process;
  const pieces = [...trigger(event, id)];
  const sent = grouped(event.sent ?? []);
  const changes = Object.entries(event.changed ?? {});
  const role = event.role ? t(`event.becomes.${event.role}`) : null;
  if (sent.length) {
    pieces.push({ text: t("event.then.sends") });
    sent.forEach(([label, receivers], k) => {
      if (k > 0) pieces.push({ text: k === sent.length - 1 ? ` ${t("and")} ` : ", " });
      pieces.push({ code: label }, { text: ` ${t("event.to", { ids: many(receivers) })}` });
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
  else if (event.role === "") pieces.push({ text: `; ${t("event.becomes.nothing")}` });
  pieces.push({ text: "." });
  return pieces;
}

function trigger(event, id) {
  const received = event.received ?? [];
  if (event.kind === "pulse") return [{ text: t("event.pulse", { id, count: received.length }) }];
  if (received.length) {
    const first = received[0];
    return [
      { text: t("event.gets", { id }) },
      { code: labelOf(first) },
      { text: ` ${t("event.from", { id: first.sender })}` },
      ...(received.length > 1 ? [{ text: ` ${t("event.more", { count: received.length - 1 })}` }] : []),
    ];
  }
  const key = `event.${event.kind}`;
  const subject = event.subject === undefined || event.subject === null ? "" : shortValue(event.subject);
  const particular = { command: `event.command.${subject}`, leader: subject ? "" : "event.leader.none" }[event.kind];
  const words = [particular, key].find((known) => known && hasWords(known)) ?? "event.other";
  return [{ text: t(words, { id, subject, clause: event.clause }) }];
}

function faultSentence(event) {
  if (event.kind === "lost") {
    const lost = event.received[0];
    const why = event.subject ? ` ${reason(event.subject)}` : "";
    return [{ code: labelOf(lost) }, { text: ` ${t("event.lost", { from: lost.sender, to: lost.to })}${why}.` }];
  }
  const { subject } = event;
  if (event.kind === "cut") return [{ text: t("event.cut", { links: links(subject) }) }];
  if (event.kind === "heal" && !subject?.length) return [{ text: t("event.heal.all") }];
  if (event.kind === "heal") return [{ text: t("event.heal", { links: links(subject) }) }];
  if (event.kind === "partition") {
    return [{ text: t("event.partition", { groups: subject.map((group) => group.join(", ")).join(" / ") }) }];
  }
  const key = `event.fault.${event.kind}`;
  const values = Array.isArray(subject) ? { token: subject[0], seen: subject[1] } : { subject: subject ?? "" };
  return [{ text: hasWords(key) ? t(key, { id: event.process, ...values }) : `${event.kind} ${shortValue(subject)}` }];
}

const REASONS = {
  "the link is cut": "event.lost.cut",
  "the network lost it": "event.lost.network",
  "the receiver has crashed": "event.lost.crashed",
};

function reason(why) {
  return `(${why in REASONS ? t(REASONS[why]) : why})`;
}

function links(subject) {
  return (subject ?? []).map(([a, b]) => `${a}–${b}`).join(", ");
}

function grouped(sent) {
  const groups = new Map();
  for (const envelope of sent) {
    const label = labelOf(envelope);
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(envelope.to);
  }
  return [...groups];
}

function many(ids) {
  return ids.length > 6 ? t("event.many", { count: ids.length }) : formatList(ids);
}

function clipped(text) {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Why a property is violated: in English the text of the witness, in Portuguese a sentence built from it. */
export function explainViolation(property, language) {
  const { witness, name } = property;
  if (!witness) return "";
  if (language === "en") return capital(witness.text);
  const ids = formatList((witness.processes ?? []).slice(0, 6));
  const key = witness.events?.length ? `why.${name}` : `why.${name}.end`;
  return hasWords(key) ? t(key, { ids, time: witness.time }) : t("why.any", { ids, time: witness.time });
}

/** The verdict on a property in a run; of one that is not promised, what was observed. */
export function verdictOf(property, language) {
  const { verdict, promised, witness } = property;
  if (verdict === null && witness) return t("verdict.open");
  if (promised) return t(`verdict.${verdict}`);
  if (!witness) return t(`observed.${verdict}`);
  const why = language === "en" ? witness.text : explainViolation(property, language).replace(/\.$/, "");
  return t("observed.false", { why: why.charAt(0).toLowerCase() + why.slice(1) });
}

function capital(text) {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
