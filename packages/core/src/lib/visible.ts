/**
 * Text as a person must see it before approving: control, invisible and direction-changing characters are written out,
 * so that what is shown is what will run.
 */
export function visible(text: string): string {
  // Control, format, private-use, unassigned and separator characters, and what changes the look of the one before.
  const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;
  return text.replaceAll(hidden, (char) => (char === "\n" ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`));
}
