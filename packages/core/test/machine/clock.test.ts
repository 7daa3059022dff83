import { expect, test } from "vitest";
import { systemClock } from "../../src/machine/system/clock.ts";

test("a sleep that is ended rejects with the signal's own reason, whatever it is", async () => {
  const clock = systemClock();
  for (const reason of [new Error("stop"), "stop"]) {
    const controller = new AbortController();
    const before = clock.sleep(60_000, AbortSignal.abort(reason));
    const during = clock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(before).rejects.toBe(reason);
    await expect(during).rejects.toBe(reason);
  }
});
