import { expect, test } from "vitest";

import type { InboundMessage } from "../../src/contract/bus.ts";
import { channelConformance, recordingChannel } from "../../src/testing.ts";

channelConformance(
  (name, run) => test(`recording ${name}`, run),
  () => {
    const channel = recordingChannel("rec", { edit: true });
    const chat = { channel: "rec", chat: "1" };
    return Promise.resolve({
      channel,
      chat,
      other: { channel: "rec", chat: "2" },
      refuse: (sends: number) => channel.failNext(sends),
      async write(id: number, text: string) {
        await Promise.race([channel.deliver(text, { key: String(id) }), Promise.resolve()]);
      },
      shown: () =>
        channel.sent.map((message, index) => {
          const edit = channel.edits.findLast((candidate) => candidate.platformId === `platform-${index + 1}`);
          const parts = (edit?.message ?? message).parts;
          return { to: message.to, text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("") };
        }),
    });
  },
);

test("it counts attempts apart from what arrived", async () => {
  const channel = recordingChannel("rec");
  const reply = {
    reply: "r",
    to: { channel: "rec", chat: "1" },
    kind: "reply",
    parts: [{ type: "text", text: "hi" }],
  } as const;
  channel.failNext(2);
  const signal = new AbortController().signal;
  const arrived = channel.received(1);
  await expect(channel.send(reply, signal)).rejects.toThrow("told to fail");
  await expect(channel.send(reply, signal)).rejects.toThrow("told to fail");
  await channel.send(reply, signal);
  await arrived;
  expect([channel.attempts.length, channel.texts("reply"), channel.texts("error")]).toEqual([3, ["hi"], []]);
});

test("a person can write before the channel runs", async () => {
  const channel = recordingChannel("rec");
  const seen: InboundMessage[] = [];
  const controller = new AbortController();
  const delivered = channel.deliver("hi", { chat: "7", thread: "t" });
  const running = channel.run(
    {
      accept(message) {
        seen.push(message);
        return Promise.resolve({ status: "duplicate" });
      },
      admits: () => Promise.resolve(true),
      edited: () => Promise.reject(new Error("nobody changes anything here")),
      reacted: () => Promise.resolve("ignored"),
      undelivered: () => Promise.resolve("ignored"),
      removed: () => Promise.reject(new Error("nobody takes anything back here")),
      press: () => Promise.resolve({ status: "unknown", text: "" }),
    },
    controller.signal,
  );
  expect(await delivered).toEqual({ status: "duplicate" });
  expect(seen).toEqual([
    {
      key: "1",
      origin: { channel: "rec", chat: "7", thread: "t" },
      from: { id: "person", kind: "person" },
      parts: [{ type: "text", text: "hi" }],
    },
  ]);
  controller.abort();
  await running;
});
