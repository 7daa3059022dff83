/** What a file is sent as: what Telegram shows best. Pure. */
import type { MediaPart, OutboundPiece } from "@margay/core/plugin";
import type { InlineKeyboardMarkup } from "grammy/types";

export type Kind = "photo" | "audio" | "voice" | "video" | "document";

/** One call, or the album of several pictures. */
export type Step =
  | { readonly type: "text"; readonly text: string; readonly html: boolean }
  | { readonly type: "files"; readonly files: readonly MediaPart[] };

const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const MAX_ALBUM = 10;

const KINDS: Readonly<Record<string, Kind>> = {
  "image/jpeg": "photo",
  "image/png": "photo",
  "image/webp": "photo",
  "audio/mpeg": "audio",
  "audio/mp4": "audio",
  "audio/x-m4a": "audio",
  "audio/ogg": "voice",
  "audio/opus": "voice",
  "video/mp4": "video",
};

export function kindOf({ mediaType, blob, voice }: MediaPart): Kind {
  if (voice === true) return "voice";
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  return kind === undefined || (kind === "photo" && blob.bytes > MAX_PHOTO_BYTES) ? "document" : kind;
}

/** The text first; pictures that follow each other are albums. */
export function stepsOf(text: string, html: boolean, media: readonly MediaPart[]): readonly Step[] {
  const groups: MediaPart[][] = [];
  for (const part of media) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const joins = first !== undefined && kindOf(first) === "photo" && kindOf(part) === "photo";
    if (joins && last !== undefined && last.length < MAX_ALBUM) last.push(part);
    else groups.push([part]);
  }
  return [
    ...(text.trim() === "" ? [] : [{ type: "text", text, html } as const]),
    ...groups.map((files) => ({ type: "files", files }) as const),
  ];
}

/** Telegram shows the name, and some of it by the ending. */
export function fileName({ name, mediaType }: MediaPart): string {
  const own = (name ?? "").replaceAll(/[\p{Cc}"\\/]+/gu, "_").trim();
  if (own !== "") return own;
  const ending = /^(?:image|audio|video|application|text)\/([a-z0-9]+)/i.exec(mediaType)?.[1] ?? "bin";
  return `file.${ending.toLowerCase()}`;
}

/** What a method takes to draw them, or to draw none. */
export function keyboardOf({ actions = [] }: OutboundPiece): { readonly reply_markup?: InlineKeyboardMarkup } {
  if (actions.length === 0) return {};
  return {
    reply_markup: { inline_keyboard: [actions.map(({ token, label }) => ({ text: label, callback_data: token }))] },
  };
}
