/** Long replies in pieces a platform takes: never inside a character, a code fence is closed and opened again (R259). */
const FENCE = /^(```|~~~)(.*)$/;

/** @param maxChars UTF-16 units, as platforms count. */
export function splitText(text: string, maxChars: number): readonly string[] {
  if (text.length <= maxChars) return [text];
  const pieces: string[] = [];
  let piece = "";
  let fence = "";
  const room = (): number => maxChars - (fence === "" ? 0 : 4); // "\n```" closes it
  const flush = (): void => {
    if (piece.trim() !== "")
      pieces.push(fence === "" ? piece.replace(/\n$/, "") : `${piece.replace(/\n$/, "")}\n${fence.slice(0, 3)}`);
    piece = fence === "" ? "" : `${fence}\n`;
  };
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line);
    const limit = mark !== null && fence === "" ? maxChars - 4 : room(); // a line that opens one needs its end too
    for (const part of cutLine(line, Math.max(1, limit - (fence.length + 1)))) {
      if (piece.length + part.length + 1 > limit) flush();
      piece += `${part}\n`;
    }
    if (mark !== null) fence = fence === "" ? line.slice(0, 64) : "";
  }
  fence = "";
  flush();
  return pieces;
}

/** At spaces where there are some; never between the halves of a surrogate pair. */
function cutLine(line: string, maxChars: number): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > maxChars) {
    const space = rest.lastIndexOf(" ", maxChars);
    let at = space > maxChars / 2 ? space + 1 : maxChars;
    if (/[\uD800-\uDBFF]/.test(rest.charAt(at - 1))) at--;
    at = Math.max(1, at);
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest];
}
