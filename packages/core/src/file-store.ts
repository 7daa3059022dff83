/** What one process keeps in its state directory: the store that there is when nobody gives another. */
import type { Clock, Logger } from "./contract/base.ts";
import type { Journals, Store } from "./contract/store.ts";
import { openBlobs } from "./journal/blobs.ts";
import { openJournalDirectory } from "./journal/directory.ts";
import { receivedKeys } from "./journal/received-keys.ts";

/** The journals of a state directory, also for who only looks and leaves its lock alone. */
export function journalsOf(directory: string): Journals {
  return openJournalDirectory(`${directory}/sessions`);
}

/** Nothing is read before it is asked for. @param directory Of this process alone: whoever opens it has its lock. */
export function openFileStore(
  directory: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Store {
  return {
    journals: journalsOf(directory),
    blobs: openBlobs(`${directory}/blobs`),
    keys: receivedKeys({ directory: `${directory}/keys`, clock, log }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
