import { expect, test } from "vitest";

import type { CallId, Seq } from "../../src/contract/base.ts";
import type { Policy } from "../../src/contract/policy.ts";
import { callsTool, says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

const ASK: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: (call) =>
    Promise.resolve(
      call.name === "rm"
        ? { kind: "ask", rule: "test", prompt: "Remove it?", expiresInMs: 300_000 }
        : { kind: "allow", rule: "test" },
    ),
};
const ANN = { id: "ann", kind: "person" } as const;

test("R78 a call that needs approval runs once, after a restart and the approval", async (t) => {
  let runs = 0;
  const first = await startAgent(t, { tools: [tool("rm", "write", () => `removed ${++runs}`)], policy: ASK });
  first.model.replies(callsTool("rm"), says("gone"));
  const turn = first.agent.send(CHAT, "remove it").finished.catch((error: unknown) => error);
  await asked(first);
  const second = await first.restart();
  await turn;
  expect(await second.agent.resume()).toEqual([CHAT]);
  const [approval] = await second.agent.approvals();
  expect(approval).toMatchObject({ name: "rm", prompt: "Remove it?" });
  if (approval === undefined) return;
  const allow = { type: "allow", call: approval.call, hash: approval.hash } as const;
  expect(await second.agent.control(CHAT, allow, ANN)).toMatchObject({ done: true });
  expect(await second.agent.control(CHAT, allow, ANN)).toMatchObject({ done: false });
  await second.agent.idle();
  expect(runs).toBe(1);
  expect(second.model.requests[1]?.toolResults.map(({ text }) => text)).toEqual(["removed 1"]);
  expect(ofType(await second.records(), "turn.ended").map(({ text }) => text)).toEqual(["gone"]);
});

test("R78 the questions of two chats are two messages: a receiver that takes each key once shows both", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("rm", "write")], policy: ASK });
  const chats = [CHAT, "test:2"];
  const replies: string[] = [];
  for (const chat of chats) {
    model.replies(callsTool("rm"));
    agent.send(chat, "remove it").finished.catch((error: unknown) => error);
    const session = await agent.sessions.open(chat, { channel: "test", chat });
    for await (const event of session.events(0 as Seq, new AbortController().signal)) {
      if (event.type !== "reply.queued" || event.kind !== "approval") continue;
      replies.push(event.reply);
      break;
    }
  }
  expect(new Set(replies).size).toBe(2);
});

test("R78 a denied call is not run, and an approval for another call counts for nothing", async (t) => {
  const started = await startAgent(t, { tools: [tool("rm", "write")], policy: ASK });
  const { agent, model, records } = started;
  model.replies(callsTool("rm"), says("as you wish"));
  const turn = agent.send(CHAT, "remove it").finished;
  const call = await asked(started);
  expect(await agent.control(CHAT, { type: "allow", call, hash: "0".repeat(64) }, ANN)).toMatchObject({ done: false });
  expect(await agent.control(CHAT, { type: "deny", call }, ANN)).toMatchObject({ done: true });
  expect((await turn).text).toBe("as you wish");
  expect(model.requests[1]?.toolResults[0]?.text).toMatch(/^Denied: /);
  expect(ofType(await records(), "tool.started")).toEqual([]);
});

test("R78 nobody answers: the call is denied when its time is over", async (t) => {
  const started = await startAgent(t, { tools: [tool("rm", "write")], policy: ASK });
  const { agent, model, clock } = started;
  model.replies(callsTool("rm"), says("then not"));
  const turn = agent.send(CHAT, "remove it").finished;
  await asked(started);
  await clock.waitForSleep(299_000, 300_000);
  await clock.advance(300_000);
  expect((await turn).text).toBe("then not");
  expect(model.requests[1]?.toolResults.map(({ text }) => text)).toEqual(["Denied: nobody answered within 300 s."]);
});

test("R78 R23 LP14 a turn that waits for approval holds no slot", async (t) => {
  const started = await startAgent(t, { tools: [tool("rm", "write")], policy: ASK, settings: { concurrency: 1 } });
  const { agent, model } = started;
  model.replies(callsTool("rm"), says("hello there"));
  const waiting = agent.send(CHAT, "remove it").finished;
  const call = await asked(started);
  expect((await agent.send("test:2", "hi").finished).text).toBe("hello there");
  await agent.control(CHAT, { type: "deny", call }, ANN);
  await waiting;
});

test("SE3 where nobody can answer, asking is denying", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("rm", "write")], policy: ASK });
  model.replies(callsTool("rm"), says("not possible here"));
  expect((await agent.send(CHAT, "remove it", { attended: false }).finished).text).toBe("not possible here");
  expect(model.requests[1]?.toolResults[0]?.text).toMatch(/^Denied: /);
  expect(ofType(await records(), "tool.started")).toEqual([]);
});

/** Waits for the question; yields the call it is about. */
async function asked({ agent }: Pick<Awaited<ReturnType<typeof startAgent>>, "agent">): Promise<CallId> {
  const session = await agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  const controller = new AbortController();
  for await (const event of session.events(0 as Seq, controller.signal))
    if (event.type === "call.judged" && event.verdict === "ask") return event.call;
  throw new Error("Nothing was asked.");
}
