/** Untrusted text on its way to a terminal: no escape sequence, control or direction mark may act there. */

// CSI, OSC/DCS/APC/PM/SOS strings with their terminator (or to the end: an unfinished one would swallow what follows), two-byte escapes.
const SEQUENCES =
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
// Direction overrides and isolates can make a line read as another one; the others have no width at all.
const HIDDEN =
  /[\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** For reading: sequences and controls vanish; line breaks stay, a tab becomes spaces. */
export function safeText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(SEQUENCES, "")
    .replaceAll("\t", "    ")
    .replace(CONTROLS, "")
    .replace(HIDDEN, "");
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text)
    .replace(/\s*\n\s*/g, " ")
    .trim();
}

/** For decisions: nothing vanishes. What cannot be seen is written out, `\u202e`. */
export function visibleText(text: string): string {
  return text.replace(CONTROLS, escaped).replace(HIDDEN, escaped).replaceAll("\t", "\\t");
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\r") return "\\r";
  return code > 0xffff
    ? `\\u{${code.toString(16)}}`
    : code > 0xff
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : `\\x${code.toString(16).padStart(2, "0")}`;
}
