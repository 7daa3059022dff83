import { createHash } from "node:crypto";
import { expect, test } from "vitest";

import { createAgent } from "../../src/create-agent.ts";
import { toolHint } from "../../src/lib/tool-hint.ts";
import { callsTool, fakeClock, says, startMockModel } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import type { ToolCallPart } from "../../src/contract/message.ts";
import type { CallId } from "../../src/contract/base.ts";
import { defineTool } from "../../src/tools/define.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";
import { chatProvider } from "../support/wires.ts";
import { temporaryFolder } from "../support/folder.ts";

test("R3 a provider and a workspace are enough", async () => {
  await using folder = await temporaryFolder();
  await using model = await startMockModel();
  await using agent = createAgent({
    directory: folder.at("home"),
    workspace: folder.at("workspace"),
    provider: chatProvider(model, fakeClock()),
    model: { provider: "mock", model: "m" },
  });
  model.replies(says("hello"));
  expect(await agent.send("me", "hi").finished).toMatchObject({ text: "hello", reason: "done" });
  expect(model.requests[0]?.toolNames).toEqual([]);
});

test("R280 without a policy of one's own no tool may write to the state of the agent, and nobody is asked for it", async () => {
  await using folder = await temporaryFolder();
  await using model = await startMockModel();
  const wrote: string[] = [];
  await using agent = createAgent({
    directory: folder.at("home"),
    workspace: folder.at("workspace"),
    provider: chatProvider(model, fakeClock()),
    model: { provider: "mock", model: "m" },
    tools: [
      defineTool<{ path: string }>({
        name: "write_file",
        description: "Writes.",
        input: { properties: { path: { type: "string" } }, required: ["path"] },
        effect: "write",
        execute: ({ path }) => Promise.resolve((wrote.push(path), "written")),
      }),
    ],
  });
  model.replies(
    callsTool("write_file", { path: folder.at("home", "sessions", "me.journal") }),
    callsTool("write_file", { path: "notes.md" }),
    says("done"),
  );
  await agent.send("me", "go").finished;
  expect(wrote).toEqual(["notes.md"]);
});

test("R29 the steps of a turn come in their order", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note")] });
  model.replies(callsTool("note"), says("done"));
  await agent.send(CHAT, "go").finished;
  await agent.idle();
  expect((await records()).map(({ type }) => type)).toEqual([
    "session.opened",
    "message.received",
    "prefix.frozen",
    "notice.added",
    "turn.started",
    "model.requested",
    "model.responded",
    "call.judged",
    "tool.started",
    "tool.finished",
    "model.requested",
    "model.responded",
    "turn.ended",
    "reply.queued",
  ]);
});

test("R42 a tool hint is the name and the first string argument", () => {
  const call = (name: string, input: ToolCallPart["input"]): ToolCallPart => ({
    type: "tool-call",
    callId: "c" as CallId,
    name,
    input,
  }); // any id
  const long = "x".repeat(60);
  expect(toolHint([call("web_search", { query: "query" })])).toBe('web_search("query")');
  expect(toolHint([call("web_search", { limit: 3, query: "q", other: "o" })])).toBe('web_search("q")');
  expect(toolHint([call("list", { depth: 3 })])).toBe("list");
  expect(toolHint([call("a", { x: "1" }), call("b", {})])).toBe('a("1"), b');
  expect(toolHint([call("read", { path: long })])).toBe(`read("${"x".repeat(40)}…")`);
});

test("R139 an image goes to the model as the bytes it has", async (t) => {
  const { agent, model } = await startAgent(t);
  const bytes = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const blob = await agent.blobs.put(bytes);
  model.replies(says("a dot"), says("still a dot"));
  await agent.send(CHAT, [
    { type: "media", mediaType: "image/png", blob, name: "dot.png" },
    { type: "text", text: "what is it?" },
  ]).finished;
  await agent.send(CHAT, "sure?").finished;
  for (const request of model.requests) {
    expect(request.images.map(({ mediaType }) => mediaType)).toEqual(["image/png"]);
    expect(
      createHash("sha256")
        .update(Buffer.from(request.images[0]?.data ?? "", "base64"))
        .digest("hex"),
    ).toBe(blob.sha256);
  }
});

test("LP26 a jump of the wall clock changes no order of events and no duration", async (t) => {
  const { agent, model, clock, records } = await startAgent(t, {
    tools: [
      tool("note", "write", async () => {
        await clock.advance(1500);
        clock.jump(7_200_000);
        return "noted";
      }),
    ],
  });
  model.replies(callsTool("note"), says("one"), says("two"));
  await agent.send(CHAT, "a").finished;
  clock.jump(-10_800_000);
  await agent.send(CHAT, "b").finished;
  expect(ofType(await records(), "tool.finished").map(({ durationMs }) => durationMs)).toEqual([1500]);
  expect(ofType(await records(), "turn.ended").map(({ text, durationMs }) => [text, durationMs])).toEqual([
    ["one", 1500],
    ["two", 0],
  ]);
});

test("LP26 a turn that goes on after a restart counts from its first start", async (t) => {
  const before = await startAgent(t);
  before.model.replies(stalls({ after: "The ans" }), says("The answer."));
  const turn = before.agent.send(CHAT, "go");
  for await (const event of turn) if (event.type === "text.delta") break;
  await before.clock.advance(1000);
  const after = await before.restart();
  await expect(turn.finished).rejects.toMatchObject({ code: "turn.cancelled" });
  await after.clock.advance(2000);
  await after.agent.resume();
  await after.agent.idle();
  expect(ofType(await after.records(), "turn.ended").map(({ durationMs }) => durationMs)).toEqual([3000]);
});
