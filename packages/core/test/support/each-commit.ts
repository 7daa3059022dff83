// Journals in whose way somebody stands: each commit goes through a function that stores it, or does not.
import { setImmediate } from "node:timers/promises";
import type { Seq, SessionId } from "../../src/contract/base.ts";
import type { Commit } from "../../src/contract/record.ts";
import type { Journals } from "../../src/contract/store.ts";

/** @param append One commit at a time, also of several that are appended at once; `store` resolves when it is on disk. */
export function eachCommit(
  journals: Journals,
  append: (commit: Commit, store: () => Promise<void>, id: SessionId) => Promise<void>,
): Journals {
  return {
    ...journals,
    open: async (id, known) => {
      const journal = await journals.open(id, known);
      return {
        ...journal,
        append: async (_expected, commits, about) => {
          for (const commit of commits) {
            const store = async (): Promise<void> => {
              await journal.append((commit.seq - 1) as Seq, [commit], about, () => {}); // consecutive
            };
            await append(commit, store, id);
          }
          return { status: "ok" };
        },
      };
    },
  };
}

/** A way to a store that takes now longer and now shorter, so that who asks first is not always served first. */
export function uneven(): () => Promise<void> {
  let asked = 0;
  return async () => {
    asked += 1;
    for (let turns = [3, 1, 2, 1][asked % 4] ?? 1; turns > 0; turns--) await setImmediate();
  };
}
