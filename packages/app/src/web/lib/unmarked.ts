/** A line as it reads without the pairs of marks that Markdown sets around words: where only plain text can stand. */
export function unmarked(line: string): string {
  return line.replaceAll(/(\*\*|__|~~|`+)(?=\S)(.*?\S)\1(?![\p{L}\p{N}_])/gu, "$2");
}
