// The way back: who writes by voice gets the text, and then one voice note.
import { expect, test } from "vitest";
import type { OutboundPiece } from "../../../src/contract/channel.ts";
import { ChannelFault } from "../../../src/internal.ts";
import { says } from "../../../src/testing.ts";
import { type RecordingChannel } from "../../../src/internal-testing.ts";
import { ofType, startAgent, type Started, type StartOptions } from "../../support/agent.ts";
import { MOUTH, note, testVoice, type TestVoice, USAGE, voiceChannel } from "./support.ts";

const kindsOf = (sent: readonly OutboundPiece[]): readonly string[] =>
  sent.flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`)));

/** Somebody spoke, and the model answers. */
async function spokenTo(
  t: Parameters<typeof startAgent>[0],
  voice: TestVoice,
  {
    answer = "Hello Anna.",
    channel = voiceChannel(),
    ...options
  }: StartOptions & { readonly answer?: string; readonly channel?: RecordingChannel } = {},
): Promise<Started & { readonly channel: RecordingChannel }> {
  const started = await startAgent(t, { voice, channels: [channel], ...options });
  started.model.replies(says(answer), says("and more"));
  void started.agent.run(new AbortController().signal);
  await channel.deliver([await note(started.agent.blobs, "hi")]);
  return { ...started, channel };
}

test("CH78a CH51 a reply to a voice note is its text and then one voice note, two pieces of one reply", async (t) => {
  const voice = testVoice({ transcribe: () => "hello", speak: (text) => text });
  const { channel, agent, records } = await spokenTo(t, voice);
  await channel.received(2);
  await agent.idle();
  expect(kindsOf(channel.sent)).toEqual(["Hello Anna.", "<audio/ogg>"]);
  const [text, sound] = channel.sent;
  expect(sound?.reply).toBe(`${text?.reply}.voice`);
  expect(sound?.parts[0]).toMatchObject({ voice: true });
  expect(voice.spoken).toEqual(["Hello Anna."]);
  const all = await records();
  expect(ofType(all, "reply.sent").map(({ piece }) => piece)).toEqual([1, 2]);
  expect(ofType(all, "reply.delivered")).toMatchObject([{ ids: ["platform-1", "platform-2"] }]);
  expect(ofType(all, "usage.counted")).toEqual([
    { type: "usage.counted", purpose: "speech", model: MOUTH, usage: USAGE },
  ]);
});

test("CH78a who writes by hand is answered by text alone, also after a voice note", async (t) => {
  const voice = testVoice({ transcribe: () => "hello", speak: (text) => text });
  const { channel, agent } = await spokenTo(t, voice);
  await channel.received(2);
  await channel.deliver("and by hand");
  await channel.received(3);
  await agent.idle();
  expect(kindsOf(channel.sent)).toEqual(["Hello Anna.", "<audio/ogg>", "and more"]);
});

test("CH78a no voice, no words to read, a chat without files and a sound too large for it: text alone", async (t) => {
  const speak = (text: string): string => text;
  const cases = [
    [testVoice({ transcribe: () => "x" }), {}],
    [testVoice({ transcribe: () => "x", speak }), { answer: "```\ncode\n```\n\n| a |\n| - |\n| b |" }],
    [testVoice({ transcribe: () => "x", speak }), { channel: voiceChannel({ media: { maxBytes: 3 } }) }],
    [testVoice({ transcribe: () => "x", speak }), { channel: noFiles() }],
  ] as const;
  for (const [voice, more] of cases) {
    const { channel, agent, records } = await spokenTo(t, voice, more);
    await channel.received(1);
    await agent.idle();
    expect(channel.sent).toHaveLength(1);
    expect(ofType(await records(), "reply.delivered")).toHaveLength(1);
  }
});

function noFiles(): RecordingChannel {
  const channel = voiceChannel();
  const { media: _media, ...can } = channel.can;
  return { ...channel, can };
}

test("CH78a CH83 what its platform allows is kept to by the voice too", async (t) => {
  const voice = testVoice({ transcribe: () => "hello", speak: (text) => text });
  const channel = voiceChannel({ rate: { chat: { count: 1, perMs: 7000 } } });
  const leftAt: number[] = [];
  let now = (): number => 0;
  const timed: RecordingChannel = {
    ...channel,
    send: (message, signal) => {
      leftAt.push(now());
      return channel.send(message, signal);
    },
  };
  const { agent, clock } = await spokenTo(t, voice, { channel: timed });
  ({ now } = clock);
  await channel.received(1);
  const done = agent.idle().then(() => "done" as const);
  while ((await Promise.race([done, clock.waitForSleep(1).then(() => "waits" as const)])) === "waits")
    await clock.advance(1000);
  expect(kindsOf(channel.sent)).toEqual(["Hello Anna.", "<audio/ogg>"]);
  expect((leftAt[1] ?? 0) - (leftAt[0] ?? 0)).toBeGreaterThanOrEqual(7000);
});

test("CH78a R183 the emergency stop ends what is being made, and nothing is asked while it is on: the text is delivered", async (t) => {
  for (const isLate of [false, true]) {
    let on = false;
    const begun = Promise.withResolvers<void>();
    const voice = testVoice({
      transcribe: () => "hello",
      speak: () => {
        begun.resolve();
        return new Promise(() => {}); // never answers
      },
    });
    const stopFlag = {
      get on() {
        return on;
      },
      set: (next: boolean) => void (on = next),
    };
    const channel = voiceChannel();
    const stopping: RecordingChannel = {
      ...channel,
      send: async (message, signal) => {
        on ||= !isLate;
        return channel.send(message, signal);
      },
    };
    const { agent, records } = await spokenTo(t, voice, { channel: stopping, stopFlag });
    await channel.received(1);
    if (isLate) {
      await begun.promise;
      await agent.stopAll({ id: "owner", kind: "person" });
    }
    await agent.idle();
    expect([voice.spoken.length, kindsOf(channel.sent)]).toEqual([isLate ? 1 : 0, ["Hello Anna."]]);
    expect(ofType(await records(), "reply.delivered")).toHaveLength(1);
  }
});

test("CH78a budgets count it: without room there is the text alone", async (t) => {
  const voice = testVoice({ transcribe: () => "hello", speak: (text) => text, tokens: 1_000_000 });
  const budgets = [{ scope: "session", tokens: 500_000 }] as const;
  const { channel, agent, records, log } = await spokenTo(t, voice, { settings: { budgets } });
  await channel.received(1);
  await agent.idle();
  expect([voice.spoken, channel.sent.length, ofType(await records(), "reply.delivered").length]).toEqual([[], 1, 1]);
  expect(JSON.stringify(log.lines)).toContain("no budget has room for it");
});

test("CH78a CH51 what cannot be read aloud, or takes too long, loses nothing: the text is delivered, the next one too", async (t) => {
  for (const speak of [
    () => {
      throw new Error("no voice today");
    },
    (_text: string, signal: AbortSignal) =>
      new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  ]) {
    const voice = testVoice({ transcribe: () => "hello", speak, free: true });
    const { channel, agent, clock, records } = await spokenTo(t, voice);
    await channel.received(1);
    await channel.deliver("go on");
    const arrived = channel.received(2).then(() => "arrived" as const);
    while ((await Promise.race([arrived, clock.waitForSleep().then(() => "waits" as const)])) === "waits")
      await clock.advance(60_000);
    await agent.idle();
    expect(kindsOf(channel.sent)).toEqual(["Hello Anna.", "and more"]);
    expect(ofType(await records(), "reply.delivered")).toHaveLength(2);
  }
});

test("CH78a a platform that takes it at the third attempt has it once; one that refuses it has the text", async (t) => {
  for (const [kind, failures, arrived, attempts] of [
    ["again", 2, 2, 3],
    ["again", 3, 1, 3],
    ["refused", 1, 1, 1],
  ] as const) {
    const voice = testVoice({ transcribe: () => "hello", speak: (text) => text });
    const channel = voiceChannel();
    let left: number = failures;
    let tried = 0;
    const flaky: RecordingChannel = {
      ...channel,
      send: (message, signal) => {
        if (!message.reply.endsWith(".voice")) return channel.send(message, signal);
        tried += 1;
        return left-- > 0
          ? Promise.reject(new ChannelFault(kind, "away", { sent: "no" }))
          : channel.send(message, signal);
      },
    };
    const { agent, clock, records } = await spokenTo(t, voice, { channel: flaky });
    await channel.received(1);
    const done = agent.idle().then(() => "done" as const);
    while ((await Promise.race([done, clock.waitForSleep(1).then(() => "waits" as const)])) === "waits")
      await clock.advance(5000);
    expect([channel.sent.length, tried]).toEqual([arrived, attempts]);
    expect(ofType(await records(), "reply.delivered")).toHaveLength(1);
    expect((await agent.sessions.find("test:1"))?.state.undelivered).toEqual([]);
  }
});

test("CH78a reply/MAX_WAIT_MS a platform that asks for a short wait gets the voice note after it, one that asks for a long one gets none", async (t) => {
  for (const [retryAfterMs, arrived] of [
    [30_000, 2],
    [31_000, 1],
  ] as const) {
    const voice = testVoice({ transcribe: () => "hello", speak: (text) => text });
    const channel = voiceChannel();
    let asked = false;
    const slow: RecordingChannel = {
      ...channel,
      send: (message, signal) => {
        if (!message.reply.endsWith(".voice") || asked) return channel.send(message, signal);
        asked = true;
        return Promise.reject(new ChannelFault("slow-down", "wait", { sent: "no", retryAfterMs }));
      },
    };
    const { agent, clock } = await spokenTo(t, voice, { channel: slow });
    await channel.received(1);
    const done = agent.idle().then(() => "done" as const);
    while ((await Promise.race([done, clock.waitForSleep(1).then(() => "waits" as const)])) === "waits")
      await clock.advance(30_000);
    expect(channel.sent).toHaveLength(arrived);
  }
});
