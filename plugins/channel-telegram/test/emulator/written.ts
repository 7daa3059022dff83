// What a person writes, as Telegram passes it on.

import type { Message, MessageEntity, MessageOrigin, User } from "grammy/types";

import { findEntities } from "./entities.ts";
import { mediaContent, type MediaKind } from "./media.ts";
import { quoted } from "./send.ts";
import type { Content, Room, World } from "./world.ts";

/** A file a person sends. `size` pretends a larger one. */
export interface Sent {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly size?: number;
}

/** What a person writes. With media, `text` is the caption. */
export interface Written extends Partial<Record<MediaKind, Sent>> {
  readonly text?: string;
  /** Markup of the person; commands, mentions and addresses are found without it. */
  readonly entities?: readonly MessageEntity[];
  readonly videoNote?: Sent;
  readonly sticker?: { readonly emoji: string; readonly animated?: boolean };
  /** The text is the caption of the first one. */
  readonly album?: readonly Written[];
  readonly location?: { readonly latitude: number; readonly longitude: number };
  readonly contact?: { readonly phone: string; readonly name: string };
  readonly poll?: { readonly question: string; readonly options: readonly string[] };
  readonly replyTo?: number;
  readonly thread?: number;
  /** The message that this one takes the place of. */
  readonly edit?: number;
  readonly forward?: User | string;
}

type Media = MediaKind | "videoNote";
const KINDS: readonly MediaKind[] = ["photo", "document", "audio", "voice", "video"];

/** Thread, quote and origin. */
export function placed(world: World, room: Room, { replyTo, thread, forward }: Written): Content {
  const answered = replyTo === undefined ? undefined : world.entry(room, replyTo);
  return {
    ...world.threadOf(room, thread, answered?.message),
    ...(answered && quoted(answered.message)),
    ...(forward !== undefined && { forward_origin: origin(world, forward) }),
  };
}

function origin(world: World, from: User | string): MessageOrigin {
  const date = world.seconds() - 60;
  if (typeof from === "string") return { type: "hidden_user", date, sender_user_name: from };
  return { type: "user", date, sender_user: from };
}

/** What it says. */
export function contentOf(world: World, written: Written): Content {
  const { text = "", entities, sticker, location, contact, poll, videoNote } = written;
  const kind = KINDS.find((name) => written[name] !== undefined);
  const found = findEntities(text, entities);
  const sent = kind === undefined ? undefined : written[kind];
  if (kind !== undefined && sent !== undefined)
    return {
      ...mediaContent(kind, store(world, kind, sent)),
      ...(text !== "" && { caption: text }),
      ...(found.length > 0 && { caption_entities: found }),
    };
  if (location !== undefined) return { location };
  if (contact !== undefined) return { contact: { phone_number: contact.phone, first_name: contact.name } };
  if (sticker !== undefined) return { sticker: stickerOf(world, sticker) };
  if (videoNote !== undefined) {
    const { id, size } = store(world, "videoNote", videoNote);
    return { video_note: { file_id: id, file_unique_id: id, length: 240, duration: 1, file_size: size } };
  }
  if (poll !== undefined) return { poll: pollOf(world, poll) };
  return { text, ...(found.length > 0 && { entities: found }) };
}

function store(world: World, kind: Media, { name = `${kind}.bin`, bytes, size }: Sent): ReturnType<World["store"]> {
  return world.store(name, Buffer.from(bytes), size);
}

function stickerOf(
  world: World,
  { emoji, animated = false }: NonNullable<Written["sticker"]>,
): NonNullable<Message["sticker"]> {
  const { id } = store(world, "photo", { name: animated ? "s.tgs" : "s.webp", bytes: Buffer.from("RIFF0000WEBP") });
  const look = { width: 512, height: 512, is_animated: animated, is_video: false };
  return { file_id: id, file_unique_id: id, type: "regular", emoji, ...look };
}

function pollOf(world: World, { question, options }: NonNullable<Written["poll"]>): NonNullable<Message["poll"]> {
  return {
    id: String(world.next()),
    question,
    options: options.map((text, index) => ({ persistent_id: String(index), text, voter_count: 0 })),
    total_voter_count: 0,
    type: "regular",
    is_closed: false,
    is_anonymous: true,
    allows_multiple_answers: false,
    allows_revoting: true,
    members_only: false,
  };
}
