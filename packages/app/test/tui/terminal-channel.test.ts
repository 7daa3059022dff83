import { expect, test } from "vitest";
import { channelConformance } from "@margay/core/testing";
import type { OutboundMessage } from "@margay/core";
import { createTerminalChannel } from "../../src/features/channels/terminal.ts";

const message = (reply: string): OutboundMessage => ({
  reply,
  to: { channel: "cli", chat: "direct" },
  kind: "reply",
  parts: [{ type: "text", text: reply }],
});
const never = new AbortController().signal;

channelConformance(test, () => {
  const channel = createTerminalChannel();
  const shown: OutboundMessage[] = [];
  channel.attach((reply) => shown.push(reply));
  return Promise.resolve({
    channel,
    chat: { channel: "cli", chat: "direct" },
    shown: () =>
      shown.map(({ to, parts }) => ({
        to,
        text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
      })),
  });
});

test("R41 a reply waits until somebody can read it, and is delivered once", async () => {
  const channel = createTerminalChannel();
  const seen: string[] = [];
  const sent = [channel.send(message("one"), never), channel.send(message("two"), never)];
  const detach = channel.attach(({ reply }) => seen.push(reply));
  await Promise.all(sent);
  expect(seen).toEqual(["one", "two"]);
  detach();
  const stop = new AbortController();
  const third = channel.send(message("three"), stop.signal);
  stop.abort(new Error("the process stops"));
  await expect(third).rejects.toThrow("the process stops");
  expect(seen).toEqual(["one", "two"]);
});
