/** A running answer in a private chat: a draft, with a button that stops it. It goes by itself, and when the answer comes. */
import { createHash } from "node:crypto";
import type { Address, ChannelInbox, LiveStream, OutboundPiece } from "@margay/core/plugin";
import type { Update } from "grammy/types";
import { Refusal } from "./api.ts";
import { faultOf } from "./faults.ts";
import { ownChat } from "./moved.ts";
import { aimOf, type Sender } from "./send.ts";

export interface Drafts {
  /** @returns undefined: not in this chat. @throws a fault. */
  open(first: OutboundPiece, signal: AbortSignal): Promise<LiveStream | undefined>;
  /** Somebody pressed its button. Of one that another draft has followed there it is too late. @throws what `accept` throws: it is offered again. */
  stopped(stopped: NonNullable<Update["stopped_message_generation"]>, id: string, inbox: ChannelInbox): Promise<void>;
}

/** Telegram shows it for half a minute. */
const KEEP_MS = 20_000;
/** Chats of which the newest draft is known. */
const MAX_CHATS = 1000;

/** @param isWanted by its owner. */
export function openDrafts({ api, host }: Sender, isWanted: boolean): Drafts {
  let isKnown = isWanted;
  const newest = new Map<string, number>();
  const say = async (piece: OutboundPiece, draft: number, signal: AbortSignal): Promise<void> => {
    const plain = piece.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    await api.call(
      "sendMessageDraft",
      {
        ...aimOf(piece.to, host),
        draft_id: draft,
        text: piece.rendered?.text ?? plain,
        ...(piece.rendered !== undefined && { parse_mode: "HTML" }),
        can_stop: true,
        keep_on_stop: true, // until its beginning stands there as a message
      },
      { signal },
    );
  };
  return {
    async open(first, signal) {
      const { to, reply } = first;
      // Groups have negative numbers.
      if (!isKnown || !/^\d+$/.test(to.chat)) return undefined;
      const draft = numberOf(reply);
      try {
        await say(first, draft, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Refusal) || (error.code !== 400 && error.code !== 404)) throw faultOf(error, host);
        // A Bot API server that is too old, or a chat that takes none: there it is a message.
        if (error.code === 404) isKnown = false;
        host.log.info("telegram.no-drafts", { message: error.message });
        return undefined;
      }
      if (newest.size >= MAX_CHATS) newest.clear();
      newest.set(placeOf(to), draft);
      return {
        keepMs: KEEP_MS,
        update: async (piece, signal) => {
          try {
            await say(piece, draft, signal);
          } catch (error) {
            signal.throwIfAborted();
            throw faultOf(error, host);
          }
        },
      };
    },
    async stopped({ chat, message_thread_id: topic, draft_id: draft }, id, inbox) {
      const thread = topic === undefined ? {} : { thread: String(topic) };
      const origin = { channel: id, chat: ownChat(host, String(chat.id)), ...thread };
      const last = newest.get(placeOf(origin));
      if (last !== undefined && last !== draft) return;
      await inbox.accept({
        key: `stop:${chat.id}:${draft}`,
        origin,
        from: {
          id: String(chat.id),
          name: [chat.first_name, chat.last_name].filter(Boolean).join(" "),
          kind: "person",
        },
        parts: [],
        control: { type: "stop", withdraw: false },
        chat: "private",
      });
    },
  };
}

function placeOf({ chat, thread }: Pick<Address, "chat" | "thread">): string {
  return [chat, thread].join("\n");
}

/** Never zero: the same key is the same draft. */
function numberOf(key: string): number {
  return (createHash("sha256").update(key).digest().readUInt32BE() % 0x7f_ff_ff_ff) + 1;
}
