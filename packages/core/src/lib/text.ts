// Cutting text without splitting a character, and saying that it was cut.

/** The first `maxChars` UTF-16 units of `text`, one less when that would split a surrogate pair. */
export function cutAt(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** At most `maxChars` characters of `text`; a cut text ends with `… [{n} characters in all]`. */
export function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutAt(text, maxChars)}… [${text.length} characters in all]`;
}

/** At most `maxChars` characters of `text`, the last of them `…` when it was cut. */
export function ellipsis(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutAt(text, maxChars - 1)}…`;
}
