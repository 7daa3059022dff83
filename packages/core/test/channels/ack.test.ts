// A reaction of ours below a message, where nothing shows that we are typing.
import { expect, test } from "vitest";
import type { Channel } from "../../src/contract/channel.ts";
import type { Policy } from "../../src/index.ts";
import { ChannelFault } from "../../src/lib/errors/channel-fault.ts";
import { stalls, type RecordingChannel } from "../../src/internal-testing.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { startAgent, tool, type Started, type StartOptions } from "../support/agent.ts";

const EYES = "\u{1f440}";
const TO = { channel: "test", chat: "1" };
const put = (of: string): object => ({ of, emoji: EYES, isOn: true, to: TO });
const taken = (of: string): object => ({ of, emoji: EYES, isOn: false, to: TO });

async function talk(
  t: Parameters<typeof startAgent>[0],
  can: Partial<Channel["can"]> = {},
  change: (channel: RecordingChannel) => Channel = (channel) => channel,
  more: StartOptions = {},
): Promise<Started & { readonly channel: RecordingChannel }> {
  const channel = recordingChannel("test", { react: true, ack: EYES, ...can });
  const started = await startAgent(t, { ...more, channels: [change(channel)] });
  const stop = new AbortController();
  const work = started.agent.run(stop.signal);
  t.onTestFinished(async () => {
    stop.abort(new Error("enough"));
    await work;
  });
  return { ...started, channel };
}

test("CH69 it is set when a message is taken, is no send, and goes with the first words, however long that takes", async (t) => {
  const looked = Promise.withResolvers<string>();
  const look = tool("look", "read", () => looked.promise);
  const more = { tools: [look], settings: { toolTimeoutMs: 1_000_000 } };
  const { model, channel, agent, clock, records } = await talk(t, {}, undefined, more);
  model.replies(callsTool("look"), says("at last"));
  await channel.deliver("go", { key: "m7" });
  await clock.waitForSleep(1_000_000, 1_000_000);
  expect(channel.reacted).toEqual([put("m7")]);
  await clock.advance(600_000);
  expect(channel.reacted).toHaveLength(1);
  looked.resolve("seen");
  await agent.idle();
  await expect.poll(() => channel.reacted).toEqual([put("m7"), taken("m7")]);
  expect(channel.texts("reply")).toEqual(["at last"]);
  expect(JSON.stringify(await records("test:1"))).not.toContain(EYES);
  expect(clock.pending()).toEqual([]);
});

test("CH69 a turn that is stopped takes it away", async (t) => {
  const { model, channel, agent } = await talk(t);
  model.replies(stalls());
  await channel.deliver("go", { key: "m1" });
  await model.received(1);
  await channel.deliver("/stop", { key: "m2" });
  await agent.idle();
  await expect.poll(() => channel.reacted).toEqual([put("m1"), taken("m1")]);
});

test("CH69 each message that waits has its own when its turn comes, in order", async (t) => {
  const { model, channel, agent } = await talk(t, {}, undefined, { settings: { steering: false } });
  const slow = stalls({ rest: says("one") });
  model.replies(slow, says("two"));
  await channel.deliver("a", { key: "m1" });
  await model.received(1);
  await channel.deliver("b", { key: "m2" });
  slow.release();
  await channel.received(2);
  await agent.idle();
  await expect.poll(() => channel.reacted).toEqual([put("m1"), taken("m1"), put("m2"), taken("m2")]);
});

test("CH69 while a person is asked it rests; set anew it does not overtake what is taken away", async (t) => {
  const asked: boolean[] = [];
  const slow = Promise.withResolvers<void>();
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: () => ({ kind: "ask", rule: "test", prompt: "Remove it?", expiresInMs: 300_000 }),
  };
  const react: Channel["react"] = (_of, _emoji, isOn) => {
    asked.push(isOn);
    return isOn ? Promise.resolve() : slow.promise;
  };
  const more = { tools: [tool("rm", "write")], policy };
  const { model, channel, agent } = await talk(t, {}, (channel) => ({ ...channel, react }), more);
  const late = stalls({ rest: says("gone") });
  model.replies(callsTool("rm"), late);
  await channel.deliver("remove it");
  await expect.poll(() => asked).toEqual([true, false]);
  await channel.deliver("/allow");
  await model.received(2);
  expect(asked).toEqual([true, false]);
  slow.resolve();
  await expect.poll(() => asked).toEqual([true, false, true]);
  late.release();
  await agent.idle();
  await expect.poll(() => asked).toEqual([true, false, true, false]);
});

test("CH69 a platform that asks to wait before it is taken away is asked again after that, once", async (t) => {
  const asked: boolean[] = [];
  const slow = (): Promise<never> =>
    Promise.reject(new ChannelFault("slow-down", "Too fast.", { sent: "no", retryAfterMs: 300 }));
  const react: Channel["react"] = (_of, _emoji, isOn) => {
    asked.push(isOn);
    return isOn ? Promise.resolve() : slow();
  };
  const { model, channel, clock, log } = await talk(t, {}, (channel) => ({ ...channel, react }));
  model.replies(says("hi"));
  await channel.deliver("go");
  await clock.waitForSleep(300, 300);
  expect(asked).toEqual([true, false]);
  await clock.advance(300);
  await expect.poll(() => log.lines.some(({ event }) => event === "ack.failed")).toBe(true);
  expect(asked).toEqual([true, false, false]);
});

test("CH69 a platform that asks to wait longer than anybody would is not asked again: the next message has its own at once", async (t) => {
  const asked: [string, boolean][] = [];
  const react: Channel["react"] = (of, _emoji, isOn) => {
    asked.push([of, isOn]);
    const slow = new ChannelFault("slow-down", "Too fast.", { sent: "no", retryAfterMs: 3_600_000 });
    return isOn ? Promise.resolve() : Promise.reject(slow);
  };
  const { model, channel, agent } = await talk(t, {}, (channel) => ({ ...channel, react }));
  model.replies(says("one"), says("two"));
  await channel.deliver("a", { key: "m1" });
  await channel.received(1);
  await channel.deliver("b", { key: "m2" });
  await channel.received(2);
  await agent.idle();
  const both = ["m1", "m2"].flatMap((of): [string, boolean][] => [
    [of, true],
    [of, false],
  ]);
  await expect.poll(() => asked).toEqual(both);
});

test("CH69 where typing is shown there is none; where it cannot be shown the reaction stands for it", async (t) => {
  const shows = await talk(t, { typingMs: 5000 });
  shows.model.replies(says("hi"));
  await shows.channel.deliver("go");
  await shows.channel.received(1);
  await shows.agent.idle();
  expect([shows.channel.typed.length, shows.channel.reacted]).toEqual([1, []]);
  const cannot = await talk(t, { typingMs: 5000 }, (channel) => ({
    ...channel,
    typing: () => Promise.reject(new ChannelFault("refused", "Not in this chat.", { sent: "no" })),
  }));
  cannot.model.replies(says("hi"));
  await cannot.channel.deliver("go", { key: "m1" });
  await expect.poll(() => cannot.channel.reacted).toEqual([put("m1"), taken("m1")]);
});

test("CH69 without `ack` no message is touched, and nothing more is written", async (t) => {
  const { model, channel, agent, records } = await talk(t, { ack: undefined as never });
  model.replies(says("hi"));
  await channel.deliver("go");
  await channel.received(1);
  await agent.idle();
  expect(channel.reacted).toEqual([]);
  expect((await records("test:1")).some(({ type }) => type === "handle.received")).toBe(false);
});

test("CH69 CH166 what is refused is not asked again, and said once; what hangs holds up neither the reply nor the next one", async (t) => {
  const asked: boolean[] = [];
  const { model, channel, agent, log, clock } = await talk(t, {}, (channel) => ({
    ...channel,
    react: (_of, _emoji, isOn) => {
      asked.push(isOn);
      return asked.length > 2
        ? new Promise<never>(() => {})
        : Promise.reject(new ChannelFault("config", "A scope is missing.", { sent: "no" }));
    },
  }));
  model.replies(says("one"), says("two"), says("three"));
  for (const [index, text] of ["a", "b", "c"].entries()) {
    await channel.deliver(text);
    await channel.received(index + 1);
    await agent.idle();
  }
  expect(channel.texts()).toEqual(["one", "two", "three"]);
  expect(asked).toEqual([true, true, true]);
  expect(log.lines.filter(({ event }) => event === "ack.failed").map(({ level }) => level)).toEqual(["warn", "debug"]);
  // It may be there all the same.
  await clock.advance(10_000);
  await expect.poll(() => asked).toEqual([true, true, true, false]);
});
