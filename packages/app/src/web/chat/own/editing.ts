/** Which message of one's own is being written anew, in its own place: by its button, a double click, or ↑ in an empty field. */
import type { ItemOf } from "@margay/core/internal/state";
import { signal } from "@preact/signals";
import { may } from "../../auth.ts";
import { isForeign } from "../../wire.ts";

/** The id of its item. */
export const editing = signal<string | undefined>(undefined);

/** What is asked again is asked in a copy that ends before it. What was imported is one commit: there is no place inside. */
export function isEditable({ from, origin, state }: ItemOf<"user">): boolean {
  const isOwn = from.kind === "person" && !isForeign(origin) && origin.channel !== "import";
  return isOwn && state !== "pending" && may("forkSession");
}
