/** Replies to chats without a registered channel, until somebody takes them. */
import type { OutboundMessage } from "../contract/bus.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address } from "../contract/message.ts";
import { RuntimeError } from "../lib/errors/errors.ts";

export interface SeedOutbound {
  readonly channel: string;
  readonly chatId: string;
  readonly content: string;
  readonly kind: OutboundMessage["kind"];
  readonly replyId: string;
}
export interface OutboundQueue {
  readonly channel: Channel;
  next(signal?: AbortSignal): Promise<SeedOutbound>;
  /** While claimed, replies to this address reach their reader by another way. Returns the release. */
  claim(address: Address): () => void;
}

export function outboundQueue(): OutboundQueue {
  const waiting: { readonly message: SeedOutbound; readonly taken: () => void }[] = [];
  const readers: ((item: (typeof waiting)[number]) => void)[] = [];
  const claims = new Map<string, number>();
  const idOf = (to: Address): string => `${to.channel}\n${to.chat}`;
  return {
    channel: {
      id: "*",
      can: {
        once: "no",
        text: { dialect: "markdown", max: Number.POSITIVE_INFINITY },
        media: { maxBytes: Number.POSITIVE_INFINITY },
      },
      run: () => Promise.resolve(),
      send: (message, signal) => {
        if (claims.has(idOf(message.to)) || message.kind === "progress") return Promise.resolve(undefined);
        return new Promise((resolve, reject) => {
          const content = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
          const item = {
            message: {
              channel: message.to.channel,
              chatId: message.to.chat,
              content,
              kind: message.kind,
              replyId: message.reply,
            },
            taken: () => resolve(undefined),
          };
          const reader = readers.shift();
          if (reader !== undefined) return reader(item);
          waiting.push(item);
          signal.addEventListener(
            "abort",
            () => {
              const at = waiting.indexOf(item);
              if (at >= 0) waiting.splice(at, 1); // it is sent again later
              reject(new RuntimeError("process.stopping", "Nobody took the reply.", { retryable: true }));
            },
            { once: true },
          );
        });
      },
    },
    next: (signal) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => {
          const at = readers.indexOf(take);
          if (at >= 0) readers.splice(at, 1);
          reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
        };
        const take = (item: (typeof waiting)[number]): void => {
          signal?.removeEventListener("abort", onAbort);
          item.taken();
          resolve(item.message);
        };
        if (signal?.aborted === true) return onAbort();
        const item = waiting.shift();
        if (item !== undefined) return take(item);
        readers.push(take);
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    claim: (address) => {
      const id = idOf(address);
      claims.set(id, (claims.get(id) ?? 0) + 1);
      return () => {
        const left = (claims.get(id) ?? 1) - 1;
        if (left > 0) claims.set(id, left);
        else claims.delete(id);
      };
    },
  };
}
