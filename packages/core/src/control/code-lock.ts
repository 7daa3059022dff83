/** Who has guessed at codes gives none for a while: buttons, pages and the terminal go on. */
import type { Clock, Millis } from "../contract/base.ts";

export interface CodeLock {
  /** @param who somebody, in one chat */
  isLocked(who: string): boolean;
  wrong(who: string): void;
}

const MAX_WRONG = 3;
const LOCK_MS: Millis = 600_000;

export function createCodeLock({ monotonic }: Pick<Clock, "monotonic">): CodeLock {
  const guesses = new Map<string, readonly number[]>();
  const recent = (who: string): readonly number[] =>
    (guesses.get(who) ?? []).filter((at) => monotonic() - at < LOCK_MS);
  return {
    isLocked: (who) => recent(who).length >= MAX_WRONG,
    wrong: (who) => {
      for (const each of guesses.keys()) if (recent(each).length === 0) guesses.delete(each);
      guesses.set(who, [...recent(who), monotonic()].slice(-MAX_WRONG));
    },
  };
}
