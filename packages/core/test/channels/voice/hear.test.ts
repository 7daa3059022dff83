// Voice notes that come in: written down once, in their place, and the audio stays with them.
import { expect, test } from "vitest";
import type { ContentPart } from "../../../src/contract/message.ts";
import { RuntimeError } from "../../../src/index.ts";
import { says } from "../../../src/testing.ts";
import { ofType, startAgent } from "../../support/agent.ts";
import { EARS, note, testVoice, USAGE, voiceChannel } from "./support.ts";

const textsOf = (parts: readonly ContentPart[] = []): readonly string[] =>
  parts.map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`));

test("CH78 CH129 a voice note is written down once: the model reads what it says, the audio stays, and a restart pays for nothing", async (t) => {
  const voice = testVoice({ transcribe: (bytes) => `what ${bytes} says ` });
  const channel = voiceChannel();
  const started = await startAgent(t, { voice, channels: [channel] });
  const { agent, model } = started;
  model.replies(says("noted"), says("again"));
  void agent.run(new AbortController().signal);
  await channel.deliver([
    await note(agent.blobs, "one"),
    { type: "text", text: "and this" },
    await note(agent.blobs, "two"),
  ]);
  await channel.received(1);
  await agent.idle();
  const session = await agent.sessions.find("test:1");
  const [row] = session?.state.messages.filter(({ role }) => role === "user") ?? [];
  const parts = row?.role === "user" ? row.parts : [];
  expect(textsOf(parts)).toEqual([
    "<audio/ogg>",
    "and this",
    "<audio/ogg>",
    "[voice note] what one says",
    "[voice note] what two says",
  ]);
  expect(parts.filter((part) => part.type === "text" && part.transcript === true)).toHaveLength(2);
  expect(JSON.stringify(model.requests[0]?.body)).toContain("[voice note] what one says");
  const written = ofType(await started.records(), "voice.transcribed");
  expect(written.map(({ model: by, usage }) => [by, usage])).toEqual([
    [EARS, USAGE],
    [EARS, USAGE],
  ]);
  expect(session?.state.usage.costUsd).toBeGreaterThanOrEqual(0.002);
  const again = await started.restart();
  await again.agent.send("test:1", "and now?").finished;
  expect(voice.heard).toEqual(["one", "two"]);
});

test("CH78 what a note says comes before what was written after it, also while it is being written down", async (t) => {
  const written = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const voice = testVoice({
    transcribe: () => {
      begun.resolve();
      return written.promise;
    },
  });
  const channel = voiceChannel();
  const { agent, model } = await startAgent(t, { voice, channels: [channel] });
  model.replies(says("both"));
  void agent.run(new AbortController().signal);
  await channel.deliver([await note(agent.blobs, "x")]);
  await begun.promise;
  await channel.deliver("at five");
  written.resolve("remind me");
  await channel.received(1);
  await agent.idle();
  const asked = model.requests[0]?.messages.filter(({ role }) => role === "user") ?? [];
  expect(JSON.stringify(asked).indexOf("[voice note] remind me")).toBeGreaterThan(0);
  expect(JSON.stringify(asked).indexOf("[voice note] remind me")).toBeLessThan(
    JSON.stringify(asked).indexOf("at five"),
  );
  expect(model.requests).toHaveLength(1);
});

test("CH78 CH129 without a model, without a budget, and when it cannot be: the message says that there is a voice note", async (t) => {
  const failing = testVoice({
    transcribe: () => {
      throw new RuntimeError("provider.auth", "ears refused sk-secret.");
    },
  });
  const silent = testVoice({ transcribe: () => "  " });
  const cases = [
    [testVoice({}), "[voice note; nobody wrote down what it says: no transcription model is set]", {}],
    [failing, "[voice note; nobody wrote down what it says: ears refused [redacted].]", {}],
    [silent, "[voice note in which nothing is said]", {}],
    [
      testVoice({ transcribe: () => "never" }),
      "[voice note; nobody wrote down what it says: no budget has room for it]",
      { settings: { budgets: [{ scope: "session", tokens: 0, action: "stop" }] } as const },
    ],
  ] as const;
  for (const [voice, said, more] of cases) {
    const channel = voiceChannel();
    const redact = (text: string): string => text.replaceAll("sk-secret", "[redacted]");
    const { agent, model, records } = await startAgent(t, { voice, channels: [channel], redact, ...more });
    model.replies(says("I see"));
    void agent.run(new AbortController().signal);
    await channel.deliver([await note(agent.blobs, "x")]);
    await channel.received(1);
    expect(ofType(await records(), "voice.transcribed").map(({ text }) => text)).toEqual([said]);
  }
  expect(failing.heard).toEqual(["x"]);
});

test("CH78 what a later attempt may cure gets one more; an audio file that is no voice note gets none", async (t) => {
  let failures = 1;
  const voice = testVoice({
    transcribe: (bytes) => {
      if (failures-- > 0) throw new RuntimeError("provider.overloaded", "busy", { retryable: true });
      return bytes;
    },
  });
  const channel = voiceChannel();
  const { agent, model, clock, records } = await startAgent(t, { voice, channels: [channel] });
  model.replies(says("one"), says("two"));
  void agent.run(new AbortController().signal);
  const { voice: _voice, ...file } = await note(agent.blobs, "song");
  await channel.deliver([file]);
  await channel.received(1);
  await channel.deliver([await note(agent.blobs, "spoken")]);
  await clock.waitForSleep(1000);
  await clock.advance(1000);
  await channel.received(2);
  expect(voice.heard).toEqual(["spoken", "spoken"]);
  expect(ofType(await records(), "voice.transcribed").map(({ text }) => text)).toEqual(["[voice note] spoken"]);
});

test("CH78 /stop while a note is written down ends that, and nothing is said of it", async (t) => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const voice = testVoice({
    transcribe: (_bytes, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve();
        signal.addEventListener("abort", () => {
          ended.resolve(signal.reason);
          reject(signal.reason as Error);
        });
      }),
  });
  const channel = voiceChannel();
  const { agent, model, records } = await startAgent(t, { voice, channels: [channel] });
  void agent.run(new AbortController().signal);
  await channel.deliver([await note(agent.blobs, "x")]);
  await begun.promise;
  await channel.deliver("/stop");
  await ended.promise;
  await agent.idle();
  expect(ofType(await records(), "messages.withdrawn")).toHaveLength(1);
  expect(ofType(await records(), "voice.transcribed")).toEqual([]);
  expect(model.requests).toEqual([]);
});
