import { silentLog } from "@margay/core/internal";
import { fakeClock } from "@margay/core/testing";
import { expect, test } from "vitest";
import { runParts, type Part } from "../src/host/run-parts.ts";

test("a part that fails starts again after a growing pause and does not end the others", async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const starts: number[] = [];
  const begun = clock.monotonic();
  const third = Promise.withResolvers<void>();
  const failing: Part = {
    name: "failing",
    run: async () => {
      starts.push(clock.monotonic() - begun);
      if (starts.length === 3) third.resolve();
      throw new Error("no network");
    },
  };
  let steadyEnded = false;
  const steady: Part = {
    name: "steady",
    run: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          steadyEnded = true;
          resolve();
        });
      }),
  };
  const running = runParts([failing, steady], { clock, log: silentLog }, stop.signal);
  await clock.advance(1000);
  await clock.advance(2000);
  await third.promise;
  expect({ starts, steadyEnded }).toEqual({ starts: [0, 1000, 3000], steadyEnded: false });
  stop.abort();
  await running;
  expect(steadyEnded).toBe(true);
});
