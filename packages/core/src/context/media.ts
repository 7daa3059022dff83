// Files that come with a message: images become media parts, everything else a line of text the model can act on.
import type { ContentPart, TextPart } from "../contract/message.ts";
import type { BlobStore } from "../contract/services.ts";
import { isImage, plainName, sniff } from "../lib/files/media-type.ts";

/** Anthropic's limit for one image; larger ones are refused by at least one provider. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export type MediaOrder = "media-first" | "text-first";
/** A file by path, or bytes that were received. */
export type MediaSource =
  | { readonly path: string }
  | { readonly name: string; readonly bytes: Uint8Array; readonly path?: string };

export interface MediaOptions {
  readonly blobs: Pick<BlobStore, "put">;
  /**
   * Size of a file, and its content when that is at most `maxBytes`, else only its beginning.
   * Undefined or a throw: the file is missing or refused.
   */
  readonly readBytes: (
    path: string,
    maxBytes: number,
  ) => Promise<{ readonly size: number; readonly bytes: Uint8Array } | undefined>;
  readonly order: MediaOrder;
}

/** The parts of a user message: images and text in the configured order; nothing here ever fails the message. */
export async function messageParts(
  text: string,
  media: readonly MediaSource[],
  options: MediaOptions,
): Promise<readonly ContentPart[]> {
  const parts = await Promise.all(media.map((source) => mediaPart(source, options)));
  const own: readonly TextPart[] = text === "" ? [] : [{ type: "text", text }];
  return options.order === "media-first" ? [...parts, ...own] : [...own, ...parts];
}

async function mediaPart(source: MediaSource, options: MediaOptions): Promise<ContentPart> {
  const name = plainName("name" in source ? source.name : source.path);
  const file = await load(source, options);
  if (file === undefined) return { type: "text", text: `[attachment missing: ${name}]` };
  const mediaType = sniff(file.bytes);
  if (isImage(mediaType) && file.size <= MAX_IMAGE_BYTES && file.bytes.length === file.size)
    return { type: "media", mediaType, blob: await options.blobs.put(file.bytes), name };
  return { type: "text", text: attachmentLine(name, mediaType, file.size, source.path) };
}

/** The line for a file that is not sent as an image. */
export function attachmentLine(name: string, mediaType: string, bytes: number, path: string | undefined): string {
  const place = path === undefined ? "" : `, ${path.replace(/[\p{Cc}\]]/gu, "_")}`;
  return `[attachment: ${name}, ${mediaType}, ${size(bytes)}${place}]`;
}

async function load(
  source: MediaSource,
  options: MediaOptions,
): Promise<{ readonly size: number; readonly bytes: Uint8Array } | undefined> {
  if ("bytes" in source) return { size: source.bytes.length, bytes: source.bytes };
  try {
    return await options.readBytes(source.path, MAX_IMAGE_BYTES);
  } catch {
    return undefined; // a refused or vanished file is a line of text for the model, not an error for the person
  }
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
