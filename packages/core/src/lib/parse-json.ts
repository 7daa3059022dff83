/** JSON from outside, no deeper than what everything behind it can walk: `JSON.parse` has no bound, `JSON.stringify` overflows. */

/** No honest value is nested this deep; a call stack takes some thousands. */
export const MAX_JSON_DEPTH = 256;

/** Undefined when the text is not JSON, or nested deeper than {@link MAX_JSON_DEPTH}. */
export function parseJson(text: string): unknown {
  if (isDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // Broken: nothing is guessed.
  }
}

function isDeep(text: string): boolean {
  // Each level has two brackets.
  if (text.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === BRACKET || code === BRACE) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (code === BRACKET_END || code === BRACE_END) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
