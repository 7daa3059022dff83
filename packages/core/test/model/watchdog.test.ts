import { expect, test } from "vitest";
import type { ModelEvent, Provider } from "../../src/contract/provider.ts";
import { createActivity, withWatchdog } from "../../src/model/watchdog.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { hear, modelRequest } from "../support/wire-provider.ts";

/** Yields each event when it is pushed; waits for ever otherwise, whatever its signal says. */
function pushed(): {
  readonly provider: Provider;
  readonly push: (event: ModelEvent) => void;
  readonly signal: () => AbortSignal | undefined;
} {
  const queue: ModelEvent[] = [];
  let wake = (): void => undefined;
  let seen: AbortSignal | undefined;
  async function* stream(_: unknown, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    seen = signal;
    for (;;) {
      const event = queue.shift();
      if (event === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      else {
        yield event;
        if (event.type === "done") return;
      }
    }
  }
  return {
    provider: { id: "vendor", stream },
    push: (event) => {
      queue.push(event);
      wake();
    },
    signal: () => seen,
  };
}

const text = (said: string): ModelEvent => ({ type: "text.delta", index: 0, text: said });
const DONE: ModelEvent = { type: "done", finish: "stop", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };

test("R73 PR13 a stream that stalls is given up after 90 s of silence and its request is aborted", async () => {
  const clock = fakeClock();
  const source = pushed();
  const heard = hear(withWatchdog(source.provider, clock));
  source.push(text("Hel"));
  await clock.waitForSleep();
  await clock.advance(89_999);
  expect(source.signal()?.aborted).toBe(false);
  await clock.advance(1);
  expect(await heard).toMatchObject({ text: "Hel", error: { code: "provider.timeout", retryable: true } });
  expect(source.signal()?.aborted).toBe(true);
  expect(clock.pending()).toEqual([]);
});

test("R73 each event starts the silence anew, but 300 s in all are the end", async () => {
  const clock = fakeClock();
  const source = pushed();
  const events: ModelEvent[] = [];
  const reading = (async () => {
    for await (const event of withWatchdog(source.provider, clock).stream(modelRequest(), new AbortController().signal))
      events.push(event);
  })();
  const failed = reading.catch((error: unknown) => error);
  for (let n = 0; n < 4; n++) {
    source.push(text("."));
    await clock.waitForSleep();
    await clock.advance(70_000);
  }
  await clock.advance(20_000);
  expect(await failed).toMatchObject({ code: "provider.timeout", details: { afterMs: 300_000 } });
  expect(events.length).toBe(4);
});

test("PR13 the first byte has its own deadline", async () => {
  const clock = fakeClock();
  const heard = hear(withWatchdog(pushed().provider, clock, { firstByteMs: 10_000 }));
  await clock.waitForSleep();
  await clock.advance(10_000);
  expect((await heard).error).toMatchObject({ code: "provider.timeout", details: { afterMs: 10_000 } });
});

test("bytes that are no events keep a request alive", async () => {
  const clock = fakeClock();
  const activity = createActivity();
  const source = pushed();
  const heard = hear(withWatchdog(source.provider, clock, { idleMs: 10_000 }, activity));
  await clock.waitForSleep();
  await clock.advance(9000);
  activity.touch(source.signal());
  await clock.advance(9000);
  expect(source.signal()?.aborted).toBe(false);
  source.push(DONE);
  expect((await heard).error).toBeUndefined();
});

test("a finished stream leaves no timer, and the caller's reason is thrown as it is", async () => {
  const clock = fakeClock();
  const source = pushed();
  const heard = hear(withWatchdog(source.provider, clock));
  source.push(DONE);
  await heard;
  expect(clock.pending()).toEqual([]);
  const controller = new AbortController();
  const reason = new Error("stopped");
  const reading = (async () => {
    for await (const event of withWatchdog(pushed().provider, clock).stream(modelRequest(), controller.signal))
      void event;
  })();
  controller.abort(reason);
  await expect(reading).rejects.toBe(reason);
  expect(clock.pending()).toEqual([]);
});

test("a stop that comes while an event is looked at ends the request, also when the provider ignores it", async () => {
  const clock = fakeClock();
  const source = pushed();
  const controller = new AbortController();
  const reason = new Error("stopped");
  const events = withWatchdog(source.provider, clock).stream(modelRequest(), controller.signal)[Symbol.asyncIterator]();
  source.push(text("a"));
  expect(await events.next()).toMatchObject({ value: { text: "a" } });
  controller.abort(reason);
  await expect(events.next()).rejects.toBe(reason);
  expect(clock.pending()).toEqual([]);
});
