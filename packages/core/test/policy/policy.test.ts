import { expect, test } from "vitest";
import type { CallId, Json, SessionId } from "../../src/contract/base.ts";
import type { ToolCallPart } from "../../src/contract/message.ts";
import type { JudgeContext, Verdict } from "../../src/contract/policy.ts";
import { createPolicy, type PolicyOptions, type PolicyRule } from "../../src/policy/policy.ts";
import { emptyState } from "../../src/session/reduce.ts";

const origin = { channel: "telegram", chat: "42" };
const context: JudgeContext = {
  state: { ...emptyState("telegram-42-00000000" as SessionId), key: "telegram:42" },
  origin,
  attended: true,
  effect: "write",
};

function call(name: string, input: Json): ToolCallPart {
  return { type: "tool-call", callId: "call-1" as CallId, name, input };
}
function judge(
  name: string,
  input: Json,
  rules: readonly PolicyRule[],
  options: Partial<PolicyOptions> = {},
  where: Partial<JudgeContext> = {},
): Verdict | Promise<Verdict> {
  const policy = createPolicy({ rules, sandboxed: () => true, approvalTimeoutMs: () => 300_000, ...options });
  return policy.judge(call(name, input), { ...context, ...where });
}

function listing(danger?: string): Partial<PolicyOptions> {
  return {
    classifyCommand: () => ({ verdict: "deny-listed", pattern: "mkfs", ...(danger !== undefined && { danger }) }),
    denyAction: "ask",
  };
}

test.each<[string, Json]>([
  ["as it is", { command: "shutdown" }],
  ["with a directory", { command: "shutdown", working_dir: "/" }],
  ["with an empty directory", { command: "shutdown", working_dir: "" }],
  ["with the keys the other way round", { working_dir: "/", command: "shutdown" }],
])("R386 a rule for exec is matched with the command alone: %s", async (_name, input) => {
  expect(await judge("exec", input, [{ tool: "exec", action: "deny", match: "^shutdown$" }])).toMatchObject({
    kind: "deny",
    rule: "rule exec",
  });
});

test("R386 what a rule asks about shows the directory too", async () => {
  const input = { command: "ls", working_dir: "/srv" };
  expect(await judge("exec", input, [{ tool: "exec", action: "ask", match: "^ls$" }])).toMatchObject({
    kind: "ask",
    prompt: expect.stringMatching(/^exec: ls.*in \/srv/s),
  });
});

test.each<[string, Json]>([
  ["as in the rule", { method: "DELETE", url: "https://a.test/x" }],
  ["the other way round", { url: "https://a.test/x", method: "DELETE" }],
  ["with another between", { method: "DELETE", other: 1, url: "https://a.test/x" }],
])("R386 the order in which the model writes arguments does not get around a rule: %s", async (_name, input) => {
  const rule: PolicyRule = { tool: "mcp_*", action: "deny", match: '"method":"DELETE".*"url":"https://a' };
  expect(await judge("mcp_http_request", input, [rule])).toMatchObject({ kind: "deny", rule: "rule mcp_*" });
});

test("R386 the first rule that fits decides: tool, session and arguments", async () => {
  const rules: readonly PolicyRule[] = [
    { tool: "exec", action: "allow", match: "^git status$" },
    { tool: "exec", action: "deny", session: "telegram:42" },
    { tool: "*", action: "ask" },
  ];
  expect(await judge("exec", { command: "git status" }, rules)).toMatchObject({ kind: "allow" });
  expect(await judge("exec", { command: "git status; rm x" }, rules)).toMatchObject({ kind: "deny" });
  expect(await judge("read_file", { path: "x" }, rules)).toMatchObject({ kind: "ask", rule: "rule *" });
  const elsewhere = { state: { ...context.state, key: "cli:direct" } };
  expect(await judge("exec", { command: "rm x" }, rules, {}, elsewhere)).toMatchObject({ kind: "ask" });
});

test("R386 a rule names one tool; with a star at its end all that begin like it, and no others", async () => {
  const verdictOf = async (tool: string, name: string): Promise<string> =>
    (await judge(name, { path: "x" }, [{ tool, action: "deny" }])).kind;
  expect([await verdictOf("read_file", "read_file"), await verdictOf("read_*", "read_file")]).toEqual(["deny", "deny"]);
  for (const name of ["read_fill", "read_files", "read_fil"])
    expect([name, await verdictOf("read_file", name)]).not.toEqual([name, "deny"]);
  expect(await verdictOf("read_*", "reads")).not.toBe("deny");
});

test("an allow of the operator does not lift the deny list; unattended the list refuses", async () => {
  const rules: readonly PolicyRule[] = [{ tool: "exec", action: "allow" }];
  const classifyCommand = (): { verdict: string; pattern: string } => ({ verdict: "deny-listed", pattern: "mkfs" });
  const listed = { classifyCommand, denyAction: "refuse" } as const;
  expect(await judge("exec", { command: "mkfs" }, rules, listed)).toMatchObject({
    kind: "deny",
    rule: "exec deny list",
  });
  const asking = { classifyCommand, denyAction: "ask" } as const;
  expect(await judge("exec", { command: "mkfs" }, [], asking)).toMatchObject({ kind: "ask", rule: "exec deny list" });
  expect(await judge("exec", { command: "mkfs" }, rules, asking, { attended: false })).toMatchObject({ kind: "deny" });
});

test("R246 a job may not make jobs, whatever the rules say", async () => {
  const rules: readonly PolicyRule[] = [{ tool: "cron", action: "allow" }];
  const inJob = { origin: { channel: "cron", chat: "job-1" } };
  expect(await judge("cron", { action: "add" }, rules, {}, inJob)).toMatchObject({ kind: "deny" });
  expect(await judge("cron", { action: "add" }, rules)).toMatchObject({ kind: "allow" });
});

test.each<[string, string, Json, boolean]>([
  ["the tool for it", "remember", { text: "x" }, true],
  ["its file", "write_file", { path: "memory/MEMORY.md" }, true],
  ["its file from the root", "edit_file", { path: "/srv/notes/memory/HISTORY.md" }, true],
  ["through a folder and back", "write_file", { path: "memory/x/../MEMORY.md" }, true],
  ["in capitals", "write_file", { path: "Memory/memory.MD" }, true],
  ["with backslashes and a dot at the end", "edit_file", { path: "memory\\MEMORY.md." }, true],
  ["another file there", "write_file", { path: "memory/notes.md" }, false],
  ["a file of that name elsewhere", "write_file", { path: "docs/MEMORY.md" }, false],
  ["reading it", "read_file", { path: "memory/MEMORY.md" }, false],
])("a temporary chat writes nothing into memory: %s", async (_, tool, input, isRefused) => {
  const refused = { kind: "deny", rule: "temporary chat" };
  const inTemporary = { state: { ...context.state, key: "temporary:1" } };
  const temporary = await judge(tool, input, [], {}, inTemporary);
  expect("rule" in temporary && temporary.rule === "temporary chat").toBe(isRefused);
  expect(await judge(tool, input, [])).not.toMatchObject(refused);
});

test.each<[string, string, Json, Partial<PolicyOptions>, string, readonly string[]]>([
  [
    "a command of the deny list",
    "exec",
    { command: "mkfs" },
    { sandboxed: () => true, ...listing() },
    "The command is on the deny list.",
    ["destructive"],
  ],
  [
    "a command of it whose harm is known",
    "exec",
    { command: "mkfs" },
    listing("takes-the-disk"),
    "The command is on the deny list.",
    ["takes-the-disk"],
  ],
  [
    "one without a sandbox",
    "exec",
    { command: "mkfs" },
    { sandboxed: () => false, ...listing() },
    "The command is on the deny list.",
    ["destructive", "no-sandbox"],
  ],
  [
    "any command without a sandbox",
    "exec",
    { command: "ls" },
    { sandboxed: () => false },
    "Commands run without a sandbox here.",
    ["no-sandbox"],
  ],
  [
    "a protected file",
    "write_file",
    { path: "x" },
    { classifyPath: () => "protected", sandboxed: () => false },
    "The file steers the agent, or runs by itself.",
    ["instructions"],
  ],
  [
    "a file outside",
    "write_file",
    { path: "/x" },
    { classifyPath: () => "outside" },
    "The file is outside the workspace.",
    ["outside-workspace"],
  ],
  [
    "another chat",
    "message",
    { chat_id: "7" },
    {},
    "The message goes to another chat than this one.",
    ["reaches-others"],
  ],
  [
    "a tool of a server",
    "mcp_a_b",
    { q: "x" },
    {},
    "The tool of an MCP server may change things there.",
    ["outside-service"],
  ],
  [
    "characters nobody sees",
    "mcp_a_b",
    { q: "x\u200b" },
    {},
    "The tool of an MCP server may change things there.",
    ["outside-service", "hidden-characters"],
  ],
])("a person who is asked reads why, and what is at stake: %s", async (_name, tool, input, options, why, risks) => {
  expect(await judge(tool, input, [], options)).toMatchObject({ kind: "ask", why, risks });
});

test("a question that a rule of the operator asks says so", async () => {
  expect(await judge("read_file", { path: "x" }, [{ tool: "*", action: "ask" }])).toMatchObject({
    why: "The operator's rules ask about read_file.",
    risks: [],
  });
});
