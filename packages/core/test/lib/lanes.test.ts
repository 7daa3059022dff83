import { expect, test } from "vitest";
import { createLanes } from "../../src/lib/async/lanes.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

test("what interrupts a conversation is done before anything else begins there, and other conversations go on", async () => {
  const said: string[] = [];
  const lanes = createLanes({
    concurrency: () => 8,
    clock: fakeClock(),
    failed: (_key, error) => said.push(`failed ${String(error)}`),
    work: async (key, signal) => {
      said.push(`${key} begins`);
      if (said.filter((line) => line === "a begins").length > 1 || key === "b") return {};
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      said.push(`${key} ends`);
      return {};
    },
  });
  lanes.wake("a");
  const stopped = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const stopping = lanes.interrupt("a", new Error("stop"), async () => {
    lanes.wake("a"); // a message that came meanwhile
    lanes.wake("b");
    begun.resolve();
    await stopped.promise;
    said.push("stopped");
    return "its answer";
  });
  await begun.promise;
  lanes.wake("a");
  expect(lanes.busy).toBe(true);
  stopped.resolve();
  expect(await stopping).toBe("its answer");
  await lanes.idle();
  expect(said).toEqual(["a begins", "a ends", "b begins", "stopped", "a begins"]);
  expect(lanes.busy).toBe(false);
});

test("of two that interrupt the same conversation both are done before it goes on, also when one fails", async () => {
  const said: string[] = [];
  const lanes = createLanes({
    concurrency: () => 1,
    clock: fakeClock(),
    failed: () => undefined,
    work: async () => {
      said.push("begins");
      await Promise.resolve();
      return {};
    },
  });
  const second = Promise.withResolvers<void>();
  const one = lanes.interrupt("a", new Error("stop"), async () => {
    await Promise.resolve();
    throw new Error("the disk is full");
  });
  const other = lanes.interrupt("a", new Error("stop"), async () => {
    await second.promise;
    said.push("done");
  });
  lanes.wake("a");
  await expect(one).rejects.toThrow("the disk is full");
  second.resolve();
  await other;
  await lanes.idle();
  expect(said).toEqual(["done", "begins"]);
});
