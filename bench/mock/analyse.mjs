/** What the recorded requests cost: their sizes, and how much of each a prompt cache could reuse. */
import { APIS, textOf } from "./requests.mjs";

/** JSON without cache markers: they move from message to message and change no cached prefix. */
const plain = (value) => JSON.stringify(value, (k, v) => (k === "cache_control" ? undefined : v));

/** What the model reads, in the order providers cache it: tools, system, messages. */
function promptOf(api, body) {
  const A = APIS[api];
  const messages = A.messages(body);
  let lead = 0;
  while (lead < messages.length && A.isSystem(messages[lead])) lead++;
  return {
    tools: body.tools?.length ? plain(body.tools) : "",
    system:
      A.system(body) +
      messages
        .slice(0, lead)
        .map((m) => textOf(m.content))
        .join("\n"),
    rest: messages
      .slice(lead)
      .map((m) => `${plain(m)}\n`)
      .join(""),
    count: messages.length,
    conversation: textOf(messages.find(A.isUser)?.content ?? "").slice(0, 500),
    toolNames: A.toolNames(body),
  };
}

/** Length of the longest common prefix of two buffers. */
function commonPrefix(a, b) {
  let low = 0;
  let high = Math.min(a.length, b.length);
  if (a.compare(b, 0, high, 0, high) === 0) return high;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (a.compare(b, low, mid, low, mid) === 0) low = mid;
    else high = mid;
  }
  return low;
}

export function analyse(kept) {
  const previous = new Map();
  let first;
  return kept.map((r, i) => {
    const p = promptOf(r.api, JSON.parse(r.raw.toString("utf8")));
    const all = Buffer.from(`${p.tools}\n${p.system}\n${p.rest}`);
    const rest = Buffer.from(p.rest);
    const fixed = Buffer.from(`${p.tools}\n${p.system}\n`);
    const key = `${r.id || p.conversation}|${r.aux ? "aux" : ""}`;
    const prev = previous.get(key);
    previous.set(key, { all, rest });
    if (!r.aux) first ??= fixed;
    return {
      i,
      api: r.api,
      stream: r.stream,
      aux: r.aux,
      missing: r.missing,
      id: r.id,
      round: r.round,
      at: r.at,
      bodyAt: r.bodyAt,
      firstByteAt: r.firstByteAt,
      endAt: r.endAt,
      bytes: r.raw.length,
      messages: p.count,
      systemBytes: Buffer.byteLength(p.system),
      toolsBytes: Buffer.byteLength(p.tools),
      tools: p.toolNames,
      messagesBytes: rest.length,
      /** Share of the previous request of this conversation that this one starts with. */
      prefixShare: prev && commonPrefix(prev.all, all) / prev.all.length,
      messagesShare: prev && prev.rest.length ? commonPrefix(prev.rest, rest) / prev.rest.length : undefined,
      /** Share of the very first request's tools + system that this one starts with. */
      fixedShare: first && first.length ? commonPrefix(first, fixed) / first.length : undefined,
    };
  });
}
