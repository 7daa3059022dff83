/** A line as it reads without the marks that Markdown sets around words, and the fences of code: where only plain text can stand. */
export function unmarked(line: string): string {
  const open = line.replaceAll(/`{3,}[\w+-]*\s?/g, "");
  return open.replaceAll(/(\*\*|__|~~|`+)(?=\S)(.*?\S)\1(?![\p{L}\p{N}_])/gu, "$2");
}
