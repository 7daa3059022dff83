import type { Channel, OutboundMessage } from "@margay/core";
import { expect, test } from "vitest";
import { createTerminalChannel } from "../../src/features/channels/terminal.ts";

const REPLY: OutboundMessage = {
  reply: "r1",
  to: { channel: "cli", chat: "direct" },
  kind: "reply",
  parts: [{ type: "text", text: "hello" }],
};
const NOBODY: Parameters<Channel["run"]>[0] = {
  accept: () => Promise.resolve({ status: "duplicate" }),
  admits: () => Promise.resolve(true),
  edited: () => Promise.reject(new Error("nobody changes anything here")),
  reacted: () => Promise.resolve("ignored"),
  undelivered: () => Promise.reject(new Error("nothing is lost here")),
  removed: () => Promise.reject(new Error("nobody takes anything back here")),
  press: () => Promise.resolve({ status: "unknown", text: "" }),
};
const never = new AbortController().signal;

test("R257 a reply waits for a view, and for the next start when the process stops before one comes", async () => {
  const channel = createTerminalChannel();
  const stop = new AbortController();
  const running = channel.run(NOBODY, stop.signal);
  const waits = channel.send(REPLY, never);
  waits.catch(() => {}); // looked at below
  stop.abort(new Error("left"));
  await running;
  await expect(waits).rejects.toMatchObject({ code: "process.stopping", retryable: true });
  await expect(channel.send(REPLY, never)).rejects.toMatchObject({ code: "process.stopping" });
});

test("a reply that waited is shown by the view that comes", async () => {
  const channel = createTerminalChannel();
  const seen: OutboundMessage[] = [];
  const waits = channel.send(REPLY, never);
  channel.attach((message) => seen.push(message));
  await waits;
  expect(seen).toEqual([REPLY]);
});
