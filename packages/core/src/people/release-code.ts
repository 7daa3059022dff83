/** The word by which a question is answered where there are no buttons. Pure. */
import type { CallId } from "../contract/base.ts";
import type { AskedRelease } from "../contract/session.ts";
import { isUnanswered } from "../lib/approval-choices.ts";

/** None is taken for another. */
const LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const CODE_CHARS = 4;

/** Short enough to type, and like no other that waits there. */
export function codeOf(hash: string, releases: readonly AskedRelease[]): CallId {
  const taken = new Set<string>(releases.filter(isUnanswered).map(({ code }) => code));
  const letters = Array.from({ length: hash.length - 1 }, (_, at) => {
    const value = Number.parseInt(hash.slice(at, at + 2), 16);
    return LETTERS[value % LETTERS.length] ?? "";
  });
  const codes = letters.map((_, at) => letters.slice(at, at + CODE_CHARS).join(""));
  const free = codes.find((code) => code.length === CODE_CHARS && !taken.has(code));
  return (free ?? hash) as CallId; // looked up by equality
}
