// What a call asks while it runs: real journal, real policy, a tool that asks as `exec` does.
import { expect, test } from "vitest";
import type { Approval } from "../../src/contract/agent.ts";
import type { SavedRule } from "../../src/contract/grant.ts";
import { grantKey } from "../../src/lib/grant-key.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { callsTools } from "../../src/internal-testing.ts";
import { callsTool, says } from "../../src/testing.ts";
import { defineTool } from "../../src/tools/define.ts";
import { CHAT, ofType, startAgent, type Started } from "../support/agent.ts";

const ANN = { id: "ann", kind: "person" } as const;

/** Asks for one host after the other and says what it heard. */
const knocking = (name: string): Tool =>
  defineTool<{ readonly hosts: readonly string[] }>({
    name,
    description: "Asks.",
    input: { properties: { hosts: { type: "array", items: { type: "string" } } }, required: ["hosts"] },
    effect: "write",
    timeoutMs: 0,
    execute: async ({ hosts }, { ask, signal }) => {
      const heard: string[] = [];
      for (const host of hosts) {
        const grant = { rule: "network", tool: "knock", scope: { host }, shown: `knock: ${host}` };
        const prompt = { en: `knock wants ${host}`, "zh-CN": `knock 要连接 ${host}` };
        const answer = await ask?.({ grant, remember: true, prompt, why: "It is new.", waitMs: 45_000 }, signal);
        heard.push(`${host} ${answer?.verdict}`);
      }
      return heard.join(", ");
    },
  });

async function start(t: Parameters<typeof startAgent>[0]): Promise<Started & { readonly rules: SavedRule[] }> {
  const rules: SavedRule[] = [];
  const saved = {
    list: () => rules,
    save: (grant: Omit<SavedRule, "id" | "by" | "at">, by: string) => {
      const rule = { ...grant, id: grantKey(grant), by, at: 0 };
      rules.push(rule);
      return Promise.resolve(rule);
    },
  };
  const policy = createPolicy({
    rules: [{ tool: "*", action: "allow" }],
    sandboxed: () => true,
    approvalTimeoutMs: () => 300_000,
    saved,
  });
  return { ...(await startAgent(t, { tools: [knocking("knock"), knocking("exec")], policy })), rules };
}

async function asked({ agent }: Started, prompt: string): Promise<Approval> {
  const found = async (): Promise<Approval | undefined> =>
    (await agent.approvals()).find((each) => each.prompt === prompt);
  await expect.poll(found).toBeDefined();
  const approval = await found();
  if (approval === undefined) throw new Error("nothing waits");
  return approval;
}

const heard = async (started: Started): Promise<readonly string[]> =>
  ofType(await started.records(), "tool.finished").map(({ message }) => JSON.stringify(message.parts));

test("SC20 an answer for an earlier question never answers a later one of the same call", async (t) => {
  const started = await start(t);
  started.model.replies(callsTool("knock", { hosts: ["a.test", "b.test"] }), says("done"));
  const turn = started.agent.send(CHAT, "go").finished;
  const first = await asked(started, "knock wants a.test");
  const allow = (hash: string) => started.agent.control(CHAT, { type: "allow", call: first.call, hash }, ANN);
  expect((await allow(first.hash)).done).toBe(true);
  const second = await asked(started, "knock wants b.test");
  expect(second.call).toBe(first.call);
  expect((await allow(first.hash)).done).toBe(false);
  expect(await started.agent.approvals()).toMatchObject([{ hash: second.hash, during: true }]);
  // Without a hash, as it is typed in a chat: the one that waits.
  expect((await started.agent.control(CHAT, { type: "deny", call: first.call }, ANN)).done).toBe(true);
  await turn;
  expect(await heard(started)).toEqual([expect.stringContaining("a.test allow, b.test deny")]);
  const replies = ofType(await started.records(), "reply.queued").filter(({ kind }) => kind === "approval");
  expect(replies.map(({ parts }) => JSON.stringify(parts))).toEqual([
    expect.stringContaining("knock wants a.test"),
    expect.stringContaining("knock wants b.test"),
  ]);
});

test("SC20 a yes that comes late is taken by the next call that asks the same, once", async (t) => {
  const started = await start(t);
  const call = callsTool("knock", { hosts: ["a.test", "b.test"] });
  started.model.replies(call, callsTool("knock", { hosts: ["a.test", "a.test"] }), says("done"));
  const turn = started.agent.send(CHAT, "go").finished;
  const late = await asked(started, "knock wants a.test");
  await started.clock.waitForSleep(45_000, 45_000);
  await started.clock.advance(45_000);
  const other = await asked(started, "knock wants b.test");
  await started.agent.control(CHAT, { type: "allow", call: late.call, hash: late.hash }, ANN);
  await started.agent.control(CHAT, { type: "deny", call: other.call, hash: other.hash }, ANN);
  const again = await asked(started, "knock wants a.test");
  expect(again.call).not.toBe(late.call);
  await started.agent.control(CHAT, { type: "deny", call: again.call, hash: again.hash }, ANN);
  await turn;
  expect(await heard(started)).toEqual([
    expect.stringContaining("a.test late, b.test deny"),
    expect.stringContaining("a.test allow, a.test deny"),
  ]);
  expect(ofType(await started.records(), "question.closed").map(({ because }) => because)).toEqual(["late", "used"]);
});

test("SC21 where nobody is, nobody is asked; what is kept for all chats holds there, for this chat does not", async (t) => {
  const started = await start(t);
  const go = async (attended: boolean): Promise<string> => {
    started.model.replies(callsTool("knock", { hosts: ["a.test"] }), says("done"));
    await started.agent.send(CHAT, "go", { attended }).finished;
    return (await heard(started)).at(-1) ?? "";
  };
  expect(await go(false)).toContain("a.test nobody");
  started.model.replies(callsTool("knock", { hosts: ["a.test"] }), says("done"));
  const turn = started.agent.send(CHAT, "go").finished;
  const question = await asked(started, "knock wants a.test");
  const { call, hash } = question;
  expect(question.choices).toEqual(["once", "session", "always"]);
  await started.agent.control(CHAT, { type: "allow", call, hash, remember: "session" }, ANN);
  await turn;
  expect(await go(true)).toContain("a.test allow");
  expect(await go(false)).toContain("a.test nobody");
  const { rule, tool, scope, shown } = { rule: "network", tool: "knock", scope: { host: "a.test" }, shown: "x" };
  started.rules.push({ id: "1", rule, tool, scope, shown, by: "ann", at: 0 });
  expect(await go(false)).toContain("a.test allow");
  expect(ofType(await started.records(), "call.asked")).toHaveLength(1);
});

test("SC20 stopped while the question is open: the call ends, and the question with the turn", async (t) => {
  const started = await start(t);
  started.model.replies(callsTool("knock", { hosts: ["a.test"] }));
  const turn = started.agent.send(CHAT, "go").finished;
  const { call, hash } = await asked(started, "knock wants a.test");
  await started.agent.control(CHAT, { type: "stop", withdraw: false }, ANN);
  expect((await turn).reason).toBe("cancelled");
  expect(await started.agent.approvals()).toEqual([]);
  expect((await started.agent.control(CHAT, { type: "allow", call, hash }, ANN)).done).toBe(false);
});

test("SC20 R39 commands that run at once and want the same host ask once: a yes for this chat is for all of them, and so is silence", async (t) => {
  const started = await start(t);
  const both = callsTools([1, 2, 3].map(() => ({ name: "exec", args: { hosts: ["a.test"] } })));
  const go = (): Promise<unknown> => started.agent.send(CHAT, "go").finished;
  const begun = async (): Promise<number> => ofType(await started.records(), "tool.started").length;
  started.model.replies(both, says("done"), both, says("done"));
  const silent = go();
  await asked(started, "knock wants a.test");
  await expect.poll(begun).toBe(3);
  expect(await started.agent.approvals()).toHaveLength(1);
  await started.clock.waitForSleep(45_000, 45_000);
  await started.clock.advance(45_000);
  await silent;
  expect(await heard(started)).toEqual([1, 2, 3].map(() => expect.stringContaining("a.test late")));
  const answered = go();
  const { call, hash } = await asked(started, "knock wants a.test");
  await expect.poll(begun).toBe(6);
  expect(await started.agent.approvals()).toHaveLength(1);
  await started.agent.control(CHAT, { type: "allow", call, hash, remember: "session" }, ANN);
  await answered;
  expect((await heard(started)).slice(3)).toEqual([1, 2, 3].map(() => expect.stringContaining("a.test allow")));
  expect(ofType(await started.records(), "call.asked")).toHaveLength(2);
});

test("SC20 R39 a yes for once is for the command that asked: its neighbor asks anew", async (t) => {
  const started = await start(t);
  started.model.replies(callsTools([1, 2].map(() => ({ name: "exec", args: { hosts: ["a.test"] } }))), says("done"));
  const turn = started.agent.send(CHAT, "go").finished;
  const first = await asked(started, "knock wants a.test");
  await started.agent.control(CHAT, { type: "allow", call: first.call, hash: first.hash }, ANN);
  const second = async (): Promise<Approval | undefined> =>
    (await started.agent.approvals()).find(({ call }) => call !== first.call);
  await expect.poll(second).toBeDefined();
  const { call = first.call, hash = "" } = (await second()) ?? {};
  await started.agent.control(CHAT, { type: "deny", call, hash }, ANN);
  await turn;
  expect((await heard(started)).toSorted()).toEqual([
    expect.stringContaining("a.test allow"),
    expect.stringContaining("a.test deny"),
  ]);
});
