/** The one door out: queued replies are delivered in order per chat, retried, and given up on after a while. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { Channel, OutboundMessage } from "../contract/bus.ts";
import type { Address, ContentPart } from "../contract/message.ts";
import type { QueuedReply, Session } from "../contract/session.ts";
import { RuntimeError, toErrorInfo } from "../lib/errors.ts";
import { splitText } from "./split.ts";

export interface DeliveryOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** `channels.retryHours` in milliseconds. */
  readonly retryMs: () => Millis;
  /** Marks a text that arrives late. */
  readonly late: (at: Millis) => string;
  readonly redact: (text: string) => string;
}

export interface Delivery {
  /** Delivers what the session has queued, now and at its retry times. */
  wake(session: Session): void;
  /** Sends it now, and before it what waits in the same chat. @returns false when it does not wait. */
  hurry(session: Session, reply: string): boolean;
  /** Resolves when nothing is being sent. Replies that wait for a retry do not count. */
  idle(): Promise<void>;
  close(reason: Error): Promise<void>;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;
const LATE_MS = 600_000;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { clock } = options;
  const closing = new AbortController();
  /** A chat's own queue: a failing or slow chat delays no other (CH3). */
  const chats = new Map<string, Promise<void>>();
  /** Chats that wait for the time of a retry: hours, when the platform is gone. */
  const resting = new Map<string, AbortController>();
  /** Replies that somebody asked for before the time of their next attempt. */
  const hurried = new Set<string>();
  /** What of a reply in pieces has not left: an attempt that failed in the middle goes on there. */
  const left = new Map<string, readonly OutboundMessage[]>();
  let calmer = Promise.withResolvers<void>();
  const calmed = (): void => {
    calmer.resolve();
    calmer = Promise.withResolvers();
  };

  const nextOf = (session: Session, chat: string): QueuedReply | undefined =>
    session.state.outbox.find((item) => chatOf(item.to) === chat);

  const drain = async (session: Session, chat: string): Promise<void> => {
    for (
      let item = nextOf(session, chat);
      item !== undefined && !closing.signal.aborted;
      item = nextOf(session, chat)
    ) {
      const channel = options.channel(item.to.channel);
      if (channel === undefined) return; // consumed by the embedder, or waits for its channel to be switched on
      if (!hurried.delete(item.reply) && item.retryAt !== undefined && item.retryAt > clock.now()) {
        await rest(chat, item.retryAt - clock.now());
        continue; // meanwhile a person may have dropped it, or asked for it now
      }
      await deliver(session, item, channel);
    }
  };

  const rest = async (chat: string, ms: Millis): Promise<void> => {
    const early = new AbortController();
    resting.set(chat, early);
    calmed();
    try {
      await clock.sleep(ms, AbortSignal.any([closing.signal, early.signal]));
    } catch (error) {
      if (closing.signal.aborted) throw error; // else: looked at again before its time
    } finally {
      resting.delete(chat);
    }
  };

  const deliver = async (session: Session, item: QueuedReply, channel: Channel): Promise<void> => {
    const attempt = item.attempt + 1;
    let platformId: string | undefined;
    try {
      const waiting = left.get(item.reply) ?? pieces(item, channel);
      for (const [index, piece] of waiting.entries()) {
        platformId = (await channel.send(piece, closing.signal)) ?? platformId;
        left.set(item.reply, waiting.slice(index + 1));
      }
    } catch (error) {
      if (closing.signal.aborted) return;
      const info = error instanceof RuntimeError ? toErrorInfo(error) : { ...toErrorInfo(error), retryable: true };
      const expired = clock.now() - item.queuedAt >= options.retryMs();
      const again = info.retryable && !expired;
      if (!again) left.delete(item.reply);
      options.log.warn("reply.failed", {
        reply: item.reply,
        channel: channel.id,
        attempt,
        message: info.message,
        again,
      });
      await session.commit({
        type: "reply.failed",
        reply: item.reply,
        error: info,
        attempt,
        ...(again && { retryAt: clock.now() + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1)) }),
      });
      return;
    }
    await session.commit({
      type: "reply.delivered",
      reply: item.reply,
      ...(platformId !== undefined && { platformId }),
    });
    left.delete(item.reply);
  };

  const pieces = (item: QueuedReply, channel: Channel): readonly OutboundMessage[] => {
    const late = clock.now() - item.queuedAt > LATE_MS ? `${options.late(item.queuedAt)}\n` : "";
    const text = options.redact(
      late + item.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    );
    const media = item.parts.filter((part) => part.type === "media");
    const texts = splitText(text, channel.can.maxChars);
    return texts.map((piece, index) => ({
      // The platform's idempotency key: equal for equal pieces, whoever sends them again.
      reply: index === 0 ? item.reply : `${item.reply}.${index + 1}`,
      to: item.to,
      kind: item.kind,
      parts: [
        ...(piece === "" ? [] : [{ type: "text", text: piece } satisfies ContentPart]),
        ...(index === texts.length - 1 ? media : []),
      ],
    }));
  };

  const wake = (session: Session): void => {
    for (const early of resting.values()) early.abort(new Error("looked at again"));
    for (const chat of new Set(session.state.outbox.map((item) => chatOf(item.to)))) {
      const tail = (chats.get(chat) ?? Promise.resolve())
        .then(() => drain(session, chat))
        .catch((error: unknown) => {
          if (!closing.signal.aborted)
            options.log.error("outbox.stopped", { chat, message: toErrorInfo(error).message });
        });
      chats.set(chat, tail);
      void tail.then(() => {
        if (chats.get(chat) === tail) chats.delete(chat);
        calmed();
      });
    }
  };

  return {
    wake,
    hurry: (session, reply) => {
      const { outbox } = session.state;
      const place = outbox.findIndex((item) => item.reply === reply);
      const chosen = outbox[place];
      if (chosen === undefined) return false;
      const chat = chatOf(chosen.to);
      for (const item of outbox.slice(0, place + 1)) if (chatOf(item.to) === chat) hurried.add(item.reply);
      wake(session);
      return true;
    },
    idle: async () => {
      while ([...chats.keys()].some((chat) => !resting.has(chat))) await calmer.promise;
    },
    close: async (reason) => {
      closing.abort(reason);
      await Promise.all(chats.values());
    },
  };
}

function chatOf(to: Address): string {
  return `${to.channel}\n${to.chat}\n${to.thread ?? ""}`;
}
