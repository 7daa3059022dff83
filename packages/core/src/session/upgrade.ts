/** Older record versions → current. Pure; journals of every released version are fixtures of its test. */
import type { Commit } from "../contract/record.ts";
import { RuntimeError } from "../lib/errors.ts";

const VERSION: number = 1;

/** @throws RuntimeError `journal.version` for a journal of a newer margay. */
export function upgrade(commit: Commit): Commit {
  for (const record of commit.records) {
    if (record.type === "session.opened" && record.version !== VERSION)
      throw new RuntimeError(
        "journal.version",
        `This journal has version ${String(record.version)}; this margay reads up to ${VERSION}. Update margay.`,
      );
  }
  return commit;
}
