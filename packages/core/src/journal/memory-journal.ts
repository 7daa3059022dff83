/** The journal contract without a disk: for embedders that keep nothing, and for tests. */
import type { Seq } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { Journal } from "../contract/services.ts";
import { RuntimeError } from "../lib/errors/errors.ts";

/** Commits are copied in and out, as a disk would. `lines` lets several journals share what was stored. */
export function createMemoryJournal(lines: string[] = []): Journal {
  return {
    append: (expected, commit, written) => {
      const last = lines.length as Seq;
      if (expected !== last || commit.seq !== last + 1)
        return Promise.reject(new RuntimeError("session.fenced", `The journal is at commit ${last}, not ${expected}.`));
      lines.push(JSON.stringify(commit));
      written?.();
      return Promise.resolve();
    },
    // oxlint-disable-next-line require-await -- the contract is asynchronous, memory is not
    read: async function* () {
      for (const line of lines) yield JSON.parse(line) as Commit; // written by append above
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
