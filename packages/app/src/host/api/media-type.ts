/** What bytes are: their own first bytes say it, never a name or a header of the sender. */

export interface MediaType {
  readonly type: string;
  /** A browser may show it in the page: it can hold no script. */
  readonly inline: boolean;
  readonly width?: number;
  readonly height?: number;
}

const PNG_SIZE_AT = 16;
const TEXT_PROBE_BYTES = 8192;

export function mediaTypeOf(bytes: Uint8Array): MediaType {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = view.toString("latin1", 0, 16);
  if (head.startsWith("\u0089PNG\r\n"))
    return view.length < PNG_SIZE_AT + 8
      ? { type: "image/png", inline: true }
      : {
          type: "image/png",
          inline: true,
          width: view.readUInt32BE(PNG_SIZE_AT),
          height: view.readUInt32BE(PNG_SIZE_AT + 4),
        };
  if (head.startsWith("\u00ff\u00d8\u00ff")) return { type: "image/jpeg", inline: true };
  if (/^GIF8[79]a/.test(head))
    return { type: "image/gif", inline: true, width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return { type: "image/webp", inline: true };
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WAVE") return { type: "audio/wav", inline: true };
  if (head.slice(4, 8) === "ftyp") {
    if (/^(avif|avis)/.test(head.slice(8))) return { type: "image/avif", inline: true };
    return head.slice(8, 11) === "M4A" ? { type: "audio/mp4", inline: true } : { type: "video/mp4", inline: false };
  }
  if (head.startsWith("ID3") || /^\u00ff[\u00fb\u00f3\u00f2]/.test(head)) return { type: "audio/mpeg", inline: true };
  if (head.startsWith("OggS")) return { type: "audio/ogg", inline: true };
  if (head.startsWith("fLaC")) return { type: "audio/flac", inline: true };
  if (head.startsWith("\u001aE\u00df\u00a3")) return { type: "audio/webm", inline: true };
  if (head.startsWith("%PDF-")) return { type: "application/pdf", inline: false };
  if (head.startsWith("PK\u0003\u0004")) return { type: "application/zip", inline: false };
  return { type: isText(view) ? "text/plain" : "application/octet-stream", inline: false };
}

function isText(bytes: Buffer): boolean {
  const head = bytes.subarray(0, TEXT_PROBE_BYTES);
  if (head.includes(0)) return false;
  // A character may be cut at the end of the probe.
  return !new TextDecoder().decode(head).slice(0, -3).includes("\uFFFD");
}
