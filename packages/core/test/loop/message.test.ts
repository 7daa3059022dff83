import { expect, test } from "vitest";

import { messageTool } from "../../src/builtin.ts";
import { safeFiles } from "../../src/internal.ts";
import type { AgentOptions } from "../../src/contract/agent-options.ts";
import type { Tool, ToolContext } from "../../src/contract/tool.ts";
import { openBlobs } from "../../src/journal/blobs.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { callsTools } from "../../src/internal-testing.ts";
import { CHAT, startAgent, tool, type Started } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";

async function scene(
  t: Parameters<typeof startAgent>[0],
  isContact?: AgentOptions["isContact"],
): Promise<Started & { readonly channel: ReturnType<typeof recordingChannel> }> {
  const folder = await temporaryFolder();
  t.onTestFinished(async () => folder[Symbol.asyncDispose]());
  const channel = recordingChannel("test");
  const message: Tool = messageTool({
    send: (request) => started.agent.queue(request),
    blobs: openBlobs(folder.at("blobs")),
    files: safeFiles({ root: folder.path, restrict: true, protect: [] }),
  });
  const started: Started = await startAgent(t, {
    tools: [message],
    channels: [channel],
    ...(isContact !== undefined && { isContact }),
  });
  return { ...started, channel };
}

for (const [final, texts] of [
  ["The build is green.", ["The build is green."]],
  ["\n The build is green. \n", ["The build is green."]],
  ["", ["The build is green."]],
  ["I told them.", ["The build is green.", "I told them."]],
  ["the build is green.", ["The build is green.", "the build is green."]],
] as const)
  test(`R116 after message said "The build is green." the final ${JSON.stringify(final)} makes ${texts.length} deliveries`, async (t) => {
    const { agent, model, channel } = await scene(t);
    model.replies(callsTool("message", { content: "The build is green." }), says(final));
    await agent.send(CHAT, "tell me when it is green").finished;
    await agent.idle();
    expect(channel.sent.map(({ parts }) => parts)).toEqual(texts.map((text) => [{ type: "text", text }]));
  });

test("R116 what was said in another chat, or in an earlier turn, does not keep the reply from this one", async (t) => {
  const { agent, model, channel } = await scene(t);
  model.replies(
    says("hello"),
    callsTool("message", { content: "Done.", chat_id: "2" }),
    says("Done."),
    callsTool("message", { content: "Again." }),
    says("Bye."),
    says("Again."),
  );
  await agent.send("test:2", "hi").finished;
  for (const text of ["tell the other chat", "say it", "and now?"]) await agent.send(CHAT, text).finished;
  await agent.idle();
  const to = (chat: string): readonly string[] =>
    channel.sent
      .filter((message) => message.to.chat === chat)
      .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join());
  expect(to("2")).toEqual(["hello", "Done."]);
  expect(to("1")).toEqual(["Done.", "Again.", "Bye.", "Again."]);
});

test("R92 a call is told its session, turn, call, origin, workspace, signal and clock; nothing is set on the tool", async (t) => {
  const seen: ToolContext[] = [];
  const look = Object.freeze(
    tool("look", "read", (_input, context) => {
      seen.push(context);
      return "seen";
    }),
  );
  const { agent, model, clock, workspace } = await startAgent(t, { tools: [look] });
  const origins = [
    { channel: "test", chat: "1" },
    { channel: "other", chat: "2", thread: "7" },
  ];
  for (const [index, origin] of origins.entries()) {
    model.replies(callsTools([{ name: "look" }, { name: "look" }]), says("done"));
    await agent.send(`test:${index}`, "look", { origin }).finished;
  }
  expect(seen.map(({ origin }) => origin)).toEqual([origins[0], origins[0], origins[1], origins[1]]);
  const sessions = await Promise.all([0, 1].map((index) => agent.sessions.find(`test:${index}`)));
  expect(seen.map(({ sessionId }) => sessionId)).toEqual([0, 0, 1, 1].map((index) => sessions[index]?.state.id));
  expect(new Set(seen.map(({ turnId }) => turnId)).size).toBe(2);
  expect(new Set(seen.map(({ sessionId, callId }) => `${sessionId} ${callId}`)).size).toBe(4);
  for (const context of seen) {
    expect(context).toMatchObject({ workspace, attended: true });
    expect(context.clock.now()).toBe(clock.now());
    expect(context.signal.aborted).toBe(false);
  }
});

test("DF24 PE89 CH16 what is sent to another chat is a row there, once per call, also after /new; it wakes no turn", async (t) => {
  const { agent, model, channel, records } = await scene(t);
  model.replies(
    says("hello"),
    callsTool("message", { content: "Shall I book the table?", chat_id: "2" }),
    says("Asked them."),
    says("booked"),
  );
  await agent.send("test:2", "hi").finished;
  await agent.bus.accept({
    key: "new",
    origin: { channel: "test", chat: "2" },
    from: { id: "ann", kind: "person" },
    parts: [{ type: "text", text: "/new" }],
  });
  await agent.send(CHAT, "ask the other chat").finished;
  await agent.idle();
  const there = await records("test:2");
  expect(there.filter(({ type }) => type === "message.posted")).toHaveLength(1);
  expect(there.filter(({ type }) => type === "turn.started")).toHaveLength(1);
  const texts = channel.sent.filter(({ to }) => to.chat === "2").map(({ parts }) => JSON.stringify(parts));
  expect(texts.filter((text) => text.includes("book the table"))).toHaveLength(1);
  const here = await records();
  expect(here.filter((record) => record.type === "reply.queued" && record.to.chat === "2")).toEqual([]);
  model.expectNewEpoch("/new, and the first row since is ours");
  await agent.send("test:2", "yes").finished;
  expect(model.requests.at(-1)?.raw).toContain("Shall I book the table?");
  expect(
    await agent.queue({
      session: (await agent.sessions.find(CHAT))!.state.id,
      call: "c" as never,
      reply: "r",
      origin: { channel: "test", chat: "1" },
      to: { channel: "test", chat: "never" },
      parts: [{ type: "text", text: "x" }],
    }),
  ).toBe("unknown-chat");
});

test("PE89 a contact is reached before their chat is a conversation, and a chat also after its conversation was removed", async (t) => {
  const { agent, model, channel, records } = await scene(t, (_channel, chat) => chat === "contact");
  model.replies(
    says("hello"),
    callsTools([
      { name: "message", args: { content: "to a contact", chat_id: "contact" } },
      { name: "message", args: { content: "to one that was removed", chat_id: "2" } },
      { name: "message", args: { content: "to nobody", chat_id: "never" } },
    ]),
    says("Told them."),
  );
  await agent.send("test:2", "hi").finished;
  await agent.idle();
  await agent.sessions.remove("test:2");
  await agent.send(CHAT, "tell them").finished;
  await agent.idle();
  for (const [key, text] of [
    ["test:contact", "to a contact"],
    ["test:2", "to one that was removed"],
  ] as const)
    expect((await records(key)).filter(({ type }) => type === "message.posted")).toMatchObject([{ text }]);
  expect(await agent.sessions.find("test:never")).toBeUndefined();
  expect(channel.sent.map(({ to }) => to.chat)).not.toContain("never");
});
