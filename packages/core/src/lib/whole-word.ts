/** Whether a text stands in another as a word of its own: in prose, and in a command. Pure. */

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

/** Whether a command speaks of a name: not as a part of another one, nor as an option. */
export function isNamedIn(command: string, name: string): boolean {
  for (let at = command.indexOf(name); at >= 0; at = command.indexOf(name, at + 1))
    if (!isPartOfName(command[at - 1]) && !isPartOfName(command[at + name.length])) return true;
  return false;
}

function isPartOfName(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_-]/u.test(character);
}

/** Scripts without blanks between words, and their punctuation. */
function isIdeograph(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。：；！？、）】」』”]/u.test(character);
}
