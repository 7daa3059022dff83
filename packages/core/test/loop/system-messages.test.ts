// Messages of the runtime itself: their way in, where they answer, and what they look like afterwards.
import { mkdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { createAgentLoop, createSessionManager, openSessions } from "../../src/index.ts";
import { openJournalDirectory } from "../../src/internal.ts";
import type { AgentLoop } from "../../src/index.ts";
import type { CachedSessions } from "../../src/internal.ts";
import { fakeClock, recordingChannel, says, startMockModel, type MockModel } from "../../src/testing.ts";
import { type RecordingChannel } from "../../src/internal-testing.ts";
import { temporaryFolder } from "../support/folder.ts";
import { tool } from "../support/agent.ts";
import { chatProvider } from "../support/wires.ts";

interface Scene extends AsyncDisposable {
  readonly loop: AgentLoop;
  readonly model: MockModel;
  readonly sessions: CachedSessions;
  readonly channels: Readonly<Record<"telegram" | "matrix", RecordingChannel>>;
}

async function scene(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const model = await startMockModel({});
  stack.defer(() => model.close());
  await mkdir(folder.at("workspace"));
  const channels = { telegram: recordingChannel("telegram"), matrix: recordingChannel("matrix") };
  const clock = fakeClock();
  const sessions = openSessions({ journals: openJournalDirectory(folder.at("home/sessions")), clock });
  const loop = stack.use(
    await createAgentLoop({
      provider: chatProvider(model),
      workspace: folder.at("workspace"),
      directory: folder.at("home"),
      sessions,
      clock,
      channels: Object.values(channels),
      tools: [tool("note")],
    }),
  );
  const owned = stack.move();
  return { loop, model, sessions, channels, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const system = (chatId: string, content: string) => ({ channel: "system", senderId: "watcher", chatId, content });

test("R414 a system message for telegram:12345 uses that session and answers there", async () => {
  await using s = await scene();
  s.model.replies(says("Hello."), says("The build is done, you asked for it."));
  await s.loop.publishInbound({
    channel: "telegram",
    senderId: "ann",
    chatId: "12345",
    content: "tell me when it is built",
  });
  await s.channels.telegram.received(1);
  expect(await s.loop.publishInbound(system("telegram:12345", "The build is done."))).toMatchObject({
    status: "accepted",
    sessionKey: "telegram:12345",
  });
  await s.channels.telegram.received(2);
  expect(s.channels.telegram.sent.map(({ to }) => to)).toEqual(Array(2).fill({ channel: "telegram", chat: "12345" }));
  expect(s.channels.telegram.texts("reply")[1]).toBe("The build is done, you asked for it.");
  expect((await s.loop.agent.sessions.list()).map(({ key }) => key)).toEqual(["telegram:12345"]);
});

test("R190 the chat id of a system message is split at its first colon", async () => {
  await using s = await scene();
  s.model.replies(says("one"), says("two"));
  await s.loop.publishInbound(system("telegram:12345", "first"));
  await s.channels.telegram.received(1);
  await s.loop.publishInbound(system("matrix:!a:b.org", "second"));
  await s.channels.matrix.received(1);
  expect(s.channels.telegram.sent[0]?.to).toEqual({ channel: "telegram", chat: "12345" });
  expect(s.channels.matrix.sent[0]?.to).toEqual({ channel: "matrix", chat: "!a:b.org" });
  expect(s.channels.matrix.texts()).toEqual(["two"]);
});

test("R191 a system message continues the chat's context, is a row with system: true, and is not taken for a person", async () => {
  await using s = await scene();
  s.model.replies(says("Hello Ann."), says("Noted."));
  await s.loop.publishInbound({ channel: "telegram", senderId: "ann", chatId: "1", content: "I am Ann" });
  await s.channels.telegram.received(1);
  await s.loop.publishInbound(system("telegram:1", "A child finished."));
  await s.channels.telegram.received(2);
  await s.loop.agent.idle();
  const [before, after] = s.model.requests;
  // The same epoch: the request goes on where the one before ended.
  expect(after?.system).toBe(before?.system);
  expect(after?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
  expect(after?.texts("user").at(-1)).toContain("A child finished.");
  const added = JSON.stringify(after?.messages.slice(before?.messages.length));
  expect(added).toContain("from=runtime (not a person)");
  expect(JSON.stringify(before?.messages)).not.toContain("from=runtime");
  const { messages } = await createSessionManager({ sessions: s.sessions }).getOrCreate("telegram:1");
  expect(messages).toMatchObject([
    { role: "user", content: "I am Ann" },
    { role: "assistant", content: "Hello Ann." },
    { role: "user", content: "A child finished.", system: true },
    { role: "assistant", content: "Noted." },
  ]);
  expect(messages[0]).not.toHaveProperty("system");
});
