// Where an edit goes, with the line endings of the file.

export interface Edit {
  /** Positions of the text to replace; they do not overlap. */
  readonly at: readonly number[];
  /** The text as it stands in the file, and what replaces it. */
  readonly from: string;
  readonly to: string;
}

/**
 * Models write `\n`. In a file with `\r\n` the same edit is looked for with `\r\n` too, and what is written gets the
 * endings of the file. Nothing else is tried: no white space, case or likeness is ignored.
 */
export function findEdit(text: string, oldText: string, newText: string): Edit {
  const isCrlf = text.includes("\r\n") && !/[^\r]\n|^\n/.test(text);
  const exact = { at: positions(text, oldText), from: oldText, to: isCrlf ? toCrlf(newText) : newText };
  if (exact.at.length > 0 || !oldText.includes("\n") || !text.includes("\r\n")) return exact;
  const from = toCrlf(oldText);
  return { at: positions(text, from), from, to: toCrlf(newText) };
}

function positions(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let index = text.indexOf(wanted); index !== -1; index = text.indexOf(wanted, index + wanted.length))
    found.push(index);
  return found;
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}
