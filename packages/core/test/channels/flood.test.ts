// CH88 CH130: who writes faster than anybody reads.
import { expect, test } from "vitest";
import { withoutFlood } from "../../src/channels/flood.ts";
import { stalls } from "../../src/internal-testing.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { CHAT, startAgent, type StartOptions } from "../support/agent.ts";

const FLOOD = { count: 20, perMs: 60_000 } as const;
const IGNORED = { status: "ignored", why: "flood" };
const EVE = { id: "eve", kind: "person" } as const;

async function receiving(t: Parameters<typeof startAgent>[0], more: StartOptions = {}) {
  const channel = recordingChannel("test");
  const started = await startAgent(t, { channels: [channel], flood: FLOOD, settings: { maxPending: 100 }, ...more });
  const stop = new AbortController();
  const work = started.agent.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await work;
  };
  t.onTestFinished(end);
  const slow = stalls({ rest: says("the answer") });
  started.model.replies(slow, says("another"), says("and another"));
  t.onTestFinished(() => {
    slow.release();
    return Promise.resolve();
  });
  const write = async (count: number, how: Parameters<typeof channel.deliver>[1] = {}) => {
    const all = await Promise.all(Array.from({ length: count }, () => channel.deliver("hello", how)));
    return all.map(({ status }) => status);
  };
  return { ...started, channel, slow, write, end };
}

const counted = (all: readonly string[]): unknown => ({
  accepted: all.filter((one) => one === "accepted").length,
  ignored: all.filter((one) => one === "ignored").length,
});

test("CH88 CH130 of sixty messages in a moment twenty are taken, one word is said, and others are heard as ever", async (t) => {
  const { write, channel, slow, model, agent, clock } = await receiving(t);
  expect(counted(await write(60))).toEqual({ accepted: 20, ignored: 40 });
  expect(await channel.deliver("and I?", { from: EVE, chat: "2" })).toMatchObject({ status: "accepted" });
  await channel.received(1);
  expect(channel.texts()).toEqual([expect.stringContaining("More than 20 messages in a minute")]);
  slow.release();
  await agent.idle();
  expect(channel.texts()).toHaveLength(3); // an answer for each of the two
  expect(model.requests.length).toBeLessThanOrEqual(3);
  await clock.advance(59_999);
  expect(await channel.deliver("hello")).toEqual(IGNORED);
  await clock.advance(1);
  expect(await channel.deliver("hello")).toMatchObject({ status: "accepted" });
});

test("CH88 it is said once in ten minutes, and in a group not to whom", async (t) => {
  const { write, channel, slow, clock, agent } = await receiving(t);
  slow.release();
  for (let minute = 0; minute < 10; minute++) {
    await write(21);
    await clock.advance(60_000);
  }
  await agent.idle();
  const words = (): readonly string[] => channel.texts().filter((text) => text.includes("20 messages"));
  expect(words()).toHaveLength(1);
  await write(21, { group: true });
  await agent.idle();
  expect(words().slice(1)).toEqual([expect.stringMatching(/^Somebody writes me/)]);
});

test("CH88 /stop, an answer to a question, and a message that is told again are no part of it", async (t) => {
  const { write, channel, agent } = await receiving(t);
  await channel.deliver("first", { key: "k" });
  expect(counted(await write(30))).toEqual({ accepted: 19, ignored: 11 });
  expect(await channel.deliver("ignored", { key: "i" })).toEqual(IGNORED);
  expect(await channel.deliver("ignored", { key: "i" })).toEqual({ status: "duplicate" });
  expect(await channel.deliver("first", { key: "k" })).toEqual({ status: "duplicate" });
  for (const answer of ["/allow X", "/approve X", "/deny X", "/stop"])
    expect(await channel.deliver(answer), answer).toMatchObject({ status: "accepted" });
  expect((await agent.sessions.find(CHAT))?.state.turn).toBeUndefined();
});

test("CH88 CH117 what lay at the platform counts by when it was written: a backlog is no flood", async (t) => {
  const { channel, clock } = await receiving(t);
  const night = clock.now() - 8 * 3_600_000;
  const wrote = (sentAt: number) => channel.deliver("hello", { sentAt });
  for (let index = 0; index < 30; index++) expect(await wrote(night + index)).toMatchObject({ status: "accepted" });
  const just = clock.now() - 300_000;
  for (let index = 0; index < 30; index++)
    expect(await wrote(just + index * 10_000)).toMatchObject({ status: "accepted" });
  const all: string[] = [];
  for (let index = 0; index < 30; index++) all.push((await wrote(clock.now() + index * 3_600_000)).status);
  expect(counted(all)).toMatchObject({ ignored: 15 }); // five of the last minute are known, and the future is now
});

test("CH88 each person is counted alone, and on each channel", async (t) => {
  const channel = recordingChannel("test");
  const other = recordingChannel("other");
  const { agent } = await startAgent(t, { channels: [channel, other], flood: FLOOD, settings: { maxPending: 100 } });
  void agent.run(new AbortController().signal);
  const wrote = async (where: typeof channel, how: Parameters<typeof channel.deliver>[1]) =>
    counted(
      (await Promise.all(Array.from({ length: 21 }, () => where.deliver("hi", how)))).map(({ status }) => status),
    );
  const full = { accepted: 20, ignored: 1 };
  expect([await wrote(channel, {}), await wrote(channel, { from: EVE }), await wrote(other, {})]).toEqual([
    full,
    full,
    full,
  ]);
});

test("CH88 an embedder who sets no limit has none", async (t) => {
  const channel = recordingChannel("test");
  const { agent } = await startAgent(t, { channels: [channel], settings: { maxPending: 100 } });
  void agent.run(new AbortController().signal);
  const all = await Promise.all(Array.from({ length: 30 }, () => channel.deliver("hello")));
  expect(all.every(({ status }) => status === "accepted")).toBe(true);
});

test("CH88 flood/MAX_WRITERS ten thousand people are counted at once; who has been quiet for longest is forgotten", async () => {
  const accept = withoutFlood(() => Promise.resolve({ status: "accepted" } as never), {
    clock: { now: () => 0 },
    limit: { count: 1, perMs: 60_000 },
    passes: () => false,
    keys: { find: () => undefined, taken: () => {} },
    tell: () => Promise.resolve(),
  });
  const write = (id: number) =>
    accept({
      key: "k",
      fromPlatform: true,
      origin: { channel: "test", chat: "1" },
      from: { id: `${id}`, kind: "person" },
      parts: [],
    });
  for (let id = 1; id <= 10_000; id++) await write(id);
  expect(await write(1)).toEqual(IGNORED);
  await write(10_001);
  expect([(await write(2)).status, await write(1)]).toEqual(["accepted", IGNORED]);
});
