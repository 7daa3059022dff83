// Bytes of a web page to text: charset from the header, then from the page, then UTF-8.

/** Where the HTML standard lets a page declare its charset. */
const META_BYTES = 1_024;

export function decodeBody(bytes: Uint8Array, contentType: string | undefined): string {
  const declared =
    charsetIn(contentType ?? "") ?? charsetIn(new TextDecoder("latin1").decode(bytes.subarray(0, META_BYTES)));
  return decoderOf(markOf(bytes) ?? declared).decode(bytes);
}

/** `text/html; charset=x` → `text/html`; "" when there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? "").split(";")[0]?.trim().toLowerCase().slice(0, 100) ?? "";
}

/** A byte order mark outranks everything. @see WHATWG Encoding, "BOM sniff" */
function markOf(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : undefined;
}

/** In `charset=…` of a header, `<meta charset>`, `<meta http-equiv>` or `<?xml encoding=…?>`. */
function charsetIn(text: string): string | undefined {
  return /(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(text)?.[1];
}

function decoderOf(label: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label ?? "utf-8");
  } catch {
    return new TextDecoder(); // an unknown charset
  }
}
