/** A message on a platform that shows a running answer: written, changed, replaced by the reply, taken away. */
import type { Clock, Logger } from "../contract/base.ts";
import type { Channel, ChannelCan, OutboundPiece } from "../contract/channel.ts";
import type { Address } from "../contract/message.ts";
import type { DeliveryFault } from "../contract/record.ts";
import { raceAbort } from "../lib/async/abort.ts";
import { channelFault } from "../lib/errors/channel-fault.ts";
import { messageOf } from "../lib/errors/errors.ts";
import type { createPrinter } from "./markup/printer.ts";

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
  /** The reply comes in its place. @returns false: nothing can be written there any more. @throws as `edit` of the channel. */
  replace(channel: Channel, id: string, piece: OutboundPiece, signal: AbortSignal): Promise<boolean>;
  /** Best effort: where the platform cannot, it stays. */
  remove(channel: Channel, id: string, to: Address): Promise<void>;
  /** The first message that a text fills: what comes after it is shown when it is the reply. Undefined: there is nothing to see. */
  pieceOf(
    text: string,
    shown: { readonly channel: Channel; readonly to: Address; readonly reply: string },
  ): Promise<OutboundPiece | undefined>;
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

  return {
    async open(channel, piece) {
      const since = clock.now();
      try {
        return await within((signal) => channel.send(piece, signal));
      } catch (error) {
        if (closing.aborted || channelFault(error)?.sent !== "maybe") throw error;
        // It may stand there, and nobody knows its id: the reply would be a second one below it.
        const id = await within((signal) => openedBefore(channel, piece, since, signal));
        if (id === undefined) throw error;
        return id;
      }
    },
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
    async remove(channel, id, to) {
      try {
        await edited(channel, id);
        await within(async (signal) => channel.remove?.(id, to, signal));
      } catch (error) {
        log.debug("live.failed", { channel: channel.id, message: messageOf(error) });
      }
    },
    async pieceOf(text, { channel, to, reply }) {
      const { text: can } = channel.can;
      const isSource = can.dialect === "markdown";
      const piece = (words: string): OutboundPiece => ({
        reply,
        to,
        kind: "progress",
        parts: [{ type: "text", text: words }],
        live: true,
      });
      if (text.trim() === "") return undefined;
      if (isSource && text.length <= can.max) return piece(text); // as the reply will be
      const [first] = (await printer(can)).cut(text, { from: 0, first: can.max });
      if (first === undefined) return undefined;
      const { text: rendered, plain } = first;
      return isSource ? piece(rendered) : { ...piece(plain), rendered: { text: rendered, plain } };
    },
  };
}

/** Undefined: it was not opened, or the platform cannot tell. */
async function openedBefore(
  channel: Channel,
  piece: OutboundPiece,
  since: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const again: OutboundPiece = { ...piece, repeated: true };
  if (channel.can.once === "key") return channel.send(again, signal);
  const found = channel.can.once === "lookup" ? await channel.findSent?.(again, since, signal) : undefined;
  return found?.status === "sent" ? found.id : undefined;
}
