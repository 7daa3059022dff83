/** What `margay channels` does: the senders that were paired, and one message past the outbox. */
import { randomUUID } from "node:crypto";
import { silentLog, systemClock } from "@margay/core/internal";
import { openPairing, type Pairing } from "../features/access/pairing.ts";
import { CHANNEL_IDS, isKnownChannel } from "../config/channel-ids.ts";
import { createChannel, type ChannelConfig } from "../features/channels/list.ts";
import type { Places } from "../config/paths.ts";

/** The running process reads the same file, anew for each sender. */
export function pairedSenders(places: Places): Pairing {
  return openPairing(places.channels, systemClock());
}

/** Those there are. */
export const CHANNEL_NAMES: readonly string[] = CHANNEL_IDS;

export function isChannel(id: string): boolean {
  return isKnownChannel(id);
}

export interface TestMessage {
  readonly channel: string;
  readonly chat: string;
  readonly text: string;
}

/** Once, at once. @throws RuntimeError `config.invalid`, `channel.failed`: whoever tests wants to see it. */
export async function sendTest(
  { channel: id, chat, text }: TestMessage,
  config: ChannelConfig,
  signal: AbortSignal,
): Promise<void> {
  const channel = createChannel(id, config, { clock: systemClock(), log: silentLog });
  const reply = `test-${randomUUID()}`;
  await channel.send({ reply, to: { channel: id, chat }, kind: "message", parts: [{ type: "text", text }] }, signal);
}
