/** Sound as platforms take it: what its bytes are, and the same in another kind. */
import { mediaTypeOf } from "../../host/api/media-type.ts";

/** What we call it; undefined: these bytes are no sound. An Ogg file that is not Opus is none for a voice note. */
export function soundType(bytes: Uint8Array): string | undefined {
  const { type } = mediaTypeOf(bytes);
  if (type === "audio/ogg") return isOpus(bytes) ? type : "audio/ogg; codecs=vorbis";
  return type.startsWith("audio/") ? type : undefined;
}

function isOpus(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).includes("OpusHead");
}

/** A program that writes while it speaks cannot know the length that stands in front. */
export function withLength(bytes: Uint8Array): Uint8Array {
  if (mediaTypeOf(bytes).type !== "audio/wav") return bytes;
  const fixed = Buffer.from(bytes);
  const data = fixed.indexOf("data", 12, "latin1");
  if (data < 0 || data + 8 > fixed.length) return bytes;
  fixed.writeUInt32LE(fixed.length - 8, 4);
  fixed.writeUInt32LE(fixed.length - data - 8, data + 4);
  return fixed;
}

const ENDINGS: Readonly<Record<string, string>> = { "audio/mpeg": "mp3", "audio/mp4": "m4a" };

/** `voice.ogg` */
export function soundName(type: string): string {
  const plain = type.split(";")[0] ?? type;
  return `voice.${ENDINGS[plain] ?? plain.replace("audio/", "")}`;
}

/** How ffmpeg makes each kind. @returns undefined: we know no way. */
export function conversionTo(kind: string): readonly [string, ...string[]] | undefined {
  const codec = CODECS[kind];
  if (codec === undefined) return undefined;
  return ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", "pipe:0", "-vn", "-ac", "1", ...codec, "pipe:1"];
}

const CODECS: Readonly<Record<string, readonly string[]>> = {
  "audio/ogg": ["-c:a", "libopus", "-b:a", "32k", "-ar", "48000", "-f", "ogg"],
  "audio/mpeg": ["-c:a", "libmp3lame", "-b:a", "64k", "-f", "mp3"],
};
