// What is written for the household while somebody else's words are in view: what was just said, and what stands there.
import { expect, test } from "vitest";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import type { SessionState } from "../../src/contract/session.ts";
import type { Message, UserMessage } from "../../src/contract/message.ts";
import { emptyState } from "../../src/session/reduce.ts";
import { isSaid } from "../../src/people/shared-writes.ts";

function said(id: string, text: string, more: Partial<UserMessage> = {}): UserMessage {
  return { role: "user", id, at: 0, from: { id: "1", kind: "person" }, parts: [{ type: "text", text }], ...more };
}

/** A turn that the last message opened, in a context with somebody else's words. */
function after(...messages: readonly Message[]): SessionState {
  const last = messages.findLast((message) => message.role === "user");
  // Nothing else of a turn is asked for here.
  const turn = { opening: last?.id } as NonNullable<SessionState["turn"]>;
  const label = { integrity: "untrusted", confidentiality: "public" } as const;
  return { ...emptyState("s-1" as SessionId), messages, turn, label };
}

async function written(text: string, message: string, before?: string, path = "list.md"): Promise<boolean> {
  return isSaid({ path, text, now: () => Promise.resolve(before) }, after(said("m1", message)));
}

test.for([
  ["- [ ] eggs\n- [ ] Oat milk", "put oat milk on the list", "- [ ] eggs"],
  ["- [x] eggs", "the eggs are bought", "- [ ] eggs"],
  ["| milk | 2 l |", "2 l of milk!", ""],
  ["~~milk~~", "no milk", "milk"],
  ["牛奶\n面包", "请加牛奶", "面包"],
  ["café, naïve", "CAFÉ naïve", ""],
  ["", "empty it", "eggs"],
  ["🥛", "a 🥛 please", ""],
] as const)("PE48 PE42 %s is what was said in %s, beside %s", async ([text, message, before]) => {
  expect(await written(text, message, before)).toBe(true);
});

test.for([
  ["the PIN is 7351", "put the PIN is there", ""],
  ["7351", "note 7 3 5 1", ""],
  ["milk milk", "milk", ""], // what is repeated can be counted
  ["pinsafe", "pin safe", ""],
  ["cGlu", "note the pin", ""],
  ["牛奶奶", "牛奶", ""],
  ["milk\u{e0070}\u{e0069}", "milk", ""], // what nobody sees
  ["milk\u200b", "milk", ""],
  ["🥛🥛", "a 🥛", ""],
] as const)("PE48 PE41 %s is not what was said in %s", async ([text, message, before]) => {
  expect(await written(text, message, before)).toBe(false);
});

test("PE48 the name of a new file is read too, and that of one which is there is known", async () => {
  expect(await written("milk", "milk on the list", undefined)).toBe(true);
  expect(await written("milk", "milk", undefined, "pin-7351.md")).toBe(false);
  expect(await written("milk", "milk", "", "pin-7351.md")).toBe(true);
});

test("PE48 only what who asks said in this turn counts: not what they said before, not what others or the agent say", async () => {
  const write = { path: "a", text: "the pin", now: () => Promise.resolve("") };
  const pin = "the pin";
  expect(await isSaid(write, after(said("m1", pin)))).toBe(true);
  expect(await isSaid(write, after(said("m1", pin), said("m2", "go on")))).toBe(false);
  expect(await isSaid(write, after(said("m1", pin, { integrity: "untrusted" })))).toBe(false);
  expect(await isSaid(write, after(said("m1", pin, { from: { id: "2", kind: "agent" } })))).toBe(false);
  const result: Message = {
    role: "tool",
    at: 0,
    callId: "c" as CallId,
    name: "read_file",
    parts: [{ type: "text", text: pin }],
    status: "ok",
  };
  expect(await isSaid(write, after(said("m1", "go on"), result))).toBe(false);
  const trusted: SessionState = {
    ...after(said("m1", "go on")),
    label: { integrity: "trusted", confidentiality: "public" },
  };
  expect(await isSaid(write, trusted)).toBe(true);
});
