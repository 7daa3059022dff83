/** One piece of a reply → one message, and whether it was sent before. */
import type { Address, ChannelHost, OutboundPiece } from "@margay/core/plugin";
import { hasArchive, isRefusal, readBackwards } from "./archive.ts";
import { connectFault, notConnected } from "./faults.ts";
import type { Link } from "./link.ts";
import { messageIdOf } from "./message-id.ts";
import { NS, type Stanza } from "./names.ts";
import type { Rooms } from "./rooms.ts";
import type { Incoming } from "./read.ts";
import { bareOf, isBare, type Settings } from "./settings.ts";

/** A connection that can be used. */
export interface Joined {
  readonly link: Link;
  readonly rooms: Rooms;
}

export interface Sender {
  readonly id: string;
  readonly settings: Settings;
  readonly host: ChannelHost;
  /** @throws a fault: there is none. */
  joined(signal: AbortSignal): Promise<Joined>;
}

/** Clocks of servers and ours differ. */
const SKEW_MS = 3_600_000;

/** @returns its id. @throws a fault. */
export async function sendMessage(piece: OutboundPiece, sender: Sender, signal: AbortSignal): Promise<string> {
  const { id: channel, settings, host } = sender;
  const { to, rendered, parts } = piece;
  signal.throwIfAborted();
  const address = addressOf(to, host);
  const { link, rooms } = await sender.joined(signal);
  signal.throwIfAborted();
  const isRoom = settings.rooms.includes(address);
  if (isRoom && rooms.get(address)?.isJoined !== true)
    throw host.fault("again", `We are not in the room ${address}. It is tried again when we are.`, { sent: "no" });
  const id = messageIdOf(channel, settings.jid, piece.reply);
  const text = rendered?.text ?? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const { xml } = link;
  const message = xml(
    "message",
    { to: address, type: isRoom ? "groupchat" : "chat", id },
    xml("body", {}, xmlText(text)),
    ...answering(piece, xml),
    xml("origin-id", { xmlns: NS.ids, id }),
    xml("store", { xmlns: NS.hints }), // it is looked for in the archive
  );
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([link.deliver(message, address), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return id;
}

/** One that is gone nobody shows, and it is no error. */
function answering({ quote, handle }: OutboundPiece, xml: Link["xml"]): readonly ReturnType<Link["xml"]>[] {
  const named = handle as Incoming["named"] | null; // as it came with the message
  if (quote === undefined || named === undefined || named === null) return [];
  return [xml("reply", { xmlns: NS.reply, to: named.to, id: named.id })];
}

/** Shows that we are at work. Best effort. */
export async function showTyping(to: Address, sender: Sender, signal: AbortSignal): Promise<void> {
  const address = addressOf(to, sender.host);
  const { link } = await sender.joined(signal);
  const { xml } = link;
  const type = sender.settings.rooms.includes(address) ? "groupchat" : "chat";
  const hint = xml("no-store", { xmlns: NS.hints });
  await link.write(xml("message", { to: address, type }, xml("composing", { xmlns: NS.chatState }), hint));
}

/** Whether a message with the id of this piece lies in our archive, or that of the room. */
export async function findSentMessage(
  piece: OutboundPiece,
  since: number,
  sender: Sender,
  signal: AbortSignal,
): Promise<{ readonly status: "sent"; readonly id: string } | { readonly status: "not-sent" } | undefined> {
  const { id: channel, settings, host } = sender;
  const id = messageIdOf(channel, settings.jid, piece.reply);
  const address = addressOf(piece.to, host);
  const { link } = await sender.joined(signal);
  const isRoom = settings.rooms.includes(address);
  const of = isRoom ? address : settings.jid;
  try {
    if (!(await hasArchive(link, of))) return undefined;
    const range = { of, isRoom, start: since - SKEW_MS, ...(!isRoom && { with: address }) };
    for await (const { stanza } of readBackwards(link, range)) {
      signal.throwIfAborted();
      if (isMine(stanza, id, isRoom, settings)) return { status: "sent", id };
    }
    return { status: "not-sent" };
  } catch (error) {
    signal.throwIfAborted();
    if (isRefusal(error)) return undefined; // the archive is closed to us
    throw error instanceof Error && "kind" in error ? error : connectFault(error, settings, host);
  }
}

/** Somebody else can write a message with our id: in a private chat it is theirs, by its sender. */
function isMine(stanza: Stanza, id: string, isRoom: boolean, { jid }: Settings): boolean {
  const found = stanza.getChild("origin-id", NS.ids)?.attrs["id"] ?? stanza.attrs["id"];
  return found === id && (isRoom || bareOf(stanza.attrs["from"] ?? jid) === jid);
}

function addressOf({ chat }: Address, host: ChannelHost): string {
  const address = bareOf(chat);
  if (isBare(address)) return address;
  throw host.fault("gone", `${chat} is no XMPP address. Write to one, as anna@example.org.`, { sent: "no" });
}

/** What XML cannot hold would end the stream, each time anew. */
function xmlText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.toWellFormed().replaceAll(/[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g, "\uFFFD");
}

/** The connection that `run` holds, for whoever sends meanwhile. */
export interface Slot {
  put(joined: Joined): void;
  clear(): void;
  wait(signal: AbortSignal): Promise<Joined>;
}

/** So long a send waits for a connection that is being made. */
const WAIT_MS = 10_000;

export function openSlot(settings: Settings, host: ChannelHost): Slot {
  let current = Promise.withResolvers<Joined>();
  return {
    put: (joined) => current.resolve(joined),
    clear: () => (current = Promise.withResolvers()),
    wait: async (signal) => {
      const late = Promise.withResolvers<never>();
      using _timer = host.clock.timer(WAIT_MS, () => late.reject(notConnected(settings, host)));
      const stop = (): void => late.reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      try {
        return await Promise.race([late.promise, current.promise]);
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };
}
