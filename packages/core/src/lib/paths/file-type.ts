// What a file is, by its first bytes.

export interface FileType {
  /** For people and models: `PDF document`. */
  readonly name: string;
  /** Only for images that models take. */
  readonly image?: string;
}

/** The bytes that `detect` wants. */
export const HEAD_BYTES = 8192;

// Signatures from the formats' own specifications; `....` stands for any four bytes.
const SIGNATURES: readonly (readonly [string, FileType])[] = [
  ["\x89PNG\r\n\x1a\n", { name: "PNG image", image: "image/png" }],
  ["\xff\xd8\xff", { name: "JPEG image", image: "image/jpeg" }],
  ["GIF87a", { name: "GIF image", image: "image/gif" }],
  ["GIF89a", { name: "GIF image", image: "image/gif" }],
  ["RIFF....WEBP", { name: "WebP image", image: "image/webp" }],
  ["RIFF....WAVE", { name: "WAV audio" }],
  ["RIFF....AVI ", { name: "AVI video" }],
  ["%PDF-", { name: "PDF document" }],
  ["PK\x03\x04", { name: "ZIP archive or office document" }],
  ["PK\x05\x06", { name: "ZIP archive" }],
  ["\x1f\x8b", { name: "gzip data" }],
  ["BZh", { name: "bzip2 data" }],
  ["\xfd7zXZ\x00", { name: "xz data" }],
  ["\x28\xb5\x2f\xfd", { name: "zstd data" }],
  ["7z\xbc\xaf\x27\x1c", { name: "7z archive" }],
  ["Rar!\x1a\x07", { name: "RAR archive" }],
  ["\x7fELF", { name: "ELF program" }],
  ["MZ", { name: "Windows program" }],
  ["\xcf\xfa\xed\xfe", { name: "macOS program" }],
  ["\x00asm", { name: "WebAssembly module" }],
  ["SQLite format 3\x00", { name: "SQLite database" }],
  ["ID3", { name: "MP3 audio" }],
  ["OggS", { name: "Ogg media" }],
  ["fLaC", { name: "FLAC audio" }],
  ["....ftyp", { name: "MP4 media" }],
  ["\x1a\x45\xdf\xa3", { name: "Matroska media" }],
  ["\xd0\xcf\x11\xe0", { name: "old office document" }],
  ["II*\x00", { name: "TIFF image" }],
  ["MM\x00*", { name: "TIFF image" }],
  ["BM", { name: "BMP image" }],
];

/** Undefined: text, as far as the first bytes tell. */
export function detect(head: Buffer): FileType | undefined {
  if (hasUtf16Mark(head)) return undefined;
  const text = head.subarray(0, 32).toString("latin1");
  const known = SIGNATURES.find(([signature]) => startsLike(text, signature))?.[1];
  if (known !== undefined && (known.image !== undefined || isBinary(head))) return known;
  return isBinary(head) ? { name: "unknown binary data" } : undefined;
}

export function hasUtf16Mark(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

/** A NUL, or more than a tenth of control characters that no text holds. */
export function isBinary(head: Uint8Array): boolean {
  let odd = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) odd += 1;
  }
  return odd * 10 > head.length;
}

function startsLike(text: string, signature: string): boolean {
  for (let index = 0; index < signature.length; index++)
    if (signature[index] !== "." && signature[index] !== text[index]) return false;
  return true;
}
