// CH84: one way to wait before the next attempt, for what receives and for what is sent.
import { expect, test } from "vitest";
import { ChannelFault } from "../../src/lib/errors/channel-fault.ts";
import { recordingChannel } from "../../src/testing.ts";
import { startAgent } from "../support/agent.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

test("CH84 a channel that cannot receive is tried again later and later, five minutes at most; one that ran well begins anew", async (t) => {
  const { pauses, next, clock } = await failing(t, new ChannelFault("again", "The line is dead.", { sent: "no" }));
  for (let attempt = 0; attempt < 11; attempt += 1) await next();
  for (const [index, pause] of pauses().entries()) {
    const usual = Math.min(5 * MINUTE, SECOND * 2 ** index);
    expect(pause, `attempt ${index + 1}`).toBeGreaterThanOrEqual(usual * 0.8);
    expect(pause, `attempt ${index + 1}`).toBeLessThanOrEqual(usual * 1.2);
  }
  expect(new Set(pauses().slice(-3)).size, "not all at the same moment").toBeGreaterThan(1);
  await next(() => clock.advance(5 * MINUTE));
  expect(pauses().at(-1)).toBeLessThanOrEqual(1.2 * SECOND);
});

test("CH84 what the platform asks for is waited for before it is connected to anew, whatever the attempt, and a day at most", async (t) => {
  const fault = (retryAfterMs: number) => new ChannelFault("again", "No sessions are left.", { retryAfterMs });
  const errors = [fault(40 * MINUTE), fault(40 * MINUTE), fault(1e12)];
  const { pauses, next } = await failing(t, ...errors);
  for (let attempt = 0; attempt < 3; attempt += 1) await next();
  for (const pause of pauses().slice(0, 2)) {
    expect(pause).toBeGreaterThanOrEqual(40 * MINUTE);
    expect(pause).toBeLessThanOrEqual(44 * MINUTE);
  }
  expect(pauses().at(2)).toBeLessThanOrEqual(24 * 60 * MINUTE);
});

/** A channel whose runs end so: the last one again and again. */
async function failing(t: Parameters<typeof startAgent>[0], ...errors: readonly Error[]) {
  let runs = 0;
  let begun = Promise.withResolvers<void>();
  let end = Promise.withResolvers<void>();
  const channel = {
    ...recordingChannel("test"),
    run: async (): Promise<never> => {
      const error = errors[Math.min(runs, errors.length - 1)] ?? new Error("no error was given");
      runs += 1;
      begun.resolve();
      await end.promise;
      throw error;
    },
  };
  const { agent, clock, log } = await startAgent(t, { channels: [channel] });
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  t.onTestFinished(async () => {
    stop.abort(new Error("enough"));
    end.resolve();
    await work;
  });
  const pauses = (): readonly number[] =>
    log.lines.filter(({ event }) => event === "channel.stopped").map(({ data }) => Number(data["pauseMs"]));
  return {
    clock,
    pauses,
    /** This run ends, and the pause after it. */
    next: async (meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> => {
      await begun.promise;
      begun = Promise.withResolvers<void>();
      const before = pauses().length;
      const over = end;
      end = Promise.withResolvers<void>();
      await meanwhile();
      over.resolve();
      await expect.poll(() => pauses().length).toBe(before + 1);
      await clock.advance(pauses().at(-1) ?? 0);
    },
  };
}
