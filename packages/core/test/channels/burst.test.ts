// Lines that one person sends one after the other, where their channel waits for more.
import { expect, test } from "vitest";
import type { Sender } from "../../src/contract/message.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, startAgent, type StartOptions } from "../support/agent.ts";

const EVA: Sender = { id: "eva", kind: "person" };
const BURST_MS = 1200;

async function slow(t: Parameters<typeof startAgent>[0], options: StartOptions = {}) {
  const channel = recordingChannel("test", { burstMs: BURST_MS });
  const started = await startAgent(t, { ...options, channels: [channel] });
  void started.agent.run(new AbortController().signal);
  const asked = (): readonly (readonly string[])[] =>
    started.model.requests.map((request) => request.texts("user").filter((text) => !text.startsWith("<runtime")));
  return { ...started, channel, asked };
}

test("CH77 the lines of one person are one question: it is asked when they pause, without steering too", async (t) => {
  for (const steering of [true, false]) {
    const { channel, agent, model, clock, asked } = await slow(t, { settings: { steering } });
    model.replies(says("both"), says("this too"));
    await channel.deliver("look at");
    await clock.waitForSleep(1, BURST_MS);
    await clock.advance(BURST_MS - 100);
    await channel.deliver("this");
    await clock.advance(BURST_MS - 100);
    expect(model.requests).toEqual([]);
    await clock.advance(BURST_MS);
    await agent.idle();
    expect(asked()).toEqual([["look at", "this"]]);
    await clock.advance(BURST_MS);
    await channel.deliver("and another");
    await clock.waitForSleep(1, BURST_MS);
    await clock.advance(BURST_MS);
    await agent.idle();
    expect(asked()).toHaveLength(2);
  }
});

test("CH77 channels/burst/MAX_BURST_MS whoever writes on and on is answered after ten seconds", async (t) => {
  const { channel, model, clock, asked } = await slow(t);
  model.replies(says("stop"), says("well"));
  for (let line = 0; line < 10; line++) {
    await channel.deliver(`line ${line}`);
    await clock.advance(1000);
  }
  await model.received(1);
  expect(asked()[0]).toHaveLength(10);
});

test("CH77 what somebody else writes is no part of it, and ends it", async (t) => {
  const { channel, agent, model, clock, asked } = await slow(t, { settings: { steering: false } });
  const first = stalls({ rest: says("Anna") });
  model.replies(first, says("Eva"), says("Anna again"));
  await channel.deliver("mine");
  await clock.waitForSleep(1, BURST_MS);
  await channel.deliver("hers", { from: EVA });
  await channel.deliver("mine again");
  await clock.advance(BURST_MS);
  await model.received(1);
  first.release();
  await clock.advance(BURST_MS);
  await clock.advance(BURST_MS);
  await agent.idle();
  expect(asked().map((texts) => texts.at(-1))).toEqual(["mine", "hers", "mine again"]);
});

test("CH77 a line whose beginning was taken back is no part of what somebody else asked", async (t) => {
  const { channel, agent, model, clock, asked } = await slow(t, { settings: { steering: false } });
  const first = stalls({ rest: says("Anna") });
  model.replies(first, says("Eva"), says("Anna again"));
  await channel.deliver("mine");
  await clock.waitForSleep(1, BURST_MS);
  await clock.advance(BURST_MS);
  await model.received(1);
  await channel.deliver("hers", { from: EVA });
  await channel.deliver("oh", { key: "oh" });
  await channel.deliver("mine again");
  expect(await channel.erase("oh")).toBe("withdrawn");
  first.release();
  await model.received(2);
  await clock.waitForSleep(1, BURST_MS);
  await clock.advance(BURST_MS);
  await agent.idle();
  expect(asked().map((texts) => texts.at(-1))).toEqual(["mine", "hers", "mine again"]);
});

test("CH77 a clock that is set back holds no answer, and joins nothing that is not to be joined", async (t) => {
  const { channel, agent, model, clock, asked } = await slow(t);
  model.replies(says("here"));
  await channel.deliver("look at this");
  await clock.waitForSleep(1, BURST_MS);
  clock.jump(-3_600_000);
  await clock.advance(BURST_MS);
  await model.received(1);
  await agent.idle();
  expect(asked()).toEqual([["look at this"]]);
  const plain = recordingChannel("test");
  const other = await startAgent(t, { channels: [plain], settings: { steering: false } });
  const first = stalls({ rest: says("one moment") });
  other.model.replies(first, says("one"), says("two"));
  void other.agent.run(new AbortController().signal);
  await plain.deliver("begin");
  await other.model.received(1);
  await plain.deliver("one?");
  other.clock.jump(-3_600_000);
  await plain.deliver("two?");
  first.release();
  await other.agent.idle();
  expect(other.model.requests.map((request) => request.texts("user").at(-1))).toEqual(["begin", "one?", "two?"]);
});

test("CH77 across a restart no line is lost, and they are answered together", async (t) => {
  const started = await slow(t, { settings: { steering: false } });
  await started.channel.deliver("look at", { key: "1" });
  await started.channel.deliver("this", { key: "2" });
  const again = recordingChannel("test", { burstMs: BURST_MS });
  const { agent, model, clock } = await started.restart({ channels: [again] });
  model.replies(says("both"));
  await clock.advance(BURST_MS);
  void agent.run(new AbortController().signal);
  await again.received(1);
  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]?.texts("user").slice(-2)).toEqual(["look at", "this"]);
  expect(await again.deliver("this", { key: "2" })).toEqual({ status: "duplicate" });
  expect((await agent.sessions.find(CHAT))?.state.pending).toEqual([]);
});

test("CH27 what waited on its platform is one turn, oldest first, and says when it was written", async (t) => {
  const channel = recordingChannel("test");
  const { agent, model, clock } = await startAgent(t, { channels: [channel], settings: { steering: false } });
  const first = stalls({ rest: says("one moment") });
  model.replies(first, says("all of it"));
  void agent.run(new AbortController().signal);
  await channel.deliver("begin");
  await model.received(1);
  const at = (minutes: number): number => clock.now() - minutes * 60_000;
  await channel.deliver("an hour ago", { sentAt: at(60) });
  await channel.deliver("half an hour ago", { sentAt: at(30) });
  await channel.deliver("just now", { sentAt: at(1) });
  first.release();
  await model.received(2);
  const rows = (await agent.sessions.find(CHAT))?.state.messages.flatMap((row) => (row.role === "user" ? [row] : []));
  expect(rows?.slice(1).map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")))).toEqual([
    ["an hour ago", `(written at ${new Date(at(60)).toISOString()})`],
    ["half an hour ago", `(written at ${new Date(at(30)).toISOString()})`],
  ]);
});
