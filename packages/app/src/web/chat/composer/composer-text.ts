/** Text that other parts put into the composer: drafts put back, examples, commands, what was said. */
import { signal } from "@preact/signals";

/** Taken by the composer that is on screen. */
export const offered = signal<string | undefined>(undefined);

export function putIntoComposer(text: string): void {
  offered.value = text;
}

/** Words in place of the selection, apart from those beside them; Chinese and Japanese stand close. */
export function inserted(
  text: string,
  [from, to]: readonly [number, number],
  words: string,
): { readonly text: string; readonly cursor: number } {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const left = /[\p{L}\p{N}\p{Pe}\p{Pf}.,;:!?…]$/u.test(before) && !isClose(before.at(-1), words.at(0)) ? " " : "";
  const right = /^[\p{L}\p{N}]/u.test(after) && !isClose(words.at(-1), after.at(0)) ? " " : "";
  return { text: `${before}${left}${words}${right}${after}`, cursor: before.length + left.length + words.length };
}

function isClose(left = "", right = ""): boolean {
  const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/u;
  return wide.test(left) || wide.test(right);
}
