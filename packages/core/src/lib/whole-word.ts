/** Whether a text stands in another as a word of its own. Pure. */

/** `http://a.test/` is not said by `http://a.test/c?d=1`, nor `42` by `142`. */
export function says(where: string, what: string): boolean {
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) {
    const before = where[at - 1];
    const after = where.slice(at + what.length, at + what.length + 2);
    if (isEdge(before) && endsThere(after)) return true;
  }
  return false;
}

function isEdge(character: string | undefined): boolean {
  return character === undefined || isIdeograph(character) || !/[\p{L}\p{N}_%&=+~@-]/u.test(character);
}

/** A dot or comma ends a text when nothing of the same word comes after it. */
function endsThere(rest: string): boolean {
  const [first, second] = rest;
  if (first === undefined || isIdeograph(first)) return true;
  if (/[.,:;!?]/.test(first)) return second === undefined || /[\s)\]}"'<>*_]/u.test(second);
  return !/[\p{L}\p{N}_%&=+~@/#?-]/u.test(first);
}

/** Scripts without blanks between words, and their punctuation. */
function isIdeograph(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。：；！？、）】」』”]/u.test(character);
}
