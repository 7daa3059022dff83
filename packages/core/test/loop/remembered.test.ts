// What was answered for longer than once: a real policy, the real exec, journals on disk.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execTool } from "../../src/builtin/exec/exec.ts";
import type { Approval } from "../../src/contract/agent.ts";
import type { SavedRule } from "../../src/contract/grant.ts";
import { grantKey } from "../../src/lib/grant-key.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import { callsTool, says } from "../../src/testing.ts";
import { callsTools } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, type Started, type StartOptions } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";

const ANN = { id: "ann", kind: "person" } as const;

async function start(t: Parameters<typeof startAgent>[0]) {
  const folder = await temporaryFolder();
  t.onTestFinished(async () => {
    await folder[Symbol.asyncDispose]();
  });
  const rules: SavedRule[] = [];
  const options: StartOptions = {
    tools: [execTool({ directory: folder.at("exec"), environment: { PATH: process.env["PATH"] } })],
    policy: createPolicy({
      sandboxed: () => false,
      approvalTimeoutMs: () => 300_000,
      saved: {
        list: () => rules,
        save: (grant, by) => {
          const rule = { ...grant, id: grantKey(grant), by, at: 0 };
          rules.push(rule);
          return Promise.resolve(rule);
        },
      },
    }),
  };
  return { started: await startAgent(t, options), rules };
}

async function asked({ agent }: Started): Promise<Approval> {
  await expect.poll(async () => (await agent.approvals()).length).toBe(1);
  const [approval] = await agent.approvals();
  if (approval === undefined) throw new Error("nothing waits");
  return approval;
}

const COUNT = { command: "echo ran >> count" };

test("R78 a yes for this chat is in the journal: it holds after a restart, not in a fork, and not after /new", async (t) => {
  const { started } = await start(t);
  started.model.replies(callsTool("exec", COUNT), says("one"), callsTool("exec", COUNT), says("two"));
  const turn = started.agent.send(CHAT, "count").finished;
  const { call, hash, choices, grant } = await asked(started);
  expect([choices, grant?.shown]).toEqual([
    ["once", "session", "always"],
    `exec: echo ran >> count\n(in ${started.workspace})`,
  ]);
  expect(await started.agent.control(CHAT, { type: "allow", call, hash, remember: "session" }, ANN)).toMatchObject({
    done: true,
  });
  await turn;
  const second = await started.restart();
  expect((await second.agent.send(CHAT, "again").finished).text).toBe("two");
  expect(readFileSync(join(second.workspace, "count"), "utf8")).toBe("ran\nran\n");
  expect(ofType(await second.records(), "call.judged").at(-1)).toMatchObject({
    verdict: "allow",
    rule: `chat ${call}`,
    by: "ann",
  });
  await second.agent.sessions.fork(CHAT, "test:fork");
  for (const [key, text] of [
    ["test:fork", "here too"],
    [CHAT, "/new"],
  ] as const) {
    if (text === "/new")
      await second.agent.bus.accept({
        key: "new",
        origin: { channel: "test", chat: "1" },
        from: ANN,
        parts: [{ type: "text", text }],
        sessionKey: CHAT,
      });
    second.model.replies(callsTool("exec", COUNT), says("no"));
    const answer = second.agent.send(key, "once more").finished;
    const question = await asked(second);
    await second.agent.control(key, { type: "deny", call: question.call }, ANN);
    await answer;
  }
});

test("a yes for all chats is a rule before the answer is recorded, and counts in another chat", async (t) => {
  const { started, rules } = await start(t);
  started.model.replies(callsTool("exec", COUNT), says("one"), callsTool("exec", COUNT), says("two"));
  const turn = started.agent.send(CHAT, "count").finished;
  const { call, hash } = await asked(started);
  await started.agent.control(CHAT, { type: "allow", call, hash, remember: "always" }, ANN);
  await turn;
  expect(rules).toMatchObject([{ tool: "exec", by: "ann" }]);
  expect(ofType(await started.records(), "approval.resolved")).toMatchObject([{ remember: "always", by: "ann" }]);
  expect((await started.agent.send("test:2", "count").finished).text).toBe("two");
  rules.length = 0;
  started.model.replies(callsTool("exec", COUNT), says("three"));
  const third = started.agent.send("test:2", "count").finished;
  await started.agent.control("test:2", { type: "deny", call: (await asked(started)).call }, ANN);
  await third;
});

test("SE1 a script that was changed after it was shown is asked about again, and does not run unseen", async (t) => {
  const { started } = await start(t);
  const script = join(started.workspace, "job.sh");
  writeFileSync(script, "echo good >> out");
  started.model.replies(callsTool("exec", { command: "sh job.sh" }), says("done"));
  const turn = started.agent.send(CHAT, "run it").finished;
  const shown = await asked(started);
  writeFileSync(script, "echo bad >> out");
  const allow = { type: "allow", call: shown.call, hash: shown.hash } as const;
  expect(await started.agent.control(CHAT, allow, ANN)).toMatchObject({ done: false });
  const again = await asked(started);
  expect(again.hash).not.toBe(shown.hash);
  expect(existsSync(join(started.workspace, "out"))).toBe(false);
  expect(await started.agent.control(CHAT, { ...allow, hash: again.hash }, ANN)).toMatchObject({ done: true });
  await turn;
  expect(readFileSync(join(started.workspace, "out"), "utf8")).toBe("bad\n");
});

test("SE1 a script that an earlier call of the same answer writes is asked about again before it starts", async (t) => {
  const { started } = await start(t);
  started.model.replies(
    callsTools([
      { name: "exec", args: { command: "echo 'echo bad >> out' > job.sh" } },
      { name: "exec", args: { command: "sh job.sh" } },
    ]),
    says("done"),
  );
  const turn = started.agent.send(CHAT, "run both").finished;
  await expect.poll(async () => (await started.agent.approvals()).length).toBe(2);
  for (const { call, hash } of await started.agent.approvals())
    await started.agent.control(CHAT, { type: "allow", call, hash }, ANN);
  const again = await asked(started);
  expect(existsSync(join(started.workspace, "out"))).toBe(false);
  await started.agent.control(CHAT, { type: "deny", call: again.call, hash: again.hash }, ANN);
  await turn;
  expect(existsSync(join(started.workspace, "out"))).toBe(false);
});

test("an answer that cannot be remembered, or is pressed in a chat, makes no rule", async (t) => {
  const { started, rules } = await start(t);
  started.model.replies(callsTool("exec", COUNT), says("no"));
  const turn = started.agent.send(CHAT, "count").finished;
  const { call, hash } = await asked(started);
  await started.agent.bus.accept({
    key: "button",
    origin: { channel: "test", chat: "1" },
    from: ANN,
    parts: [],
    sessionKey: CHAT,
    control: { type: "allow", call, hash, remember: "always" },
  });
  expect((await started.agent.approvals()).length).toBe(1);
  expect(rules).toEqual([]);
  await started.agent.bus.accept({
    key: "command",
    origin: { channel: "test", chat: "1" },
    from: ANN,
    parts: [{ type: "text", text: "/allow session" }],
    sessionKey: CHAT,
  });
  await turn;
  const session = await started.agent.sessions.find(CHAT);
  expect(session?.state.grants).toMatchObject([{ tool: "exec", by: "ann", call }]);
});
