/** All unsaved drafts of the pages; small, because the navigation marks its entries by it. */
import { computed, signal } from "@preact/signals";

export interface Kept {
  readonly value: unknown;
  readonly base: unknown;
  readonly hash: string | undefined;
}

/** Key → draft; the key begins with the page's id. */
export const drafts = signal<ReadonlyMap<string, Kept>>(new Map());

/** Pages with unsaved changes. */
export const unsavedPages = computed<ReadonlySet<string>>(
  () => new Set([...drafts.value.keys()].map((key) => key.slice(0, key.search(/[/?]|$/)))),
);
