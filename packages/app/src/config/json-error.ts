/** Where text stops being JSON. V8 names the place for some errors only, and quotes what may be a secret. */

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** @returns The offset of the first character that cannot stand there; the length when the text ends too early. */
export function jsonErrorOffset(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at += matchAt(SPACE, text, at);
    const character = text[at];
    if (character === undefined) return text.length;
    const wantsValue = expected === "value" || expected === "value-or-end";
    if (character === "}" || character === "]") {
      if (expected !== "comma-or-end" && expected !== (character === "}" ? "key-or-end" : "value-or-end")) return at;
      if (open.pop() !== (character === "}" ? "{" : "[")) return at;
      at += 1;
      expected = open.length === 0 ? "nothing" : "comma-or-end";
    } else if (character === "," && expected === "comma-or-end") {
      at += 1;
      expected = open.at(-1) === "{" ? "key" : "value";
    } else if (character === ":" && expected === "colon") {
      at += 1;
      expected = "value";
    } else if (wantsValue && (character === "{" || character === "[")) {
      open.push(character);
      at += 1;
      expected = character === "{" ? "key-or-end" : "value-or-end";
    } else {
      const isKey: boolean = expected === "key" || expected === "key-or-end";
      const length = isKey || wantsValue ? matchAt(character === '"' ? STRING : isKey ? NEVER : SCALAR, text, at) : 0;
      if (length === 0) return at;
      at += length;
      expected = isKey ? "colon" : open.length === 0 ? "nothing" : "comma-or-end";
    }
  }
}

const NEVER = /(?!)/y;

/** Length of the match that starts exactly at `at`; 0 when there is none. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
