/** One piece of a reply → its message; more files than a message takes follow in further ones. */
import { createHash } from "node:crypto";
import type { Address, ChannelHost, MediaPart, OutboundPiece } from "@margay/core/plugin";
import type { Chats } from "./chats.ts";
import { faultOf } from "./faults.ts";
import { componentsOf } from "./buttons.ts";
import { isRecord, textOf, type Wire } from "./json.ts";
import { NoAnswer, Refusal, type Rest } from "./rest.ts";

export interface Sender {
  readonly rest: Rest;
  readonly chats: Chats;
  readonly host: ChannelHost;
}

/** What one message says. `key`: the same key is the same message. */
interface Saying {
  readonly content: string;
  readonly key: string;
  /** The message that it answers. */
  readonly quote?: string | undefined;
  readonly files?: readonly File[];
  /** Buttons below it. */
  readonly components?: readonly Wire[];
  /** It is shown, and nobody is called. */
  readonly silent?: boolean;
}

const MAX_FILES = 10;
/** Discord takes no longer nonces. */
const NONCE_LENGTH = 25;
/** No link grows into a picture. */
export const SUPPRESS_EMBEDS = 4;
const SUPPRESS_NOTIFICATIONS = 4096;

/** @returns the id of its first message. @throws a fault. */
export async function sendPiece(
  piece: OutboundPiece,
  sender: Sender,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { rest, host } = sender;
  const { parts, reply, to } = piece;
  const channel = channelOf(to, host);
  const content = contentOf(piece);
  const components = componentsOf(piece);
  const media = parts.filter((part) => part.type === "media");
  try {
    signal.throwIfAborted();
    let first: string | undefined;
    for (let from = 0; from === 0 || from < media.length; from += MAX_FILES) {
      const files = await Promise.all(media.slice(from, from + MAX_FILES).map((part) => fileOf(part, host)));
      const text = from === 0 ? content : "";
      if (text.trim() === "" && files.length === 0) continue;
      const isLast = from + MAX_FILES >= media.length;
      const key = from === 0 ? reply : `${reply}\n${from}`;
      const quote = from === 0 ? piece.quote : undefined;
      const saying = { content: text, key, files, quote, silent: piece.silent === true, ...(isLast && { components }) };
      const id = await sayTo(channel, saying, { rest, signal });
      first ??= id;
      await noteSent(channel, id, sender, signal);
    }
    return first;
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}

export function contentOf({ rendered, parts }: OutboundPiece): string {
  return rendered?.text ?? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** A chat that we open is one to ask for what was missed, too. Best effort. */
async function noteSent(channel: string, id: string, { chats, host }: Sender, signal: AbortSignal): Promise<void> {
  if (chats.kept().has(channel)) return;
  try {
    await chats.note(channel, id, await chats.lookUp(channel, signal));
  } catch (error) {
    // The message was sent in any case.
    host.log.warn("discord.chat-not-kept", {
      channel,
      message: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Best effort. */
export async function sendTyping(to: Address, { rest, host }: Sender, signal: AbortSignal): Promise<void> {
  try {
    await rest.call("POST", `/channels/${channelOf(to, host)}/typing`, { signal });
  } catch {
    // It is over in ten seconds anyway.
  }
}

/** Discord's number for who may not read what was said before, and so cannot answer it. */
const NO_HISTORY = 160_002;

/** Nobody is called by what a model writes, and no link grows into a picture. @throws Refusal, NoAnswer. */
export async function sayTo(
  channel: string,
  saying: Saying,
  { rest, signal }: { readonly rest: Rest; readonly signal: AbortSignal },
): Promise<string> {
  const { content, key, files = [], components = [], quote, silent = false } = saying;
  const send = (reference: object): Promise<unknown> =>
    rest.call("POST", `/channels/${channel}/messages`, {
      signal,
      files,
      body: {
        ...(content.trim() !== "" && { content }),
        ...(components.length > 0 && { components }),
        ...reference,
        nonce: nonceOf(key),
        enforce_nonce: true,
        allowed_mentions: { parse: [] },
        flags: SUPPRESS_EMBEDS | (silent ? SUPPRESS_NOTIFICATIONS : 0),
      },
    });
  // What is gone by now is no reason not to say it.
  const isMessage = quote !== undefined && /^\d{15,20}$/.test(quote);
  const reference = isMessage ? { message_reference: { message_id: quote, fail_if_not_exists: false } } : {};
  const message = await send(reference).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== NO_HISTORY) throw error;
    return send({});
  });
  const id = isRecord(message) ? textOf(message["id"]) : undefined;
  if (id === undefined) throw new NoAnswer("the answer names no message", "maybe");
  return id;
}

/** By it Discord knows a second identical send. */
export function nonceOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, NONCE_LENGTH);
}

export function channelOf({ chat, thread }: Address, host: ChannelHost): string {
  const channel = thread ?? chat;
  if (!/^\d{15,20}$/.test(channel))
    throw host.fault("gone", `${channel} is no channel of Discord. Write to its id.`, { sent: "no" });
  return channel;
}

async function fileOf(part: MediaPart, host: ChannelHost): Promise<File> {
  return new File([await host.media.open(part)], part.name ?? "file", { type: part.mediaType });
}
