/** Long replies in pieces a platform takes: never inside a character, a code fence is closed and opened again. */
/** Where a piece lies in its text: what has left is known by that, whatever is cut how later. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** @param maxChars UTF-16 units, as platforms count. */
export function splitText(text: string, maxChars: number): readonly string[] {
  return [...cutText(text, { maxChars })].map((range) => pieceOf(text, range));
}

/**
 * The rest of a text in pieces; what is blank between two of them is in none. At least one when it begins at 0.
 * @param from where the rest begins.
 * @param first the room for the first of them, when something is put before it.
 */
export function* cutText(
  text: string,
  {
    maxChars,
    from = 0,
    first = maxChars,
  }: { readonly maxChars: number; readonly from?: number; readonly first?: number },
): Generator<Range> {
  if (from === 0 && text.length <= first) return void (yield { from, to: text.length });
  let most = first;
  let fence = fenceAt(text, from);
  let begun = from;
  let opened = fence; // the fence that the piece begins in
  let at = from;
  let none = from === 0;
  const isBlank = (): boolean => text.slice(begun, at).trim() === "";
  while (at < text.length) {
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const mark = fenceOf(text, start, end);
    const closing = mark === undefined && fence === "" ? 0 : 4; // "\n```": a line that opens one needs its end too
    for (let more = true; more;) {
      const limit = most - closing;
      const cut = cutLine(text.slice(at, end), Math.max(1, limit - (fence === "" ? 1 : fence.length + 1)));
      const before = (opened === "" ? 0 : opened.length + 1) + at - begun;
      if (at > begun && before + cut + 1 > limit) {
        if (!isBlank()) {
          none = false;
          most = maxChars;
          yield { from: begun, to: at };
        }
        begun = at;
        opened = fence;
        continue; // with the room of a whole piece
      }
      at += cut;
      more = at < end;
    }
    if (newline >= 0) at += 1;
    if (mark !== undefined) fence = fence === "" ? mark : "";
  }
  if (none || !isBlank()) yield { from: begun, to: text.length };
}

/** The piece as it is sent. */
export function pieceOf(text: string, { from, to }: Range): string {
  const opened = fenceAt(text, from);
  const open = to < text.length ? fenceAt(text, to) : "";
  const body = text.slice(from, to);
  return (
    (opened === "" ? "" : `${opened}\n`) +
    (to < text.length ? body.replace(/\n$/, "") : body) +
    (open === "" ? "" : `\n${open.slice(0, 3)}`)
  );
}

/** The line that opened the code that goes on there; "" outside of code. */
function fenceAt(text: string, at: number): string {
  let fence = "";
  for (let start = 0; start < at;) {
    const newline = text.indexOf("\n", start);
    if (newline < 0 || newline >= at) break; // a line counts when it is over
    const mark = fenceOf(text, start, newline);
    if (mark !== undefined) fence = fence === "" ? mark : "";
    start = newline + 1;
  }
  return fence;
}

/** What of a line opens code; undefined when it is another line. */
function fenceOf(text: string, start: number, end: number): string | undefined {
  const opens = text.startsWith("```", start) || text.startsWith("~~~", start);
  return opens ? text.slice(start, Math.min(end, start + 64)) : undefined;
}

/** How much of a line goes first: up to a space where there is one; never between the halves of a surrogate pair. */
function cutLine(rest: string, maxChars: number): number {
  if (rest.length <= maxChars) return rest.length;
  const space = rest.lastIndexOf(" ", maxChars);
  let at = space > maxChars / 2 ? space + 1 : maxChars;
  if (/[\uD800-\uDBFF]/.test(rest.charAt(at - 1))) at--;
  return Math.max(1, at);
}
