/** Whether a piece stands in its chat already: in the place of what has shown it so far, or from an attempt before this one. */
import type { Clock } from "../../contract/base.ts";
import type { QueuedReply } from "../../contract/bus.ts";
import type { Channel, OutboundPiece } from "../../contract/channel.ts";
import type { LiveText } from "./live.ts";

export interface StandsOptions {
  readonly clock: Pick<Clock, "now">;
  readonly live: Pick<LiveText, "find" | "remove" | "replace">;
}

/** It may be there already, nobody can tell, and the owner of the channel wants to be asked then. Nothing was sent. */
export class UncertainPiece extends Error {
  override readonly name = "UncertainPiece";
}

/** @returns its id there; undefined: it is to be sent. @throws as `edit` and `findSent`; `UncertainPiece`. */
export async function standsThere(
  channel: Channel,
  message: OutboundPiece,
  item: QueuedReply,
  signal: AbortSignal,
  { clock, live }: StandsOptions,
): Promise<{ readonly id?: string } | undefined> {
  const { reply, queuedAt } = item;
  const place = reply === message.reply ? 1 : Number(message.reply.slice(reply.length + 1));
  const shown = item.live?.[place - 1];
  // Each piece comes in place of a message that has shown it so far; a file cannot.
  if (shown !== undefined) {
    const { parts, actions: _actions, ...others } = message;
    const words = parts.filter(({ type }) => type === "text");
    const id = shown.id ?? (await live.find(channel, { ...others, parts: words }, shown, signal));
    const fits = words.length === parts.length;
    if (id !== undefined && fits && (await live.replace(channel, id, message, signal))) return { id };
    if (id !== undefined) await live.remove(channel, id, item.to);
  }
  if (message.repeated === true) {
    const found = channel.can.once === "lookup" ? await channel.findSent?.(message, queuedAt, signal) : undefined;
    if (found?.status === "sent") return found;
    if (found === undefined && channel.uncertain === "ask" && !isAccepted(channel, item, clock))
      throw new UncertainPiece("It may have left before, and the platform cannot tell.");
  }
  return undefined;
}

/** Sent again it is shown once: the platform still knows its key. Or a person wants it sent although it may be shown twice. */
function isAccepted({ can }: Channel, { leaving }: QueuedReply, clock: Pick<Clock, "now">): boolean {
  if (leaving?.doubt === "accepted") return true;
  const age = clock.now() - (leaving?.since ?? clock.now());
  return can.once === "key" && age < (can.onceMs ?? Infinity);
}
