/** Lines that one person sends one after the other. Pure. */
import type { Millis } from "../contract/base.ts";
import type { InboundMessage } from "../contract/bus.ts";
import type { SessionState } from "../contract/session.ts";
import { sameAddress } from "../lib/session-key.ts";

/** Whether somebody goes on with what they said a moment ago, which still waits. */
export function isMore(
  { pending }: SessionState,
  { from, origin, replyTo = origin }: InboundMessage,
  burstMs: (channel: string) => Millis,
  now: Millis,
): boolean {
  const last = pending.at(-1);
  if (last === undefined || from.kind !== "person" || last.message.from.id !== from.id) return false;
  return sameAddress(last.replyTo, replyTo) && now - last.message.at < burstMs(origin.channel);
}
