// How the page talks to its server: JSON in, JSON out, and streams of events for what takes long.
//
// The start-up token travels once in the address (`?token=...`); from then on it is kept for this tab alone and sent as
// a header. A refusal becomes an Error whose message is the server's sentence.

import { mistaken } from "./text.js";

const TOKEN = "habemus-token";

takeTokenFromAddress();

function takeTokenFromAddress() {
  const address = new URL(window.location.href);
  const token = address.searchParams.get("token");
  if (token === null) return;
  window.sessionStorage.setItem(TOKEN, token);
  address.searchParams.delete("token");
  window.history.replaceState(null, "", address);
}

function headers(more = {}) {
  const token = window.sessionStorage.getItem(TOKEN);
  return token ? { ...more, "X-Habemus-Token": token } : more;
}

/** The JSON at a path, or its text where it is something else. */
export async function get(path) {
  return readAnswer(await ask(path, { headers: headers() }));
}

/** What the server makes of a body. */
export async function post(path, body = {}) {
  return readAnswer(await ask(path, request(body)));
}

/** The file that the server makes of a body: `{name, blob}`. */
export async function download(path, body = {}) {
  const answer = await ask(path, request(body));
  if (!answer.ok) throw await refusal(answer);
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "");
  return { name: named ? named[1] : path.split("/").pop(), blob: await answer.blob() };
}

/**
 * Post a body and follow the events that come back: each `event: name` calls `handlers[name](data)`, a refusal
 * `handlers.error(error)`. Without a body the path is read instead. Returns a function that ends it; the server stops
 * working on it then.
 */
export function stream(path, body, handlers) {
  const control = new AbortController();
  const options = body === null ? { headers: headers() } : request(body);
  follow(path, { ...options, signal: control.signal }, handlers).catch((error) => {
    if (!control.signal.aborted) handlers.error?.(error);
  });
  return () => control.abort();
}

async function follow(path, options, handlers) {
  const answer = await ask(path, options);
  if (!answer.ok) throw await refusal(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    pending += value.replaceAll("\r\n", "\n");
    const blocks = pending.split("\n\n");
    pending = blocks.pop();
    for (const block of blocks) hand(block, handlers);
  }
  handlers.end?.();
}

function hand(block, handlers) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  if (!data.length) return;
  const said = JSON.parse(data.join("\n"));
  handlers[name]?.(name === "error" ? refusedWith(said) : said);
}

function request(body) {
  return { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body) };
}

async function ask(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw mistaken("error.unreachable");
  }
}

async function readAnswer(answer) {
  if (!answer.ok) throw await refusal(answer);
  const kind = answer.headers.get("Content-Type") ?? "";
  return kind.startsWith("application/json") ? answer.json() : answer.text();
}

async function refusal(answer) {
  if (answer.status === 403 && window.sessionStorage.getItem(TOKEN) === null) return mistaken("error.token");
  return refusedWith(await answer.json().catch(() => ({ error: `${answer.status} ${answer.statusText}` })));
}

function refusedWith({ error, line, printed }) {
  return Object.assign(new Error(error), { line, printed });
}
