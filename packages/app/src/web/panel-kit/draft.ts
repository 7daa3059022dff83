/** A draft beside the saved value: saved, unsaved, or changed elsewhere. Drafts outlive the page that shows them. */
import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useCallback } from "preact/hooks";
import { isProblem, type Problem } from "./api.ts";
import { drafts, type Kept } from "./drafts.ts";

export type DraftState = "saved" | "unsaved" | "elsewhere";

export interface Draft<T> {
  readonly value: T;
  readonly state: DraftState;
  /** What it was when the editing began, and what is saved now: for the three-way view. */
  readonly base: T;
  readonly saved: T;
  /** Of the saved version the draft was begun on. */
  readonly hash: string | undefined;
  change(value: T): void;
  discard(): void;
  /** The draft is now based on what is saved: the next save overwrites it. */
  rebase(): void;
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * @param key Of the draft: page and document, `memory/MEMORY.md`.
 * @param saved As the server has it now.
 */
export function useDraft<T>(key: string, saved: T, hash: string | undefined): Draft<T> {
  const kept: ReadonlySignal<Kept | undefined> = useComputed(() => drafts.value.get(key));
  const mine = kept.value;
  const change = useCallback(
    (value: T) => {
      const before = drafts.value.get(key);
      if (before === undefined && equal(value, saved)) return;
      const base = before === undefined ? { base: saved, hash } : before;
      put(key, equal(value, base.base) && base.hash === hash ? undefined : { ...base, value });
    },
    [key, saved, hash],
  );
  const discard = useCallback(() => put(key, undefined), [key]);
  const rebase = useCallback(() => {
    const before = drafts.value.get(key);
    if (before !== undefined) put(key, { ...before, base: saved, hash });
  }, [key, saved, hash]);
  return {
    // The key names the document, so what is kept under it is of its type.
    value: mine === undefined ? saved : (mine.value as T),
    base: mine === undefined ? saved : (mine.base as T),
    saved,
    hash: mine === undefined ? hash : mine.hash,
    state: mine === undefined ? "saved" : mine.hash === hash ? "unsaved" : "elsewhere",
    change,
    discard,
    rebase,
  };
}

function put(key: string, kept: Kept | undefined): void {
  const next = new Map(drafts.value);
  if (kept === undefined) next.delete(key);
  else next.set(key, kept);
  drafts.value = next;
}

/** Whether a save failed because someone else saved first. */
export function isConflict(problem: Problem | undefined): boolean {
  return problem !== undefined && isProblem(problem, "precondition.failed");
}
