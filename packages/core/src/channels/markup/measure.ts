/** How long a platform says that a text is. */
export type Unit = "utf16" | "codepoint" | "grapheme" | "byte";

/** @returns a counter for one run: it keeps what is slow to make. */
export function createCounter(unit: Unit): (text: string) => number {
  switch (unit) {
    case "utf16":
      return (text) => text.length;
    case "codepoint":
      return (text) => text.length - pairsOf(text);
    case "byte":
      return bytesOf;
    case "grapheme": {
      const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
      return (text) => {
        let count = 0;
        for (const _ of segmenter.segment(text)) count++;
        return count;
      };
    }
  }
}

/** How many characters take two units. */
function pairsOf(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if (isPairAt(text, at)) pairs++;
  return pairs;
}

function isPairAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  return code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000;
}

/** In UTF-8. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isPairAt(text, at)) {
      bytes += 4;
      at++;
    } else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  return bytes;
}
