/** What a reply leaves with: of the message that it answers, or the newest of its chat; and whether it may leave without. */
import type { Millis } from "../contract/base.ts";
import type { InboundMessage, KnownHandle, QueuedReply } from "../contract/bus.ts";
import type { ChannelCan } from "../contract/channel.ts";
import type { ReplyHandle } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { sameAddress } from "../lib/session-key.ts";

/** What a message opens: what the platform says of it, and else what holds there for all. By its key answers quote it, and a reaction is set. */
export function withHandle<Message extends InboundMessage>(message: Message, can: ChannelCan, now: Millis): Message {
  const opened = withWindow(message, can, now);
  if (can.quote !== true && can.ack === undefined) return opened;
  return { ...opened, handle: { data: null, ...opened.handle, key: message.edits ?? message.key } };
}

function withWindow<Message extends InboundMessage>(message: Message, { window }: ChannelCan, now: Millis): Message {
  if (window === undefined) return message;
  const { handle, sentAt = now } = message;
  const usual: ReplyHandle = {
    data: null,
    expiresAt: Math.min(sentAt, now) + window.ms,
    ...(window.uses !== undefined && { uses: window.uses }),
  };
  return { ...message, handle: { ...usual, ...handle } };
}

/** @returns what it leaves with, undefined when it needs nothing; `closed`: the chat has to write first. */
export function wayOut(
  { handles = [] }: { readonly handles?: SessionState["handles"] | undefined },
  { to, answers, held }: Pick<QueuedReply, "to" | "answers" | "held">,
  { window }: ChannelCan,
  now: Millis,
): KnownHandle | undefined | "closed" {
  const open = handles.filter(
    ({ from, expiresAt = Infinity, uses = Infinity, used }) => sameAddress(from, to) && expiresAt > now && used < uses,
  );
  const found = open.find(({ id }) => id === answers) ?? open.at(-1);
  if (found !== undefined) return found;
  // What the platform itself has refused waits, whatever is said of it.
  return held === "window" || window?.unsolicited === false ? "closed" : undefined;
}

/** What becomes of a reply that cannot leave: it is held, and given up on as every reply is. */
export function heldUntilOpen(
  { reply, queuedAt, attempt }: Pick<QueuedReply, "reply" | "queuedAt" | "attempt">,
  handle: string | undefined,
  now: Millis,
  retryMs: Millis,
): JournalRecord {
  if (now - queuedAt < retryMs)
    return { type: "reply.held", reply, why: "window", ...(handle !== undefined && { handle }) };
  const message =
    "Nobody wrote in the chat in time, and the platform takes nothing else. Write there, and send it again.";
  const error = { code: "channel.failed", message, retryable: false };
  return { type: "reply.failed", reply, kind: "window", sent: "no", error, attempt };
}
