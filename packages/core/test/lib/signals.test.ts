// A signal may outlive what listens to it by hours: that of a browser tab, that of the whole agent.
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { asyncQueue } from "../../src/lib/async/async-queue.ts";
import { heardBefore } from "../../src/lib/async/heard-before.ts";

test("what is read to its end, or given up, leaves nothing on a signal that goes on", async () => {
  const { signal } = new AbortController();
  const late = new AbortController().signal;
  const queue = asyncQueue<number>(signal);
  queue.push(1);
  for await (const item of queue) {
    expect([item, getEventListeners(signal, "abort").length]).toEqual([1, 1]);
    break;
  }
  // Nothing in it counts as heard, so that only its end lets go of `late`.
  const open = async function* (): AsyncGenerator<number> {
    await Promise.resolve();
    yield 2;
  };
  for await (const item of heardBefore({ open, isHeard: () => false, late, signal }))
    expect([item, getEventListeners(late, "abort").length]).toEqual([2, 1]);
  expect([signal, late].map((one) => getEventListeners(one, "abort"))).toEqual([[], []]);
});
