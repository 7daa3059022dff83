// What a verdict costs in a long conversation (security.md, section 5: at most 0.1 ms a call).
import { expect, test } from "vitest";
import { slower } from "../support/slower.ts";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import type { Message, ToolCallPart } from "../../src/contract/message.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";

const MESSAGES = 10_000;
const ROUNDS = 50;

function message(number: number): Message {
  const text = `Line ${number}: see http://host${number % 97}.test/page/${number} about ${"words ".repeat(60)}`;
  if (number % 2 === 0)
    return {
      role: "user",
      id: `m-${number}`,
      at: 0,
      from: { id: "operator", kind: "person" },
      parts: [{ type: "text", text }],
    };
  return {
    role: "tool",
    at: 0,
    callId: `c-${number}` as CallId,
    name: "web_fetch",
    parts: [{ type: "text", text }],
    status: "ok",
    integrity: "untrusted",
  };
}

function conversation(): SessionState {
  const messages = Array.from({ length: MESSAGES }, (_, number) => message(number));
  const state = emptyState("s-1" as SessionId);
  const imported = reduce(state, { type: "history.imported", messages, rows: MESSAGES, consolidated: 0 }, 0);
  const turn = { type: "turn.started", turn: "t-1" as never, replyTo: ORIGIN, attended: true, message: "m-0" } as const;
  return reduce(imported, turn, 0);
}

const ORIGIN = { channel: "cli", chat: "direct" };
const CALLS: readonly (readonly [string, ToolCallPart["input"], "read" | "write", string])[] = [
  ["web_fetch", { url: "http://host3.test/page/100" }, "read", "allow"], // the operator named it
  ["web_fetch", { url: "http://host4.test/page/101" }, "read", "allow"], // a page named it
  ["web_fetch", { url: "http://host3.test/page/1?d=secret" }, "read", "ask"],
  ["message", { channel: "telegram", chat_id: "99999", content: "x" }, "write", "ask"],
  ["mcp_notes_save", { text: "words words words and not said" }, "write", "ask"],
  ["exec", { command: "ls" }, "write", "ask"],
];

test("R281 a verdict over ten thousand messages costs at most a tenth of a millisecond, with new ones behind each", async () => {
  const policy = createPolicy({ sandboxed: () => true, approvalTimeoutMs: () => 1000 });
  let state = conversation();
  const times: number[] = [];
  const before = slower();
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, input, effect, expected] of CALLS) {
      // Copied as a commit copies it: nothing is known of the new list by its identity.
      const { length } = state.messages;
      state = { ...state, messages: [...state.messages, message(length + 1), message(length)] };
      const call: ToolCallPart = { type: "tool-call", callId: "c-1" as CallId, name, input };
      const from = performance.now();
      const verdict = await policy.judge(call, { state, origin: ORIGIN, attended: true, effect });
      times.push(performance.now() - from);
      expect([name, verdict.kind]).toEqual([name, expected]);
    }
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  process.stdout.write(`policy.judge over ${MESSAGES} messages: median ${median.toFixed(4)} ms\n`);
  expect(median).toBeLessThanOrEqual(0.1 * Math.max(before, slower()));
});
