/**
 * Text as a person must see it before approving: control, invisible and direction-changing characters are written out,
 * so that what is shown is what will run.
 */
export function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replace(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2028\u2029\u2060-\u206F\uFE00-\uFE0F\uFEFF\u{E0000}-\u{E007F}]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
