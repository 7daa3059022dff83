// What waits for a chat, and how long: each bound at n, and at one more.
import { createPrinter } from "../../src/channels/markup/printer.ts";
import { expect, test } from "vitest";
import { createPacer } from "../../src/channels/pacer.ts";
import { failureOf } from "../../src/channels/failure.ts";
import { createDelivery } from "../../src/loop/outbox.ts";
import type { DeliveryOptions } from "../../src/loop/outbox.ts";
import { fakeClock, recordingChannel } from "../../src/testing.ts";
import { ChannelFault } from "../../src/internal.ts";
import { collectingLog } from "../support/log.ts";

const clock = fakeClock();
const options = {
  clock,
  random: () => 0,
  log: collectingLog(),
  retryMs: () => 3_600_000,
  redact: (text: string) => text,
};

test("R258 CH84 the wait for another attempt doubles up to five minutes", () => {
  const waited = (attempt: number): number => {
    const item = {
      reply: "r",
      to: { channel: "test", chat: "1" },
      kind: "reply",
      parts: [],
      attempt,
      queuedAt: clock.now(),
    } as const;
    const error = new ChannelFault("again", "away");
    const { record } = failureOf({ item, piece: 1, channel: "test", error }, options);
    return record.type === "reply.failed" ? (record.retryAt ?? 0) - clock.now() : 0;
  };
  expect([waited(0), waited(8), waited(9), waited(20)]).toEqual([1000, 256_000, 300_000, 300_000]);
});

test("outbox/MAX_PROGRESS: twenty lines of progress wait for a chat, what comes while they wait is not shown", async () => {
  const shown = async (count: number): Promise<readonly string[]> => {
    const channel = recordingChannel("test");
    const delivery = createDelivery({
      ...options,
      channel: () => channel,
      late: String,
      printer: (text) => Promise.resolve(createPrinter(text)),
      pacer: createPacer(options.clock),
      live: {
        opening: () => undefined,
        replace: () => Promise.resolve(false),
        find: () => Promise.resolve(undefined),
        remove: () => Promise.resolve(),
        removeBehind: () => Promise.resolve(),
      },
    } satisfies DeliveryOptions);
    for (let n = 1; n <= count; n++) {
      const to = { channel: "test", chat: "1" };
      delivery.show({ reply: `p${n}`, to, kind: "progress", parts: [{ type: "text", text: `step ${n}` }] });
    }
    await delivery.idle();
    await delivery.close(new Error("over"));
    return channel.texts();
  };
  const steps = Array.from({ length: 20 }, (_, n) => `step ${n + 1}`);
  expect(await shown(20)).toEqual(steps);
  expect(await shown(21)).toEqual(steps);
});
