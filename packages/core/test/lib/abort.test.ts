import { expect, test } from "vitest";
import { raceAbort, untilAborted } from "../../src/lib/async/abort.ts";
import { toBase64 } from "../../src/lib/media/base64.ts";

test("work that nobody waits for any longer fails with the reason, at once when it was aborted before", async () => {
  const stop = new AbortController();
  expect(await raceAbort(Promise.resolve(1), stop.signal)).toBe(1);
  const never = new Promise<number>(() => {});
  const waiting = raceAbort(never, stop.signal);
  stop.abort("enough"); // a reason need not be an error
  await expect(waiting).rejects.toBe("enough");
  await untilAborted(stop.signal);
  await expect(raceAbort(Promise.resolve(1), stop.signal)).rejects.toBe("enough");
  // What the work says later is nobody's failure.
  await expect(raceAbort(Promise.reject(new Error("late")), stop.signal)).rejects.toBe("enough");
});

test("base64 of more bytes than a call takes arguments", () => {
  const bytes = new Uint8Array(300_001).map((_, index) => index % 251);
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
});
