// CH29, CH178: what channels cost while much is written, and while nothing is.
import { expect, test } from "vitest";
import { recordingChannel, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { startAgent } from "../support/agent.ts";

const CHANNELS = 100;
const MESSAGES = 100;

test("CH29 messages of a hundred channels are taken while no turn ends, each in a moment", async (t) => {
  const channels = Array.from({ length: CHANNELS }, (_, index) => recordingChannel(`c${index}`));
  const { agent, model } = await startAgent(t, { channels });
  model.route(() => true, ...Array.from({ length: MESSAGES }, () => stalls()));
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  t.onTestFinished(async () => {
    stop.abort(new Error("enough"));
    await agent[Symbol.asyncDispose]();
    await work;
  });
  const before = process.cpuUsage();
  for (let n = 0; n < MESSAGES; n += 1) {
    const channel = channels[n % CHANNELS];
    expect(await channel?.deliver(`message ${n}`, { chat: String(n % 7) })).toMatchObject({ status: "accepted" });
  }
  // By the processor and not by the clock: this machine may do much else. All that the turns begin with is in it.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000 / MESSAGES).toBeLessThan(50);
  expect(agent.reservedTokens, "none of the turns has ended").toBeGreaterThan(0);
});

test("CH178 a day in which nothing is written asks no model, writes nothing, and leaves no more timers than there were", async (t) => {
  const channel = recordingChannel("test", { typingMs: 5000, edit: true, live: { everyMs: 1000 }, burstMs: 1000 });
  const { agent, model, clock, records } = await startAgent(t, { channels: [channel] });
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  t.onTestFinished(async () => {
    stop.abort(new Error("enough"));
    await work;
  });
  model.replies(says("Yes."));
  await channel.deliver("are you there?");
  await clock.advance(2000);
  await channel.received(1);
  await agent.idle();
  const asked = model.requests.length;
  const written = (await records("test:1")).length;
  const timers = clock.pending().length;
  for (let hour = 0; hour < 24; hour += 1) await clock.advance(3_600_000);
  expect([model.requests.length, (await records("test:1")).length]).toEqual([asked, written]);
  expect(clock.pending().length).toBeLessThanOrEqual(timers);
  expect(channel.sent).toHaveLength(1);
});
