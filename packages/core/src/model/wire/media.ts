// Media parts as base64, read once, or as the line that stands for them.
import type { BlobRef, MediaPart, TextPart } from "../../contract/message.ts";
import { toBase64 } from "../../lib/media/base64.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import type { Quirks } from "../quirks.ts";

export interface FilePiece {
  readonly type: "file";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly name?: string;
}
/** A media part, or the line that stands for it. */
export type MediaPiece = TextPart | FilePiece;
export type MediaReader = (part: MediaPart) => Promise<MediaPiece>;
/** What was read for one request. */
export type MediaLookup = (part: MediaPart) => MediaPiece;

/** Base64 kept beside the history for at most this many characters; older images are read again. */
const MAX_CACHED_CHARS = 16 * 1024 * 1024;

/** @returns Binds the request's way to bytes to a memory of encoded files. */
export function createMediaReader(
  quirks: Required<Quirks>,
): (bytes: (ref: BlobRef) => Promise<Uint8Array>) => MediaReader {
  const encoded = new Map<string, string>();
  let size = 0;
  const base64 = async (part: MediaPart, bytes: (ref: BlobRef) => Promise<Uint8Array>): Promise<string> => {
    const sha = part.blob.sha256;
    const text = encoded.get(sha) ?? toBase64(await bytes(part.blob));
    size += text.length - (encoded.get(sha)?.length ?? 0); // another request may have been faster
    encoded.delete(sha);
    encoded.set(sha, text);
    for (const [oldest, { length }] of encoded) {
      if (size <= MAX_CACHED_CHARS) break;
      encoded.delete(oldest);
      size -= length;
    }
    return text;
  };
  return (bytes) => async (part) => {
    const name = part.name ?? "file";
    const image = part.mediaType.startsWith("image/");
    if (image ? !quirks.images : !(quirks.files && part.mediaType === "application/pdf"))
      return {
        type: "text",
        text: `[attachment: ${name}, ${part.mediaType}, ${part.blob.bytes} bytes; this model cannot take it]`,
      };
    try {
      const data = await base64(part, bytes);
      return { type: "file", mediaType: part.mediaType, data, ...(part.name !== undefined && { name: part.name }) };
    } catch (error) {
      // A lost blob must not fail every later turn of the session.
      if (hasCode(error, "blob.missing")) return { type: "text", text: `[attachment missing: ${name}]` };
      throw error;
    }
  };
}

/** All of them, one after the other: a history of images is read within the bound of what is kept. */
export async function readMedia(parts: readonly MediaPart[], read: MediaReader): Promise<MediaLookup> {
  const pieces = new Map<MediaPart, MediaPiece>();
  for (const part of parts) pieces.set(part, await read(part));
  return (part) => pieces.get(part) ?? { type: "text", text: `[attachment missing: ${part.name ?? "file"}]` };
}
