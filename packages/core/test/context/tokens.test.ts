import { expect, test } from "vitest";
import type { CallId, SessionId, TurnId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import { createTokenCounter } from "../../src/context/tokens.ts";
import { tokenFactor } from "../../src/session/reduce-turn.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";

const user: Message = {
  role: "user",
  id: "1",
  at: 0,
  from: { id: "u", kind: "person" },
  parts: [{ type: "text", text: "hello there, how are you today?" }],
};

test("CX4 an estimate counts system, tools and messages, and follows the reported factor", () => {
  const counter = createTokenCounter();
  const prefix = {
    hash: "h",
    system: "You are margay.",
    tools: [
      {
        name: "read_file",
        description: "Reads a file.",
        inputSchema: { type: "object", properties: { path: { type: "string" } } },
      },
    ],
  };
  const plain = counter.request(prefix, [user], 1);
  expect(plain).toBe(counter.prefix(prefix) + counter.message(user));
  expect(counter.request(prefix, [user], 2)).toBe(plain * 2);
  expect(counter.request(prefix, [user], Number.NaN)).toBe(plain);
  expect(counter.request(undefined, [], 1)).toBe(0);
});

test("CX4 a provider that reports no input says nothing about the estimate; a small number is damped and bounded", () => {
  const usage = { input: 0, output: 5, cacheRead: 0, cacheWrite: 0 };
  const fresh = emptyState("s" as SessionId);
  const started = reduce(
    fresh,
    { type: "turn.started", turn: "t" as TurnId, replyTo: { channel: "c", chat: "1" }, attended: true },
    0,
  );
  const state = { ...started, turn: { ...started.turn!, estimated: 100 } };
  const factors = [0, 1, 100, 100_000].map((input) => tokenFactor(state, { ...usage, input }));
  expect(factors).toEqual([1, (1 + 0.01) / 2, 1, 3]);
  expect(tokenFactor(state, { ...usage, input: 500, estimated: true })).toBe(1);
});

test("CX4 images, calls and reasoning cost something; a message is counted once", () => {
  const counter = createTokenCounter();
  const image: Message = {
    ...user,
    parts: [{ type: "media", mediaType: "image/png", blob: { sha256: "0", bytes: 3_000_000 } }],
  };
  expect(counter.message(image)).toBeGreaterThan(1_000);
  const long = "word ".repeat(40_000);
  let reads = 0;
  const part = {
    type: "text" as const,
    get text() {
      reads++;
      return long;
    },
  };
  const counted: Message = { ...user, parts: [part] };
  expect(counter.message(counted)).toBe(counter.message(counted));
  expect(reads).toBe(1);
  const call: Message = {
    role: "assistant",
    at: 0,
    model: { provider: "p", model: "m" },
    finish: "tool-calls",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    parts: [
      { type: "thinking", text: "so then", opaque: { signature: "abc" } },
      { type: "tool-call", callId: "c" as CallId, name: "exec", input: { command: "ls -la" } },
    ],
  };
  expect(counter.message(call)).toBeGreaterThan(20);
});
