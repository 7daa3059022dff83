// What a platform delivers twice does something once: whatever conversation it goes to, whatever happened in between.
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Agent } from "../../src/index.ts";
import { receivedKeys } from "../../src/journal/received-keys.ts";
import { addHashes } from "../../src/machine/files/hash-file.ts";
import { fakeClock, recordingChannel, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { collectingLog } from "../support/log.ts";

const ANN = { id: "ann", kind: "person" } as const;

/** An agent whose channel receives until the test ends. */
async function receiving(t: Parameters<typeof startAgent>[0]) {
  const channel = recordingChannel("test");
  const started = await startAgent(t, { channels: [channel], settings: { steering: false } });
  const stop = new AbortController();
  const end = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await work;
  };
  const work = started.agent.run(stop.signal);
  t.onTestFinished(end);
  return { ...started, channel, end };
}

test("DF23 CH22 one key is accepted once, whatever thread or chat it is mapped to, also at the same moment", async (t) => {
  const { channel, model, agent } = await receiving(t);
  model.replies(says("one"));
  const same = await Promise.all([
    channel.deliver("hi", { key: "7" }),
    channel.deliver("hi", { key: "7", thread: "a" }),
    channel.deliver("hi", { key: "7", chat: "2" }),
  ]);
  expect(same.map(({ status }) => status).toSorted()).toEqual(["accepted", "duplicate", "duplicate"]);
  expect(await channel.deliver("hi", { key: "7", thread: "b" })).toEqual({ status: "duplicate" });
  await agent.idle();
  expect(model.requests).toHaveLength(1);
});

test("DF23 CH22 R418 a key stays taken after its conversation was removed, after a restart, and when it begins anew", async (t) => {
  const first = await receiving(t);
  first.model.replies(says("one"));
  await first.channel.deliver("hi", { key: "7" });
  await first.agent.idle();
  expect(await first.agent.sessions.remove(CHAT)).toBe(true);
  expect(await first.channel.deliver("hi", { key: "7" })).toEqual({ status: "duplicate" });
  await first.end();
  const channel = recordingChannel("test");
  const { agent, model } = await first.restart({ channels: [channel] });
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  expect(await channel.deliver("hi", { key: "7" })).toEqual({ status: "duplicate" });
  model.replies(says("two"));
  expect(await channel.deliver("hi again", { key: "8" })).toMatchObject({ status: "accepted" });
  expect(await channel.deliver("hi", { key: "7" })).toEqual({ status: "duplicate" });
  await agent.idle();
  expect(model.requests).toHaveLength(2);
  stop.abort(new Error("enough"));
  await work;
});

test("DF23 CH22 what was refused may come again, and what two programs call the same is two messages", async (t) => {
  const { channel, model, agent } = await receiving(t);
  const hung = stalls();
  model.replies(hung, ...Array.from({ length: 101 }, () => says("ok")));
  await channel.deliver("first", { key: "0" });
  await model.received(1);
  for (let n = 1; n <= 100; n++) await channel.deliver("more", { key: `${n}` });
  expect(await channel.deliver("too much", { key: "101" })).toMatchObject({ status: "refused" });
  hung.release();
  await agent.idle();
  expect(await channel.deliver("too much", { key: "101" })).toMatchObject({ status: "accepted" });
  await agent.idle();
  const web = (chat: string) =>
    agent.bus.accept({
      key: "same",
      origin: { channel: "web", chat },
      from: ANN,
      parts: [{ type: "text", text: "/help" }],
    });
  expect([(await web("1")).status, (await web("2")).status, (await web("1")).status]).toEqual([
    "accepted",
    "accepted",
    "duplicate",
  ]);
});

test.each(["intent", "message"] as const)(
  "DF23 CH22 a crash after the %s makes neither two messages nor none of one",
  async (last) => {
    const cleanups: (() => Promise<void>)[] = [];
    const scope = { onTestFinished: (cleanup: () => Promise<void>) => void cleanups.unshift(cleanup) };
    const started = await startAgent(scope);
    if (last === "message") {
      started.model.replies(says("one"));
      await started.agent.send(CHAT, "hi", { key: "7", origin: { channel: "test", chat: "1" } }).finished;
    }
    mkdirSync(join(started.home, "keys"), { recursive: true });
    await receivedKeys({
      directory: join(started.home, "keys"),
      clock: started.clock,
      log: started.log,
    }).intend("test", "7", CHAT);
    const channel = recordingChannel("test");
    const { agent, model } = await started.restart({ channels: [channel] });
    const stop = new AbortController();
    const work = agent.run(stop.signal);
    if (last === "intent") model.replies(says("one"));
    const again = await channel.deliver("hi", { key: "7", thread: "elsewhere" });
    expect(again.status).toBe(last === "message" ? "duplicate" : "accepted");
    expect((await channel.deliver("hi", { key: "7" })).status).toBe("duplicate");
    await agent.idle();
    expect(model.requests).toHaveLength(1);
    stop.abort(new Error("enough"));
    await work;
    for (const cleanup of cleanups) await cleanup();
  },
);

test("DF23 CH26 an old press that is delivered again stops no later turn, also after a restart", async (t) => {
  const first = await receiving(t);
  const press = { key: "press-1", control: { type: "stop", withdraw: false } } as const;
  const hung = stalls();
  first.model.replies(hung);
  await first.channel.deliver("work", { key: "1" });
  await first.model.received(1);
  expect((await first.channel.deliver([], press)).status).toBe("accepted");
  await first.agent.idle();
  // One that found nothing to stop is taken too.
  const early = { ...press, key: "press-2" };
  expect((await first.channel.deliver([], early)).status).toBe("accepted");
  await first.end();
  const channel = recordingChannel("test");
  const { agent, model, records } = await first.restart({ channels: [channel] });
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  const slow = stalls({ after: "The ", rest: says("answer") });
  model.replies(slow);
  await channel.deliver("work again", { key: "2" });
  await model.received(2);
  for (const each of [press, early, { ...press, thread: "t" }])
    expect(await channel.deliver([], each)).toEqual({ status: "duplicate" });
  slow.release();
  await agent.idle();
  expect(ofType(await records(CHAT), "turn.cancelled")).toHaveLength(1);
  expect(ofType(await records(CHAT), "turn.ended").map(({ reason }) => reason)).toEqual(["cancelled", "done"]);
  // What a press did and that it was taken are one commit.
  expect(await withCancelled(agent)).toEqual([["turn.cancelled", "control.handled"]]);
  stop.abort(new Error("enough"));
  await work;
});

test("R256 /stop and its answer are one commit with what it stopped", async (t) => {
  const { channel, model, agent } = await receiving(t);
  model.replies(stalls());
  await channel.deliver("work");
  await model.received(1);
  await channel.deliver("/stop");
  await agent.idle();
  expect(await withCancelled(agent)).toEqual([["turn.cancelled", "command.handled", "reply.queued"]]);
});

/** What was committed together with each `turn.cancelled`. */
async function withCancelled(agent: Agent): Promise<readonly (readonly string[])[]> {
  const found: string[][] = [];
  const session = await agent.sessions.find(CHAT);
  for await (const { records } of session?.history() ?? []) {
    const types = records.map(({ type }) => type);
    if (types.includes("turn.cancelled")) found.push(types);
  }
  return found;
}

test("CH22 old keys go, those of thirty days and a number of others stay; a damaged file is set aside", async () => {
  await using folder = await temporaryFolder();
  const clock = fakeClock();
  const log = collectingLog();
  const open = () => receivedKeys({ directory: folder.at("keys"), clock, log, least: 10, lines: 20 });
  const take = async (from: number, to: number): Promise<void> => {
    const keys = open();
    for (let n = from; n < to; n++) {
      await keys.intend("a/b", `k${n}`, "s");
      keys.taken("a/b", `k${n}`);
    }
    await keys.intend("a/b", "last", "s");
  };
  const known = (from: number, to: number): number =>
    Array.from({ length: to - from }, (_, n) => open().find("a/b", `k${from + n}`)).filter(Boolean).length;
  await take(0, 40);
  expect(known(0, 40)).toBe(40);
  expect(open().find("a/b", "last")).toEqual({ session: "s" });
  clock.jump(29 * 86_400_000);
  await take(40, 80);
  expect(known(0, 80)).toBe(80);
  clock.jump(2 * 86_400_000);
  await take(80, 120);
  expect([known(0, 40), known(40, 120)]).toEqual([0, 80]);
  clock.jump(31 * 86_400_000);
  await take(120, 125);
  await take(125, 135);
  expect(known(0, 135)).toBeGreaterThanOrEqual(10);
  expect(known(120, 135)).toBe(15);
  expect(open().find("a/b", "last")).toEqual({ session: "s" });
  const name = readdirSync(folder.at("keys")).find((each) => each.endsWith(".journal")) ?? "";
  writeFileSync(folder.at(`keys/${name}`), "damaged\n");
  expect(open().find("a/b", "last")).toBeUndefined();
  expect(open().find("a/b", "k120")).toBe("taken");
  expect(log.lines.map(({ event }) => event)).toEqual(["keys.damaged"]);
  expect(readdirSync(folder.at("keys")).some((each) => each.includes(".damaged-"))).toBe(true);
});

test("CH85 a hundred thousand keys take less than 20 MB, and what is looked up first after a start waits for none of them", async () => {
  await using folder = await temporaryFolder();
  const all = { directory: folder.at("keys"), clock: fakeClock(), log: collectingLog() };
  const keys = receivedKeys(all);
  const name = (n: number): string => `-1001234567890:${n}`;
  // Those before are there as they would be; the last three hundred are taken one by one.
  mkdirSync(folder.at("keys"));
  const before = Array.from({ length: 99_700 }, (_, n) => ({ text: name(n), at: all.clock.now() }));
  addHashes(folder.at("keys/telegram.hashes"), before, { least: 100_000, before: 0 });
  for (let n = 99_700; n < 100_000; n += 1) {
    await keys.intend("telegram", name(n), "telegram:-1001234567890:77");
    keys.taken("telegram", name(n));
  }
  await keys.intend("telegram", "the last", "s");
  const sizes = readdirSync(folder.at("keys")).map((file) => statSync(folder.at(`keys/${file}`)).size);
  expect(Math.max(...sizes)).toBeLessThan(4_000_000);
  const looks = Array.from({ length: 20 }, (_, index) => {
    const begun = performance.now();
    expect(receivedKeys(all).find("telegram", name(99_999 - index * 4000))).toBe("taken");
    return performance.now() - begun;
  });
  expect(receivedKeys(all).find("telegram", name(100_000))).toBeUndefined();
  // Of many, as a machine that does much else has its pauses.
  expect(Math.min(...looks)).toBeLessThan(5);
});

test("CH85 CH22 keys that are taken while others are on their way are known after any start, and twice nowhere", async () => {
  await using folder = await temporaryFolder();
  const open = () =>
    receivedKeys({ directory: folder.at("keys"), clock: fakeClock(), log: collectingLog(), lines: 10 });
  const keys = open();
  const take = async (n: number): Promise<void> => {
    await keys.intend("a", `k${n}`, "s");
    keys.taken("a", `k${n}`);
  };
  await Promise.all(Array.from({ length: 200 }, (_, n) => take(n)));
  await keys.intend("a", "open", "s");
  for (let n = 0; n < 200; n++) expect(open().find("a", `k${n}`), `k${n}`).toBe("taken");
  expect(open().find("a", "open")).toEqual({ session: "s" });
});
