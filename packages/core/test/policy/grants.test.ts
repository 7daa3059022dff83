import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CallId, JsonObject, SessionId } from "../../src/contract/base.ts";
import type { Grant, SavedRule, CallFiles } from "../../src/contract/grant.ts";
import type { JudgeContext, Verdict } from "../../src/contract/policy.ts";
import { createPolicy, type PolicyOptions } from "../../src/policy/policy.ts";
import { emptyState } from "../../src/session/reduce.ts";

interface Sample {
  readonly name: string;
  readonly input: JsonObject;
  readonly callFiles: CallFiles;
}

const OPTIONS: PolicyOptions = {
  sandboxed: () => false,
  approvalTimeoutMs: () => 300_000,
  classifyCommand: (command) => ({ verdict: command.includes("rm") ? "deny-listed" : "ok", pattern: "rm" }),
  classifyPath: (path) => (path.startsWith("/") ? "outside" : path === "AGENTS.md" ? "protected" : "inside"),
  pinOf: (tool) => (tool.includes("unpinned") ? undefined : "pin-1"),
};

function judge(
  sample: Sample,
  where: Partial<JudgeContext> = {},
  more: Partial<PolicyOptions> = {},
): Verdict | Promise<Verdict> {
  const { name, input, callFiles } = sample;
  return createPolicy({ ...OPTIONS, ...more }).judge(
    { type: "tool-call", callId: "call-2" as CallId, name, input },
    {
      state: emptyState("chat" as SessionId),
      origin: { channel: "web", chat: "1" },
      attended: true,
      effect: "write",
      callFiles,
      ...where,
    },
  );
}

function inChat(grant: Grant): Partial<JudgeContext> {
  return { state: { ...emptyState("chat" as SessionId), grants: [{ ...grant, by: "ann", call: "call-1" as CallId }] } };
}

function inAll(grant: Grant): Pick<PolicyOptions, "saved"> {
  const rule: SavedRule = { ...grant, id: "rule-1", by: "ann", at: 0 };
  return { saved: { list: () => [rule], save: () => Promise.resolve(rule) } };
}

async function grantOf(sample: Sample): Promise<Grant | undefined> {
  const verdict = await judge(sample);
  return verdict.kind === "ask" ? verdict.grant : undefined;
}

const WORDS = fc.oneof(
  fc.constantFrom("ls", "ls ", "make", "rm -rf /", "a\u202eb", "sh x.sh"),
  fc.string({ maxLength: 6 }),
);
const SAMPLES: fc.Arbitrary<Sample> = fc.oneof(
  fc
    .record({
      command: WORDS,
      timeout: fc.option(fc.integer({ min: 1, max: 2 })),
      directory: fc.constantFrom("/w", "/w/sub"),
      scripts: fc.dictionary(fc.constantFrom("/w/x.sh", "/w/y.sh"), fc.constantFrom("h1", "h2"), { maxKeys: 2 }),
    })
    .map(({ command, timeout, directory, scripts }) => ({
      name: "exec",
      input: { command, ...(timeout !== null && { timeout }) },
      callFiles: { workspace: "/w", directory, scripts },
    })),
  fc
    .record({
      name: fc.constantFrom("write_file", "edit_file"),
      path: fc.constantFrom("/etc/a", "/etc/b", "/etc/a ", "AGENTS.md", "notes.md"),
      content: WORDS,
    })
    .map(({ name, path, content }) => ({
      name,
      input: { path, content },
      callFiles: { workspace: "/w", target: path },
    })),
  fc
    .record({ channel: fc.constantFrom("web", "telegram"), chat_id: fc.constantFrom("1", "2"), content: WORDS })
    .map((input) => ({ name: "message", input, callFiles: { workspace: "/w" } })),
  fc
    .record({
      name: fc.constantFrom("mcp_a_send", "mcp_a_drop", "mcp_unpinned_x"),
      input: fc.dictionary(fc.constantFrom("to", "text"), WORDS, { maxKeys: 2 }),
    })
    .map(({ name, input }) => ({ name, input, callFiles: { workspace: "/w" } })),
);

/** The arguments that a person is told a yes covers, said again without the code under test. */
function shownOf({ name, input, callFiles: { directory, scripts = {} } }: Sample): string {
  const files = Object.keys(scripts)
    .toSorted()
    .map((path) => [path, scripts[path]]);
  if (name === "exec") return JSON.stringify([name, input["command"], input["timeout"], directory, files]);
  if (name === "message") return JSON.stringify([name, input["channel"], input["chat_id"]]);
  return JSON.stringify(name.startsWith("mcp_") ? [name] : [name, input["path"]]);
}

test("SE1 a yes for the chat or for all covers what was shown, and no call that differs in it", async () => {
  await fc.assert(
    fc.asyncProperty(SAMPLES, SAMPLES, async (first, second) => {
      const grant = await grantOf(first);
      if (grant === undefined) return;
      const plain = await judge(second);
      for (const verdict of [await judge(second, inChat(grant)), await judge(second, {}, inAll(grant))]) {
        const lifted = plain.kind === "ask" && verdict.kind === "allow";
        expect(lifted).toBe(plain.kind === "ask" && shownOf(first) === shownOf(second));
        expect(lifted ? "allow" : plain.kind).toBe(verdict.kind);
      }
      // Nobody is there: what a person allowed while they were does not hold.
      for (const where of [{ attended: false }, { ...inChat(grant), attended: false }])
        expect((await judge(first, where, inAll(grant))).kind).toBe("ask");
    }),
    { numRuns: 1000 },
  );
});

const LS: Sample = {
  name: "exec",
  input: { command: "ls" },
  callFiles: { workspace: "/w", directory: "/w" },
};

test("SE1 a yes to any text to somebody is none to a file for them", async () => {
  const to = { channel: "chat", chat_id: "99" };
  const sample = (input: JsonObject): Sample => ({ name: "message", input, callFiles: { workspace: "/w" } });
  const text = sample({ ...to, content: "hello" });
  const grant = await grantOf(text);
  if (grant === undefined) throw new Error("nothing to remember");
  expect((await judge(text, inChat(grant))).kind).toBe("allow");
  expect((await judge(sample({ ...to, content: "hello", media: [] }), inChat(grant))).kind).toBe("allow");
  const file = sample({ ...to, content: "hello", media: ["taxes.pdf"] });
  for (const verdict of [await judge(file, inChat(grant)), await judge(file, {}, inAll(grant))]) {
    expect(verdict).toMatchObject({ kind: "ask" });
    expect(verdict).not.toHaveProperty("grant");
  }
});

test("what a deny list, a protected file or the operator's own rules ask about is asked each time", async () => {
  const asks: readonly [Sample, Partial<PolicyOptions>][] = [
    [{ ...LS, input: { command: "rm x" } }, {}],
    [{ name: "write_file", input: { path: "AGENTS.md" }, callFiles: { workspace: "/w", target: "/w/AGENTS.md" } }, {}],
    [LS, { rules: [{ tool: "exec", action: "ask" }] }],
    [{ name: "mcp_unpinned_x", input: { id: 1 }, callFiles: { workspace: "/w" } }, {}],
  ];
  for (const [sample, more] of asks) {
    const verdict = await judge(sample, {}, more);
    expect(verdict).toMatchObject({ kind: "ask" });
    expect(verdict).not.toHaveProperty("grant");
  }
});

test("a rule of the configuration comes before a remembered yes, and a refusal stays one", async () => {
  const grant = await grantOf(LS);
  if (grant === undefined) throw new Error("nothing to remember");
  for (const action of ["ask", "deny"] as const) {
    const rules = [{ tool: "exec", action }];
    expect((await judge(LS, inChat(grant), { ...inAll(grant), rules })).kind).toBe(action);
  }
  const listed = {
    ...inAll(grant),
    classifyCommand: () => ({ verdict: "deny-listed" }),
    denyAction: "refuse",
  } as const;
  expect((await judge(LS, inChat(grant), listed)).kind).toBe("deny");
  expect(await judge(LS, inChat(grant))).toEqual({ kind: "allow", rule: "chat call-1", by: "ann" });
  expect(await judge(LS, {}, inAll(grant))).toEqual({ kind: "allow", rule: "saved rule-1", by: "ann" });
});

test("a tool of an MCP server that was changed is another tool", async () => {
  const send: Sample = { name: "mcp_a_send", input: { to: "x" }, callFiles: { workspace: "/w" } };
  const grant = await grantOf(send);
  if (grant === undefined) throw new Error("nothing to remember");
  expect((await judge(send, {}, inAll(grant))).kind).toBe("allow");
  expect((await judge(send, {}, { ...inAll(grant), pinOf: () => "pin-2" })).kind).toBe("ask");
});

test("a yes to a message is for the chat it goes to: what the call leaves out is the asking chat's", async () => {
  const message = (input: JsonObject): Sample => ({
    name: "message",
    input: { content: "hi", ...input },
    callFiles: { workspace: "/w" },
  });
  const grants = [await grantOf(message({ chat_id: "2" })), await grantOf(message({ channel: "telegram" }))];
  expect(grants).toMatchObject([
    { scope: { channel: "web", chat: "2" }, shown: "message: web 2\n(any text)" },
    { scope: { channel: "telegram", chat: "1" }, shown: "message: telegram 1\n(any text)" },
  ]);
  const elsewhere = { ...inChat(grants[0]!), origin: { channel: "telegram", chat: "1" } };
  expect(await judge(message({ chat_id: "2" }), elsewhere)).toMatchObject({ kind: "ask" });
  expect(await judge(message({ channel: "web", chat_id: "2" }), elsewhere)).toMatchObject({ kind: "allow" });
});
