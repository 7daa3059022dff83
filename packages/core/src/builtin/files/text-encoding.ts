// Text in the encodings that files come in: UTF-8, UTF-16 with a mark, and whatever else, shown as Latin-1.
import { hasUtf16Mark } from "../../lib/paths/file-type.ts";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1";

/** By the mark at the start; without one it is taken for UTF-8 until its bytes say otherwise. */
export function encodingOf(head: Uint8Array): Encoding {
  if (!hasUtf16Mark(head)) return "utf-8";
  return head[0] === 0xff ? "utf-16le" : "utf-16be";
}

/** The text without a UTF-16 mark; a UTF-8 mark stays, as the file's text is not changed. Undefined: not UTF-8. */
export function decodeWhole(bytes: Buffer, encoding: Encoding): string | undefined {
  if (encoding === "latin1") return bytes.toString("latin1");
  try {
    const text = new TextDecoder(encoding, { fatal: encoding === "utf-8", ignoreBOM: true }).decode(bytes);
    return encoding === "utf-8" ? text : text.replace(/^\ufeff/, "");
  } catch {
    return undefined; // invalid bytes: the caller shows it as Latin-1 or refuses to edit it
  }
}

/** The bytes of an edited text, in the encoding that the file had. */
export function encodeWhole(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "utf-16le":
      return Buffer.from(`\ufeff${text}`, "utf16le");
    case "utf-16be":
      return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
    case "latin1":
      return Buffer.from(text, "latin1");
  }
}
