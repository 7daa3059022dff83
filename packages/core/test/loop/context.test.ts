import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import type { JsonObject } from "../../src/contract/base.ts";
import type { Provider } from "../../src/contract/provider.ts";
import { callsTool, says } from "../../src/testing.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { CHAT, startAgent, tool } from "../support/agent.ts";
import { chatProvider } from "../support/wires.ts";

test("R403 R51 SS9 the next turn holds the tool result of this one in full", async (t) => {
  const long = "0123456789".repeat(500);
  const { agent, model } = await startAgent(t, { tools: [tool("read", "read", () => long)] });
  model.replies(callsTool("read"), says("read"), says("quoted"));
  await agent.send(CHAT, "read it").finished;
  await agent.send(CHAT, "quote it").finished;
  expect(model.requests[2]?.toolResults.map(({ text }) => text)).toEqual([long]);
});

test("R40 R405 with reflection on, one row follows each tool round and none anything else", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")], settings: { reflection: true } });
  model.replies(callsTool("note", { n: 1 }), callsTool("note", { n: 2 }), says("one"), says("two"));
  await agent.send(CHAT, "go").finished;
  await agent.send(CHAT, "and").finished;
  const rows = model.requests.map(
    (request) =>
      request.texts("user").filter((text) => text === "Reflect on the results and decide next steps.").length,
  );
  expect(rows).toEqual([0, 1, 2, 2]);
});

test("R33 R135 a tool registered in mid-epoch is offered from the next epoch on", async (t) => {
  const tools = [tool("first")];
  const registry = createRegistry(tools);
  const { agent, model } = await startAgent(t, {
    tools: {
      list: () => [...registry.list(), ...late],
      get: (name) => registry.get(name) ?? late.find((each) => each.name === name),
    },
  });
  await agent.send(CHAT, "one").finished;
  late.push(tool("second"));
  model.expectNewEpoch("tools");
  await agent.send(CHAT, "two").finished;
  expect(model.requests.map((request) => request.toolNames)).toEqual([["first"], ["first", "second"]]);
  late.length = 0;
});
const late: ReturnType<typeof tool>[] = [];

test("R135 R136 a changed file is told in a notice; the system prompt stays what it was until /new", async (t) => {
  const { agent, model, workspace } = await startAgent(t);
  await agent.send(CHAT, "one").finished;
  await writeFile(join(workspace, "SOUL.md"), "Speak like a pirate.");
  await agent.send(CHAT, "two").finished;
  await agent.send(CHAT, "three").finished;
  const [first, second, third] = model.requests;
  expect([second?.system, third?.system]).toEqual([first?.system, first?.system]);
  const told = (request: typeof first): number =>
    (request?.texts("user") ?? []).filter((text) => text.includes("Speak like a pirate.")).length;
  expect([told(first), told(second), told(third)]).toEqual([0, 1, 1]);
  model.expectNewEpoch("reset");
  await agent.send(CHAT, "/new").finished;
  await agent.send(CHAT, "four").finished;
  expect(model.requests[3]?.system).toContain("Speak like a pirate.");
  expect(model.requests[3]?.texts("user").join()).not.toContain("one");
});

test("R137 R138 the runtime context stands directly before the message it is for", async (t) => {
  const { agent, model, clock } = await startAgent(t);
  await agent.send(CHAT, "first").finished;
  await clock.advance(60_000);
  await agent.send(CHAT, "second").finished;
  const texts = model.requests[1]?.texts("user") ?? [];
  expect(texts).toEqual([
    "<runtime_context>time=2026-03-01T12:00+00:00 Sunday, channel=test, chat_id=1</runtime_context>",
    "first",
    "<runtime_context>time=2026-03-01T12:01+00:00 Sunday, channel=test, chat_id=1</runtime_context>",
    "second",
  ]);
  expect(model.requests[1]?.messages[0]?.role).toBe("system");
});

test("R7 R11 R12 model and sampling go with every request; a change holds from the next turn on", async (t) => {
  const changed = Promise.withResolvers<void>();
  const { agent, model } = await startAgent(t, {
    tools: [
      tool(
        "change",
        "read",
        () => (agent.configure({ settings: { temperature: 0.7, maxTokens: 100 } }), changed.resolve(), "changed"),
      ),
    ],
  });
  model.replies(callsTool("change"), says("one"), says("two"));
  await agent.send(CHAT, "a").finished;
  await agent.send(CHAT, "b").finished;
  expect(model.requests.map(({ body }) => [body["model"], body["temperature"], body["max_tokens"]])).toEqual([
    ["mock-model", undefined, 8192],
    ["mock-model", undefined, 8192],
    ["mock-model", 0.7, 100],
  ]);
});

test("R12 another provider serves from the next turn on, not the one that is open", async (t) => {
  const names: string[] = [];
  const named = (name: string, provider: Provider): Provider => ({
    ...provider,
    stream: (request, signal) => (names.push(name), provider.stream(request, signal)),
  });
  const change: { now?: () => void } = {};
  const { agent, model, clock } = await startAgent(t, {
    tools: [tool("change", "read", () => (change.now?.(), "changed"))],
  });
  const provider = chatProvider(model, clock);
  agent.configure({ provider: named("first", provider) });
  change.now = () =>
    agent.configure({ provider: named("second", provider), model: { provider: "other", model: "m2" } });
  model.replies(callsTool("change"), says("one"), says("two"));
  await agent.send(CHAT, "a").finished;
  model.expectNewEpoch("model");
  await agent.send(CHAT, "b").finished;
  expect(names).toEqual(["first", "first", "second"]);
});

test("R6 R15 exactly the tools that were given are offered, sorted by name", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("zeta"), tool("alpha"), tool("mid")] });
  await agent.send(CHAT, "hi").finished;
  expect(model.requests[0]?.toolNames).toEqual(["alpha", "mid", "zeta"]);
});

test("CX20 an assistant row is what the model wrote, byte for byte, and nothing of ours is in it", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("look", "read", () => "TOOL SAID rain")] });
  const blob = await agent.blobs.put(Buffer.from("a picture"));
  model.replies(callsTool("look", {}, { text: "Let me look." }), says("It rains."), says("Good night."));
  await agent.bus.accept({
    key: "k1",
    origin: { channel: "test", chat: "1" },
    from: { id: "ada", kind: "person" },
    parts: [
      { type: "text", text: "what is the weather?" },
      { type: "media", mediaType: "image/png", blob, name: "sky.png" },
    ],
  });
  await agent.idle();
  await agent.send(CHAT, "thank you").finished;
  const rows = model.requests[2]?.body["messages"] as readonly JsonObject[]; // OpenAI's shape
  const assistant = rows.filter(({ role }) => role === "assistant");
  expect(assistant.map(({ content }) => content)).toEqual(["Let me look.", "It rains."]);
  expect(assistant.map((row) => Object.keys(row).toSorted())).toEqual([
    ["content", "role", "tool_calls"],
    ["content", "role"],
  ]);
});
