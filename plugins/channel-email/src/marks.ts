/**
 * What the structure of an HTML mail says about its text, carried through the conversion to lines. Private-use characters: what a
 * sender writes of them is taken out before.
 */
export const MARKS = {
  /** This line introduces the quote that follows. */
  attribution: "\u{e0f0}",
  /** From this line on everything is an older mail. */
  older: "\u{e0f1}",
  signature: "\u{e0f2}",
  signatureEnd: "\u{e0f3}",
} as const;

const ANY = /[\u{e0f0}-\u{e0f3}]/gu;

/** The text without marks; a blank instead where words would grow together. */
export function withoutMarks(text: string, instead = ""): string {
  return text.replace(ANY, instead);
}
