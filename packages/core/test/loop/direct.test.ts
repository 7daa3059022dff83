import { expect, test } from "vitest";

import type { JsonObject } from "../../src/contract/base.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import { callsTool, says } from "../../src/testing.ts";
import { asUntrusted } from "../../src/tools/untrusted.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

/** Runs until it is released or aborted. */
function held(): {
  started: Promise<void>;
  release(): void;
  run(input: JsonObject, context: ToolContext): Promise<string>;
} {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<string>();
  return {
    started: started.promise,
    release: () => released.resolve("held done"),
    run: (_input, { signal }) => {
      started.resolve();
      signal.addEventListener("abort", () => released.reject(signal.reason), { once: true });
      return released.promise;
    },
  };
}

test("R293 calls made at the same time each run once", async (t) => {
  const ran: string[] = [];
  const { agent, records } = await startAgent(t, {
    tools: ["slow", "fast"].map((name) => tool(name, "write", () => (ran.push(name), `${name} done`))),
  });
  const results = await Promise.all([agent.executeTool("slow", {}), agent.executeTool("fast", {})]);
  expect(results).toEqual(["slow done", "fast done"]);
  expect(ran).toEqual(["slow", "fast"]);
  expect(ofType(await records("direct:tools"), "turn.ended")).toHaveLength(2);
});

test("R293 a call in the session of a conversation waits for its turn, and a message waits for the call", async (t) => {
  const turnTool = held();
  const direct = held();
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("wait", "read", turnTool.run), tool("slow", "write", direct.run)],
  });
  model.replies(callsTool("wait"), says("first"), says("second"));
  const first = agent.send(CHAT, "go").finished;
  await turnTool.started;
  const called = agent.executeTool("slow", {}, { sessionKey: CHAT });
  turnTool.release();
  expect((await first).text).toBe("first");
  await direct.started;
  const second = agent.send(CHAT, "and now?").finished;
  await expect.poll(async () => ofType(await records(), "message.received").length).toBe(2);
  direct.release();
  expect(await called).toBe("held done");
  expect((await second).text).toBe("second");
  // No model is told of it.
  const told = model.requests.at(-1)?.sequence.filter((item) => /^(assistant|tool) /.test(item)) ?? [];
  expect(told).toHaveLength(4); // the turn's own call
  expect(told.join()).not.toContain('"slow"');
  expect(ofType(await records(), "turn.ended").map(({ reason }) => reason)).toEqual(["done", "limit", "done"]);
});

test("R293 an aborted call is settled, and the next one runs", async (t) => {
  const slow = held();
  const { agent, records } = await startAgent(t, { tools: [tool("slow", "write", slow.run), tool("note")] });
  const controller = new AbortController();
  const called = agent.executeTool("slow", {}, { signal: controller.signal });
  await slow.started;
  controller.abort(new Error("enough"));
  await expect(called).rejects.toThrow("enough");
  expect(await agent.executeTool("note", {})).toBe("done");
  const all = await records("direct:tools");
  expect(ofType(all, "turn.ended").map(({ reason }) => reason)).toEqual(["cancelled", "limit"]);
  expect(ofType(all, "tool.finished").map(({ message }) => message.status)).toEqual(["interrupted", "ok"]);
});

test("R70 R293 /stop ends a call that runs in the session", async (t) => {
  const slow = held();
  const { agent } = await startAgent(t, { tools: [tool("slow", "write", slow.run)] });
  const called = agent.executeTool("slow", {}, { sessionKey: CHAT });
  called.catch(() => {}); // looked at below
  await slow.started;
  const by = { id: "ann", kind: "person" } as const;
  expect(await agent.control(CHAT, { type: "stop", withdraw: true }, by)).toMatchObject({ stopped: true });
  await expect(called).rejects.toMatchObject({ code: "turn.cancelled" });
});

test("R293 a call that a crash cut off is settled after the restart without a model", async (t) => {
  const slow = held();
  const before = await startAgent(t, { tools: [tool("slow", "write", slow.run), tool("note")] });
  const called = before.agent.executeTool("slow", {});
  called.catch(() => {}); // it ends with its process
  await slow.started;
  const after = await before.restart();
  expect(await after.agent.executeTool("note", {})).toBe("done");
  expect(before.model.requests).toEqual([]);
  const ended = ofType(await after.records("direct:tools"), "turn.ended");
  expect(ended.map(({ reason }) => reason)).toEqual(["limit", "limit"]);
});

test("R293 R281 what the host called is in no context: a stranger's text in its result binds neither its next call nor the chat", async (t) => {
  const policy = createPolicy({ sandboxed: () => true, approvalTimeoutMs: () => 1000 });
  const { agent, model } = await startAgent(t, {
    policy,
    tools: [tool("page", "read", () => asUntrusted("buy now")), tool("lights", "write", () => "on")],
  });
  await agent.executeTool("page", {}, { sessionKey: CHAT });
  expect(await agent.executeTool("lights", {}, { sessionKey: CHAT })).toBe("on");
  expect((await agent.sessions.find(CHAT))?.state.label.integrity).toBe("trusted");
  // Nor does what the model has read bind the host.
  model.replies(callsTool("page", {}), says("read"));
  await agent.send(CHAT, "read it").finished;
  expect((await agent.sessions.find(CHAT))?.state.label.integrity).toBe("untrusted");
  expect(await agent.executeTool("lights", {}, { sessionKey: CHAT })).toBe("on");
});
