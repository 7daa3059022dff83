/** What a file is, and what it is called: by its bytes, whoever says what. */

/** The last part of a path, without characters that could end the line it is shown in. */
export function plainName(path: string): string {
  const last = path.split(/[/\\]/).findLast((part) => part !== "" && part !== "." && part !== "..") ?? "";
  const name = last.replace(/[\p{Cc}\p{Cf}[\]]/gu, "_").trim();
  return name === "" ? "file" : name.slice(0, 120);
}

/** Whether every wire we speak accepts this type as an image. */
export function isImage(mediaType: string): boolean {
  return (
    mediaType === "image/png" || mediaType === "image/jpeg" || mediaType === "image/gif" || mediaType === "image/webp"
  );
}

/** Media type by content; a name or a sender's claim counts for nothing. */
export function sniff(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "image/webp";
  if (start.startsWith("%PDF-")) return "application/pdf";
  if (start.startsWith("PK\x03\x04")) return "application/zip";
  if (start.startsWith("\x1f\x8b")) return "application/gzip";
  if (start.startsWith("OggS")) return "audio/ogg";
  if (start.startsWith("ID3") || start.startsWith("\xff\xfb")) return "audio/mpeg";
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WAVE") return "audio/wav";
  if (start.slice(4, 8) === "ftyp") return "video/mp4";
  return isText(bytes.subarray(0, 4096)) ? "text/plain" : "application/octet-stream";
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  // The sample may end inside a character, so the decoder must not be told that the text is over.
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false; // invalid UTF-8 is the answer, not a failure
  }
}

/** What somebody says that it is, unless its bytes are something else: a vendor refuses a picture that is none, each time anew. */
export function typeOf(bytes: Uint8Array, said: string | undefined): string {
  const found = sniff(bytes);
  if (said === undefined || isImage(found)) return found;
  const base = said.split(";")[0]?.trim().toLowerCase() ?? "";
  return isImage(base) || (base === "application/pdf" && found !== base) ? found : said;
}
