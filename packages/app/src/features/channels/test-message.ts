/** One message past the outbox, to see whether a channel works. */
import { randomUUID } from "node:crypto";
import type { ChannelConfig } from "./kinds.ts";
import { type ChannelDeps, createChannel } from "./list.ts";

export interface TestMessage {
  readonly channel: string;
  readonly chat: string;
  readonly text: string;
}

/** Once, at once. @throws RuntimeError `config.invalid`, `channel.failed`: whoever tests wants to see it. */
export async function sendTest(
  { channel: id, chat, text }: TestMessage,
  config: ChannelConfig,
  deps: ChannelDeps,
  signal: AbortSignal,
): Promise<void> {
  const channel = createChannel(id, config, deps);
  const reply = `test-${randomUUID()}`;
  await channel.send({ reply, to: { channel: id, chat }, kind: "message", parts: [{ type: "text", text }] }, signal);
}
