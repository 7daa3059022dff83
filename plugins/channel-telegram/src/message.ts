/** Messages of Telegram → one of ours, but for its files. Pure. */
import type { InboundMessage, Sender, SentFile } from "@margay/core/plugin";
import type { Message, MessageOrigin, User } from "grammy/types";
import { addressedOf, answeredBy, type Me, wordsOf } from "./addressed.ts";

export interface Read extends Pick<
  InboundMessage,
  "from" | "chat" | "title" | "addressed" | "sentAt" | "marks" | "quotes"
> {
  /** `chat:message`, as Telegram counts them. */
  readonly key: string;
  /** The number of the chat there. */
  readonly chatId: string;
  readonly thread?: string;
  readonly text: string;
  readonly files: readonly SentFile[];
}

/** @param parts one message, or the parts of an album. Undefined: nothing that a person says to anybody. */
export function readMessage(parts: readonly [Message, ...Message[]], me: Me): Read | undefined {
  const [first] = parts;
  const { chat, from, sender_chat: sender } = first;
  if (chat.type === "channel" || from === undefined || from.id === me.id) return undefined;
  // A post of a channel that Telegram puts into its group.
  if (first.is_automatic_forward === true) return undefined;
  const words = parts.map((part) => [wordsOf(part, me), lineOf(part)].filter((line) => line !== "").join("\n"));
  const files = parts.flatMap((part) => remoteOf(part) ?? []);
  const said = words.filter((line) => line !== "").join("\n");
  if (said === "" && files.length === 0) return undefined;
  const origin = first.forward_origin;
  const isPrivate = chat.type === "private";
  const means = origin === undefined ? meant(parts, me) : undefined;
  // Nobody else is there: a command of another bot is nobody's.
  if (isPrivate && means === "other" && /^\/\w+@/.test(said)) return undefined;
  const addressed = isPrivate ? undefined : means;
  const thread = first.is_topic_message === true ? first.message_thread_id : undefined;
  const quotes = quoteOf(first, me);
  return {
    key: `${chat.id}:${first.message_id}`,
    chatId: String(chat.id),
    ...(thread !== undefined && { thread: String(thread) }),
    // Whoever speaks as the group or as a channel is that.
    from: sender === undefined ? senderOf(from) : { id: String(sender.id), kind: "person", ...named(titleOf(sender)) },
    chat: chat.type === "private" ? "private" : "group",
    ...(chat.type !== "private" && chat.title !== undefined && { title: oneLine(chat.title) }),
    ...(addressed !== undefined && { addressed }),
    sentAt: first.date * 1000,
    text: origin === undefined ? said : `Forwarded from ${oneLine(authorOf(origin))}:\n${said}`.trimEnd(),
    // What somebody else wrote is not the word of who passes it on.
    ...(origin !== undefined && !isOwn(origin, from) && { marks: { integrity: "untrusted" } }),
    ...(quotes !== undefined && { quotes }),
    files,
  };
}

/** What it answers, here or in another chat. */
function quoteOf(message: Message, me: Me): Read["quotes"] {
  const { quote, external_reply: elsewhere } = message;
  if (elsewhere !== undefined) {
    const { origin } = elsewhere;
    const text = quote?.text;
    return text === undefined ? undefined : { key: "", own: false, from: elseWho(origin), text };
  }
  const answered = answeredBy(message) as Message | undefined; // it answers nothing itself
  if (answered === undefined) return undefined;
  const { from, sender_chat: sender, forward_origin: origin } = answered;
  const who: Sender | undefined =
    origin !== undefined
      ? elseWho(origin)
      : sender !== undefined
        ? { id: String(sender.id), kind: "person", ...named(titleOf(sender)) }
        : from && senderOf(from);
  const text = quote?.text ?? [wordsOf(answered, me), lineOf(answered)].filter((one) => one !== "").join("\n");
  const own = from?.id === me.id;
  const file = own ? undefined : remoteOf(answered);
  return {
    key: `${answered.chat.id}:${answered.message_id}`,
    own,
    from: who ?? { id: "unknown", kind: "person" },
    ...(text !== "" && { text }),
    ...(file !== undefined && { files: [file] }),
  };
}

/** Somebody whose words were brought here: nobody whom we know, whoever brought them. */
function elseWho(origin: MessageOrigin): Sender {
  return { id: "elsewhere", kind: "person", ...named(authorOf(origin)) };
}

function meant(parts: readonly Message[], me: Me): InboundMessage["addressed"] {
  const all = parts.map((part) => addressedOf(part, me));
  return all.find((one) => one === "command" || one === "named") ?? all[0];
}

function senderOf(user: User): Sender {
  return { id: String(user.id), kind: "person", ...named(nameOf(user)), ...(user.is_bot && { bot: true }) };
}

function nameOf({ first_name: first, last_name: last }: User): string {
  return [first, last].filter((part) => part !== undefined && part !== "").join(" ");
}

function titleOf(chat: NonNullable<Message["sender_chat"]>): string {
  return chat.title ?? chat.first_name ?? "";
}

function named(name: string): { readonly name?: string } {
  const line = oneLine(name);
  return line === "" ? {} : { name: line };
}

function authorOf(origin: MessageOrigin): string {
  switch (origin.type) {
    case "user":
      return nameOf(origin.sender_user);
    case "hidden_user":
      return origin.sender_user_name;
    case "chat":
      return titleOf(origin.sender_chat);
    case "channel":
      return titleOf(origin.chat);
  }
}

function isOwn(origin: MessageOrigin, from: User): boolean {
  return origin.type === "user" && origin.sender_user.id === from.id;
}

/** What is no text, in words: nothing that was sent is passed over in silence. */
function lineOf({ sticker, location, venue, contact, poll, dice }: Message): string {
  if (sticker !== undefined)
    return `[Sticker${sticker.emoji === undefined ? "" : ` ${sticker.emoji}`}${sticker.set_name === undefined ? "" : ` of ${sticker.set_name}`}]`;
  if (venue !== undefined) return line("Place", `${venue.title}, ${venue.address} (${place(venue.location)})`);
  if (location !== undefined) return line("Location", place(location));
  if (contact !== undefined)
    return line(
      "Contact",
      `${[contact.first_name, contact.last_name ?? ""].join(" ").trim()}, ${contact.phone_number}`,
    );
  if (poll !== undefined)
    return line("Poll", `${poll.question} ${poll.options.map(({ text }) => `- ${text}`).join(" ")}`);
  return dice === undefined ? "" : line("Dice", `${dice.emoji} ${dice.value}`);
}

function line(what: string, text: string): string {
  return `[${what}: ${oneLine(text)}]`;
}

function place({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude}, ${longitude}`;
}

/** The file of a message. A moving picture comes as a document too. */
function remoteOf(message: Message): SentFile | undefined {
  const { photo, animation, document, audio, voice, video, video_note: note } = message;
  const largest = photo?.reduce((a, b) => (a.width * a.height >= b.width * b.height ? a : b), photo[0]!);
  if (largest !== undefined) return remote(largest, "photo.jpg", "image/jpeg");
  if (animation !== undefined) return remote(animation, "animation.mp4", "video/mp4");
  if (document !== undefined) return remote(document, "file", "application/octet-stream");
  if (audio !== undefined) return remote(audio, "audio.mp3", "audio/mpeg");
  if (voice !== undefined) return { ...remote(voice, "voice.ogg", "audio/ogg"), voice: true as const };
  if (video !== undefined) return remote(video, "video.mp4", "video/mp4");
  return note === undefined ? undefined : remote(note, "video-note.mp4", "video/mp4");
}

interface Described {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
}

function remote(file: Described, name: string, mediaType: string): SentFile {
  const own = oneLine(file.file_name ?? "")
    .replaceAll(/[\\/]/g, "_")
    .slice(0, 120);
  return {
    file: file.file_unique_id,
    name: own === "" ? name : own,
    mediaType: file.mime_type ?? mediaType,
    locator: { id: file.file_id, bytes: file.file_size ?? 0 },
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}
