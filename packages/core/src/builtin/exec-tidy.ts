// Removes what calls of earlier turns left behind: their results have been in the journal since their turn ended.
import fs from "node:fs";
import { join } from "node:path";
import type { Millis, TurnId } from "../contract/base.ts";
import { readIfExists } from "../platform/files.ts";

/** A result is committed within moments of its receipt. */
const SETTLED_AFTER_MS = 10 * 60_000;
/** Without a receipt the command may still run: an hour at most. */
const LOST_AFTER_MS = 2 * 3_600_000;

/** Best effort and in the background: what stays is removed after a later command of the session. */
export function tidyCalls(directory: string, turn: TurnId, now: Millis): void {
  for (const name of fs.readdirSync(directory)) {
    const path = join(directory, name);
    const intent = readIfExists(join(path, "intent.json"))?.toString("utf8") ?? "";
    // A text comparison: a torn intent belongs to no turn.
    if (intent.includes(`"turnId":${JSON.stringify(turn)}`)) continue;
    const endedAt = modifiedAt(join(path, "receipt"));
    const limit = endedAt === undefined ? (modifiedAt(path) ?? now) + LOST_AFTER_MS : endedAt + SETTLED_AFTER_MS;
    if (limit < now) fs.rm(path, { recursive: true, force: true }, () => undefined);
  }
}

function modifiedAt(path: string): Millis | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
