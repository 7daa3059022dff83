// Methods that carry files, and the way back.

import type { Message } from "grammy/types";

import type { Call, Handlers } from "./handlers.ts";
import { badRequest } from "./refusal.ts";
import { caption, placeOf, say, sayFree, type Aim, type Captioned } from "./send.ts";
import type { Content, StoredFile, World } from "./world.ts";

const MB = 1024 * 1024;
/** How long a path of `getFile` may be used. */
const PATH_MS = 3_600_000;

export type MediaKind = "photo" | "document" | "audio" | "voice" | "video";

interface About {
  readonly duration?: number;
  readonly width?: number;
  readonly height?: number;
  readonly title?: string;
  readonly performer?: string;
}

/** A file as the field of a message. */
export function mediaContent(kind: MediaKind, file: StoredFile, about: object = {}): Content {
  const { duration = 1, width = 640, height = 480, title, performer } = about as About; // its table was checked
  const base = { file_id: file.id, file_unique_id: `u${file.id.slice(-8)}`, file_size: file.size };
  const named = { ...base, file_name: file.name, mime_type: typeOf(kind, file.name) };
  switch (kind) {
    case "photo":
      return { photo: [{ ...base, width, height }] };
    case "document":
      return { document: named };
    case "audio":
      return { audio: { ...named, duration, ...(title && { title }), ...(performer && { performer }) } };
    case "voice":
      return { voice: { ...base, mime_type: voiceType(file.bytes) ?? "audio/ogg", duration } };
    case "video":
      return { video: { ...named, width, height, duration } };
  }
}

/** By its first bytes: undefined for what Telegram shows as no voice note. */
function voiceType(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 64);
  if (head.startsWith("OggS") && head.includes("OpusHead")) return "audio/ogg";
  if (/^(?:ID3|\xff[\xf2\xf3\xfb])/.test(head)) return "audio/mpeg";
  return head.slice(4, 11) === "ftypM4A" ? "audio/mp4" : undefined;
}

function typeOf(kind: MediaKind, name: string): string {
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  if (kind === "audio") return "audio/mpeg";
  if (kind === "video") return "video/mp4";
  if (/^(png|jpeg|webp|gif)$/.test(end)) return `image/${end}`;
  if (/^(pdf|json|zip)$/.test(end)) return `application/${end}`;
  return end === "txt" ? "text/plain" : end === "jpg" ? "image/jpeg" : "application/octet-stream";
}

/** The file a parameter names: a part of the body, or one that Telegram has. @throws Refusal */
function fileOf(world: World, call: Call, kind: MediaKind, value: string): StoredFile {
  if (/^https?:/.test(value)) throw badRequest("failed to get HTTP URL content");
  const part = value.startsWith("attach://") ? value.slice(9) : undefined;
  const upload = part === undefined ? undefined : call.files.get(part);
  const known = part === undefined ? world.files.get(value) : undefined;
  if (known !== undefined) return known;
  if (upload === undefined) throw badRequest("wrong file identifier/HTTP URL specified");
  const { bytes, name } = upload;
  if (bytes.length === 0) throw badRequest("file must be non-empty");
  if (kind === "photo") {
    if (bytes.length > 10 * MB)
      throw badRequest(
        `file of size ${bytes.length} bytes is too big for a photo; the maximum size is ${10 * MB} bytes`,
      );
    if (!/^(\x89PNG|\xff\xd8\xff|GIF8|RIFF|BM)/.test(bytes.toString("latin1", 0, 8)))
      throw badRequest("IMAGE_PROCESS_FAILED");
  }
  return world.store(name, bytes);
}

type FileArgs = Aim & Captioned & { readonly [K in MediaKind]?: unknown };

function sender(kind: MediaKind): (world: World, args: FileArgs, call: Call) => Message {
  return (world, args, call) => {
    const said = caption(world, args);
    const place = placeOf(world, args);
    const file = fileOf(world, call, kind, String(args[kind]));
    return say(world, place, { ...mediaContent(kind, file, args), ...said }).message;
  };
}

export const mediaHandlers: Pick<
  Handlers,
  "sendPhoto" | "sendDocument" | "sendAudio" | "sendVoice" | "sendVideo" | "sendMediaGroup" | "getFile"
> = {
  sendPhoto: sender("photo"),
  sendDocument: sender("document"),
  sendAudio: sender("audio"),
  /** Ogg with Opus, MP3 and M4A are shown as a voice note; what is none of them is a file. */
  sendVoice(world, args, call) {
    const { bytes } = fileOf(world, call, "voice", String(args.voice));
    if (bytes.length > 50 * MB) throw badRequest("file is too big");
    const kind = voiceType(bytes) === undefined ? "document" : "voice";
    return sender(kind)(world, { ...args, [kind]: args.voice }, call);
  },
  sendVideo: sender("video"),

  sendMediaGroup(world, args, call) {
    const { media } = args;
    if (media.length === 0) throw badRequest("there are no messages to send");
    if (media.length > 10) throw badRequest("too many messages to send as an album");
    const kinds = new Set(media.map(({ type }) => (type === "video" ? "photo" : type)));
    if (kinds.size > 1) throw badRequest("can't use the media of the specified type in the album");
    const items = media.map((item) => {
      if (item.type === "live_photo") throw badRequest("can't parse InputMedia: type is not supported");
      return { said: caption(world, item), kind: item.type, item };
    });
    const place = placeOf(world, args);
    const contents = items.map(({ said, kind, item }) => ({
      ...mediaContent(kind, fileOf(world, call, kind, String(item.media)), item),
      ...said,
    }));
    world.limits.take(place.room, contents.length);
    const group: Content = contents.length > 1 ? { media_group_id: String(13_000_000_000 + world.next()) } : {};
    return contents.map((content): Message => sayFree(world, place, { ...content, ...group }).message);
  },

  getFile(world, { file_id: id }) {
    const file = world.files.get(id);
    if (file === undefined) throw badRequest("invalid file_id");
    if (file.size > 20 * MB) throw badRequest("file is too big");
    file.path ??= `documents/file_${world.next()}${/\.\w+$/.exec(file.name)?.[0] ?? ""}`;
    file.pathUntil = world.clock.now() + PATH_MS;
    return { file_id: id, file_unique_id: `u${id.slice(-8)}`, file_size: file.size, file_path: file.path };
  },
};
