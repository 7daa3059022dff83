/** A line as it reads without the marks that Markdown sets around words, and the fences of code: where only plain text can stand. */
export function unmarked(line: string): string {
  return line
    .replaceAll(/(^|\s)`{3,}[\w+-]*(?:\s|$)/g, "$1")
    .replaceAll(/(\*\*|__|~~|`+)(?=\S)(.*?\S)\1(?![\p{L}\p{N}_])/gu, "$2");
}
