/** A message on a platform that shows a running answer: written, changed, replaced by the reply, taken away. */
import type { Clock, Logger } from "../../contract/base.ts";
import type { Channel, ChannelCan, OutboundPiece } from "../../contract/channel.ts";
import type { QueuedReply } from "../../contract/bus.ts";
import type { Address, LiveMessage } from "../../contract/message.ts";
import type { DeliveryFault, JournalRecord } from "../../contract/record.ts";
import { raceAbort } from "../../lib/async/abort.ts";
import { firstOf } from "../../lib/by-kind.ts";
import { channelFault } from "../../lib/errors/channel-fault.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import type { createPrinter } from "../markup/printer.ts";

export interface LiveMessagesOptions {
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug">;
  readonly printer: (text: ChannelCan["text"]) => Promise<ReturnType<typeof createPrinter>>;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

export interface LiveMessages {
  /** @returns the platform's id. */
  open(channel: Channel, piece: OutboundPiece): Promise<string | undefined>;
  edit(channel: Channel, id: string, piece: OutboundPiece): Promise<void>;
  /** One that may have been sent. `key` platforms take it once more. @returns undefined: it is not there, or nobody can tell. @throws as `send` and `findSent` of the channel. */
  find(
    channel: Channel,
    piece: OutboundPiece,
    shown: LiveMessage | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** The reply comes in its place. @returns false: nothing can be written there any more. @throws as `edit` of the channel. */
  replace(channel: Channel, id: string, piece: OutboundPiece, signal: AbortSignal): Promise<boolean>;
  /** Best effort: where the platform cannot, it stays. */
  remove(channel: Channel, id: string, to: Address): Promise<void>;
  /** More was shown than a reply says in the end. @param outcome of its last piece */
  removeBehind(
    channel: Channel,
    item: Pick<QueuedReply, "left" | "live" | "to">,
    outcome: readonly JournalRecord[],
  ): Promise<void>;
  /** The messages that a text fills. None: there is nothing to see. */
  piecesOf(
    text: string,
    shown: { readonly channel: Channel; readonly to: Address; readonly reply: string },
  ): Promise<readonly OutboundPiece[]>;
  /** Ends what takes too long. */
  within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

const TIMEOUT_MS = 10_000;
/** Of these a later attempt at the same message may be cured. */
const NOT_NOW: readonly DeliveryFault[] = ["again", "slow-down", "auth", "config"];

export function createLiveMessages({ clock, log, printer, closing }: LiveMessagesOptions): LiveMessages {
  /** By channel and message: what comes next waits for it, else it would be undone by it. */
  const editing = new Map<string, Promise<void>>();
  const edited = (channel: Channel, id: string): Promise<void> | undefined =>
    editing.get(`${channel.id}\n${id}`)?.catch(() => {});

  const within = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const late = new AbortController();
    const signal = AbortSignal.any([closing, late.signal]);
    using _late = clock.timer(TIMEOUT_MS, () => late.abort(new Error("it takes too long")));
    return await raceAbort(work(signal), signal);
  };

  const remove: LiveMessages["remove"] = async (channel, id, to) => {
    try {
      await edited(channel, id);
      await within(async (signal) => channel.remove?.(id, to, signal));
    } catch (error) {
      log.debug("live.failed", { channel: channel.id, message: messageOf(error) });
    }
  };
  return {
    async open(channel, piece) {
      const since = clock.now();
      try {
        return await within((signal) => channel.send(piece, signal));
      } catch (error) {
        if (closing.aborted || channelFault(error)?.sent !== "maybe") throw error;
        // It may stand there, and nobody knows its id: the reply would be a second one below it.
        const id = await within((signal) => openedBefore(channel, piece, { key: piece.reply, since }, signal));
        if (id === undefined) throw error;
        return id;
      }
    },
    find: openedBefore,
    async edit(channel, id, piece) {
      await edited(channel, id);
      const key = `${channel.id}\n${id}`;
      const work = within(async (signal) => channel.edit?.(id, piece, signal));
      editing.set(key, work);
      try {
        await work;
      } finally {
        editing.delete(key);
      }
    },
    async replace(channel, id, piece, signal) {
      await edited(channel, id);
      if (channel.edit === undefined) return false;
      try {
        await channel.edit(id, piece, signal);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        // Deleted by its person, too old, or something that this platform does not do: the reply is a message of its own.
        // When it is the chat that is gone, that says so too.
        if (NOT_NOW.includes(channelFault(error)?.kind ?? "fault")) throw error;
        log.debug("live.lost", { channel: channel.id, message: messageOf(error) });
        return false;
      }
    },
    remove,
    async removeBehind(channel, { left, live = [], to }, outcome) {
      const last = firstOf(outcome, "reply.sent")?.piece ?? left?.piece ?? 0;
      for (const { id } of live.slice(last)) if (id !== undefined) await remove(channel, id, to);
    },
    piecesOf: (text, shown) => piecesOf(text, shown, printer),
    within,
  };
}

async function piecesOf(
  text: string,
  { channel, to, reply }: Parameters<LiveMessages["piecesOf"]>[1],
  printer: LiveMessagesOptions["printer"],
): Promise<readonly OutboundPiece[]> {
  const { text: can } = channel.can;
  const isSource = can.dialect === "markdown";
  const piece = (words: string): OutboundPiece => ({
    reply,
    to,
    kind: "progress",
    parts: [{ type: "text", text: words }],
    live: true,
  });
  if (text.trim() === "") return [];
  if (isSource && text.length <= can.max) return [piece(text)]; // as the reply will be
  const print = await printer(can);
  return Array.from(print.cut(text, { from: 0, first: can.max }), ({ text: rendered, plain }) =>
    isSource ? piece(rendered) : { ...piece(plain), rendered: { text: rendered, plain } },
  );
}

/** Undefined: it was not opened, or the platform cannot tell. */
async function openedBefore(
  channel: Channel,
  piece: OutboundPiece,
  shown: LiveMessage | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (shown?.key === undefined) return undefined;
  const { key, since } = shown;
  const { once } = channel.can;
  const again: OutboundPiece = { ...piece, reply: key, live: true, repeated: true };
  if (once === "key") return channel.send(again, signal);
  const found = once === "lookup" ? await channel.findSent?.(again, since, signal) : undefined;
  return found?.status === "sent" ? found.id : undefined;
}
