// The API of the server: JSON requests and responses, and streams of events for what takes long.
//
// The token is once in the address (`?token=...`); from then on it is kept for this tab alone and sent as a header. A refusal
// becomes an Error whose message is the server's sentence.

import { makeError } from "../words/text.js";

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

/** Get the JSON at a path, or its text if it is something else. */
export async function get(path) {
  return readAnswer(await ask(path, { headers: headers() }));
}

/** Post a body; resolves to the JSON of the response. */
export async function post(path, body = {}) {
  return readAnswer(await ask(path, request(body)));
}

/** Post a body; resolves to the file of the response: `{name, blob}`. */
export async function download(path, body = {}) {
  const answer = await ask(path, request(body));
  if (!answer.ok) throw await refusal(answer);
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "");
  return { name: named ? named[1] : path.split("/").pop(), blob: await answer.blob() };
}

/**
 * Post a body and handle the events of the response: each `event: name` calls `handlers[name](data)`, a refusal
 * `handlers.error(error)`. Without a body it is a GET request. Returns a function that aborts it; the server then stops the
 * job.
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
    const { value, done } = await reader.read().catch(explainBreak);
    if (done) break;
    pending += value.replaceAll("\r\n", "\n");
    const blocks = pending.split("\n\n");
    pending = blocks.pop();
    for (const block of blocks) dispatch(block, handlers);
  }
  handlers.end?.();
}

// The browser's own words for a connection that broke are always English.
function explainBreak(error) {
  throw error.name === "AbortError" ? error : makeError("error.broken");
}

function dispatch(block, handlers) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  if (!data.length) return;
  const content = JSON.parse(data.join("\n"));
  handlers[name]?.(name === "error" ? toError(content) : content);
}

function request(body) {
  return { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body) };
}

async function ask(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw makeError("error.unreachable");
  }
}

async function readAnswer(answer) {
  if (!answer.ok) throw await refusal(answer);
  const kind = answer.headers.get("Content-Type") ?? "";
  return kind.startsWith("application/json") ? answer.json() : answer.text();
}

async function refusal(answer) {
  if (answer.status === 403 && window.sessionStorage.getItem(TOKEN) === null) return makeError("error.token");
  return toError(await answer.json().catch(() => ({ error: `${answer.status} ${answer.statusText}` })));
}

function toError({ error, line, printed }) {
  return Object.assign(new Error(error), { line, printed });
}
