import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createPromptHash, project } from "../../src/context/project.ts";
import type { SessionId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { emptyState } from "../../src/session/reduce.ts";
import { assistant, toolMessage, user } from "../support/wire-provider.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const state = (...messages: readonly Message[]): SessionState => ({ ...emptyState("s" as SessionId), messages });
const asks = (...ids: readonly string[]): Message =>
  assistant(ids.map((id) => ({ type: "tool-call", callId: id as never, name: "read_file", input: {} })));

test("results follow their calls in call order, whatever order they finished in", () => {
  const [call, a, b, next] = [asks("a", "b"), toolMessage("a", "1"), toolMessage("b", "2"), user("next")];
  expect(project(state(call, b, a, next))).toEqual([call, a, b, next]);
  expect(project(state(call, a, b, next))).toEqual([call, a, b, next]);
  expect(project(state(user("q"), call, b))).toEqual([user("q"), call, b]);
});

test("a result behind an answer that did not ask for it is left out, and a call without result stays", () => {
  const [call, a, other] = [asks("a", "b"), toolMessage("a", "1"), toolMessage("c", "3")];
  expect(project(state(call, a, other))).toEqual([call, a]);
  expect(project(state(call, other, a))).toEqual([call, a]);
});

test("CX1 the prompt hash of a session that grew is that of the same session read at once, and no other's", () => {
  const messages = [user("1"), asks("a"), toolMessage("a", "r"), user("2")];
  const growing = createPromptHash(hash);
  const seen = messages.map((_, at) => growing(state(...messages.slice(0, at + 1))));
  const fresh = messages.map((_, at) => createPromptHash(hash)(state(...messages.slice(0, at + 1))));
  expect(seen).toEqual(fresh);
  expect(new Set(seen).size).toBe(messages.length);
  const [, , , last] = messages;
  expect(growing(state(user("1"), asks("a"), toolMessage("a", "R"), last!))).not.toBe(seen.at(-1));
  expect(growing(state(...messages.toReversed()))).not.toBe(seen.at(-1));
});
