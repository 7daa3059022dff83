// What every other key of an expectation of the stream corpus means. A key without a meaning fails its case.
import { expect } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import type { Played } from "./attacked-agent.ts";
import type { StreamCase } from "./stream-server.ts";

export interface Seen {
  readonly item: StreamCase;
  readonly played: Played;
  /** The turn after it, with a good answer. */
  readonly next: Played;
  readonly messages: readonly Message[];
  /** Requests that reached the server a redirect named. */
  readonly elsewhere: number;
}
type Check = (value: unknown, seen: Seen) => void;

/** Proved for every case, whatever it expects: see `expectSound`, the second turn and the outcome's own rule. */
const ALWAYS: Check = () => {};

const KEYS: Readonly<Record<string, Check>> = {
  outcome: ALWAYS,
  history_intact: ALWAYS,
  every_call_answered: ALWAYS,
  next_turn_works: ALWAYS,
  no_crash: ALWAYS,
  // Read by the rule of the outcome.
  tool: ALWAYS,
  args: ALWAYS,
  calls: ALWAYS,
  why: ALWAYS,

  text: (value, { played }) => {
    expect(played.shown).toBe(value);
    expect(played.outcome.text.startsWith(String(value))).toBe(true);
    if (played.outcome.reason === "done") expect(played.outcome.text).toBe(value);
  },
  text_re: (value, { played }) => {
    expect(played.shown).toMatch(new RegExp(String(value), "s"));
    expect(played.outcome.text).toMatch(new RegExp(String(value), "s"));
  },
  text_one_of: (value, { played }) => expect(value).toContain(played.outcome.text),
  stored_equals_shown: (_, { played, messages }) => {
    expect(played.outcome.text).toBe(played.shown);
    expect(textsOf(messages)).toContain(played.shown);
  },
  stored_role: (value, { played, messages }) =>
    expect(messages.find((message) => textsOf([message]).includes(played.shown))?.role).toBe(value),
  // packages/app proves it with the text of this case: nothing is taken from what is stored.
  terminal_safe: (_, { played }) => expect(played.outcome.text).toContain("\u001b"),
  not_shown: (value, { played, next, messages }) => {
    const hidden = String(value);
    expect(played.shown).not.toContain(hidden);
    expect(JSON.stringify(played.replies)).not.toContain(hidden);
    expect(textsOf(messages).join("\n")).not.toContain(hidden);
    expect(next.requests.flatMap((request) => request.texts("assistant")).join("\n")).not.toContain(hidden);
  },
  message_not_re: (value, { played }) => {
    const told = [played.outcome.text, played.outcome.error?.message ?? "", ...played.replies.map(({ text }) => text)];
    expect(told.join("\n")).not.toMatch(new RegExp(String(value)));
  },
  usage: (value, { played: { outcome } }) =>
    expect({ in: outcome.usage.input, out: outcome.usage.output }).toEqual(value),

  attempts: (value, { played }) => expect(played.requests).toHaveLength(Number(value)),
  attempts_at_most: atMostRequests,
  max_attempts: atMostRequests,
  within_ms: (value, { played }) => expect(played.tookMs).toBeLessThan(Number(value)),
  rss_growth_below: (value, { played }) => expect(played.rssGrowth).toBeLessThan(Number(value)),
  key_not_sent_to: (_, { elsewhere }) => expect(elsewhere).toBe(0),

  never_executed: (value, { played }) => expect(played.executed.map(([name]) => name)).not.toContain(value),
  executed_once: (value, { played }) => expect(played.executed.map(([name]) => name)).toEqual([value]),
  executed_at_most: (value, { played }) => expect(played.executed.length).toBeLessThanOrEqual(Number(value)),
  executes_only_if: (_, { played }) => expect(played.executed).toEqual([]),
  // What the policy judged is what ran, and both are what JSON.parse gives: nothing was guessed.
  args_if_called: (value, { played }) => {
    expect(played.executed).toEqual(played.judged);
    if (value !== null)
      expect(played.executed.every(([, input]) => JSON.stringify(input) === JSON.stringify(value))).toBe(true);
  },
  name_sent_back_is_valid: (value, { played, next }) => {
    const names = [...played.requests, ...next.requests].flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name));
    expect(names).not.toEqual([]);
    for (const name of names) expect(name).toMatch(new RegExp(String(value)));
  },
  id: (value, { next }) => {
    // The runtime gives calls ids of its own: one id in both messages, and never that of the item.
    expect(["made up, used in both messages", "call_id c1, not item id f"]).toContain(value);
    const calls = next.requests[0]?.toolCalls.map(({ callId }) => callId);
    expect(calls).toEqual([expect.stringMatching(/^(?!f$)./)]);
    expect(calls).toEqual(next.requests[0]?.toolResults.map(({ callId }) => callId));
  },
  ids_distinct: (_, { next }) => {
    const ids = next.requests[0]?.toolCalls.map(({ callId }) => callId) ?? [];
    expect(new Set(ids).size).toBe(2);
  },
  next_request_has: (value, { played, next }) => {
    for (const request of [played.requests[1], next.requests[0]]) expect(request?.raw).toContain(value);
  },
  js: (value) => {
    expect(value).toBe("({}).polluted===undefined");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  },
};

export function checkKeys(seen: Seen): void {
  for (const [key, value] of Object.entries(seen.item.expect)) checkOf(key)(value, seen);
}

/** @throws Error for a key nobody gave a meaning. */
export function checkOf(key: string): Check {
  const check = KEYS[key];
  if (check === undefined) throw new Error(`no rule for the key ${key}`);
  return check;
}

function atMostRequests(value: unknown, { played }: Seen): void {
  expect(played.requests.length).toBeLessThanOrEqual(Number(value));
}

/** The text of each message as a person reads it back. */
function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.map((message) =>
    message.role === "assistant" ? message.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "",
  );
}
