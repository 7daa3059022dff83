import { expect, test } from "vitest";
import { streamCases, startStreamServer } from "../support/stream-server.ts";
import type { StreamCase } from "../support/stream-server.ts";
import { hear, wireProvider } from "../support/wire-provider.ts";
import type { Heard } from "../support/wire-provider.ts";
import type { WireKind } from "../../src/model/quirks.ts";

const APIS: Readonly<Record<string, WireKind>> = {
  "openai-chat": "openai-chat",
  "anthropic-messages": "anthropic",
  "openai-responses": "openai-responses",
  google: "google",
};
/** The key that st-121's server echoes: it must never come back in a message. */
const KEY = "sk-live-51f0c2d9a7e84b63";

/** What each outcome of the corpus means at the provider; whole turns are judged with the loop. */
const OUTCOMES: Readonly<Record<string, (heard: Heard, expected: StreamCase["expect"]) => void>> = {
  ok: (heard) => {
    expect(heard.error).toBeUndefined();
    expect(["stop", "refusal"]).toContain(heard.done?.finish);
  },
  ok_or_error: (heard) => expect(heard.done !== undefined || heard.error !== undefined).toBe(true),
  ok_or_continued: (heard) => expect(heard.done?.finish).toBe("stop"),
  // A refusal is an end that the provider named.
  partial_marked: (heard) =>
    expect(heard.error?.code ?? heard.done?.finish).toMatch(/^(?:provider\.(?:truncated|connection)|refusal)$/),
  partial_marked_or_retry: (heard) =>
    expect(heard.error).toMatchObject({ code: "provider.overloaded", retryable: true }),
  error_to_user: (heard) => {
    expect(heard.error?.code).toMatch(/^provider\./);
    expect(heard.parts).toEqual([]);
  },
  error_or_retry: (heard) => expect(heard.error?.code).toMatch(/^provider\./),
  compacted_then_retried_or_error: (heard) =>
    expect(heard.error).toMatchObject({ code: "provider.context-length", retryable: false }),
  retried: (heard) => expect(heard.error).toMatchObject({ retryable: true }),
  retried_then_error: (heard) => expect(heard.error).toMatchObject({ retryable: true }),
  tool_call: (heard, expected) => expect(callsOf(heard)).toEqual([[expected["tool"], expected["args"]]]),
  tool_calls: (heard, expected) => expect(callsOf(heard)).toEqual(expected["calls"]),
  tool_call_or_retry: (heard) => expect(heard.error).toMatchObject({ code: "provider.truncated", retryable: true }),
  // The tool layer answers with an error because the arguments are no object; nothing was guessed.
  tool_error_to_model: (heard) =>
    expect(heard.done?.dropped ?? callsOf(heard).length).toEqual(heard.done?.finish === "length" ? "unfinished" : 1),
  tool_call_or_tool_error: (heard) => {
    const calls = heard.parts.filter((part) => part.type === "tool-call");
    expect(calls.length).toBeGreaterThan(0);
    // The value that is checked and used is the one JSON.parse gives, or none: nothing is repaired.
    expect(calls.map((call) => call.input)).toEqual(
      calls.map((call) => attempt(call.inputText ?? JSON.stringify(call.input))),
    );
  },
  calls_limited: (heard) => {
    expect(heard.parts.length).toBe(64);
    expect(heard.done?.dropped).toBe("too-many");
  },
  cut_at_limit: (heard) => {
    expect(heard.parts).toEqual([]);
    expect(heard.done).toMatchObject({ finish: "cut", dropped: "unfinished" });
  },
  text_or_tool_call: (heard) => {
    expect(callsOf(heard)).toEqual([]);
    expect(heard.text).toContain("<tool_call>");
  },
};

for (const item of streamCases()) {
  test(`R72 PR1 PR3 PR5 PR14 PR15 PR16 ${item.id}: ${item.title}`, async () => {
    await using server = await startStreamServer();
    server.answers(item.response);
    const api = APIS[item.api];
    if (api === undefined) throw new Error(`no wire for ${item.api}`);
    const memory = process.memoryUsage().rss;
    const heard = await hear(wireProvider({ api, url: server.url, key: KEY }));
    // `then` describes the answers after this one, which only the loop asks for.
    const outcome = OUTCOMES[item.then === undefined ? String(item.expect["outcome"]) : "retried"];
    if (outcome === undefined) throw new Error(`no rule for ${String(item.expect["outcome"])}`);
    outcome(heard, item.expect);
    const ids = heard.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
    expect(new Set(ids).size).toBe(ids.length);
    const told = heard.error?.message ?? "";
    expect(told).not.toMatch(/<html|evil\.test|https?:/i);
    expect(told).not.toContain(KEY);
    expect(broken(heard, item.expect, process.memoryUsage().rss - memory)).toEqual([]);
    // Redirects and retries are not the provider's business: one request, to this server.
    expect(server.requests.length).toBe(1);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
}

/** Names of the expectations that do not hold. */
function broken(heard: Heard, expected: StreamCase["expect"], growth: number): readonly string[] {
  const told = heard.error?.message ?? "";
  const stored = heard.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const usage = expected["usage"];
  const holds: Readonly<Record<string, (value: unknown) => boolean>> = {
    text: (value) => heard.text === value,
    text_re: (value) => new RegExp(String(value), "s").test(heard.text),
    text_one_of: (value) => Array.isArray(value) && value.includes(heard.text),
    message_not_re: (value) => !new RegExp(String(value)).test(told),
    not_shown: (value) => !heard.text.includes(String(value)),
    attempts: (value) => value !== 1 || heard.error?.retryable === false,
    rss_growth_below: (value) => growth < Number(value),
    usage: () =>
      isObject(usage) && heard.done?.usage.input === usage["in"] && heard.done?.usage.output === usage["out"],
  };
  const names = Object.keys(holds).filter(
    (name) => expected[name] !== undefined && holds[name]?.(expected[name]) === false,
  );
  return heard.error === undefined && stored !== heard.text ? [...names, "stored equals shown"] : names;
}

function callsOf(heard: Heard): readonly unknown[] {
  return heard.parts.flatMap((part) => (part.type === "tool-call" ? [[part.name, part.input]] : []));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in the text, or an empty one. */
function attempt(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {}; // Broken on purpose.
  }
}

const COUNTED = { usage: { prompt_tokens: 7, completion_tokens: 3 } };
test.each([
  ["with the last words", [{}, {}], [{}, COUNTED]],
  ["with the words before them", [{}, COUNTED], [{}, {}]],
  ["beside the end, as Moonshot does", [{}, {}], [COUNTED, {}]],
])("PR26 the tokens count that are told %s", async (_, [first, beside], [end, last]) => {
  await using server = await startStreamServer();
  const chunk = (choice: object, rest: object = {}): { readonly text: string } => ({
    text: `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, ...choice }], ...rest })}\n\n`,
  });
  server.answers({
    status: 200,
    headers: { "content-type": "text/event-stream" },
    chunks: [
      chunk({ delta: { role: "assistant", content: "Hel" }, ...first }, beside),
      chunk({ delta: { content: "lo" }, finish_reason: "stop", ...end }, last),
      chunk({ delta: {} }),
      { text: "data: [DONE]\n\n" },
    ],
  });
  const { done, text } = await hear(wireProvider({ api: "openai-chat", url: server.url, key: KEY }));
  expect([text, done?.usage]).toMatchObject(["Hello", { input: 7, output: 3 }]);
});
