// Removes what calls of earlier turns left behind: their results have been in the journal since their turn ended.
import fs from "node:fs";
import { join } from "node:path";
import type { Millis, SessionId, TurnId } from "../../contract/base.ts";
import { readIfExists } from "../../machine/files/files.ts";

/** A result is committed within moments of its receipt. */
const SETTLED_AFTER_MS = 10 * 60_000;
/** Without a receipt the command may still run: an hour at most. */
const LOST_AFTER_MS = 2 * 3_600_000;

const MAX_SESSIONS = 1_000;

/** Once a turn and session: a turn of many commands must not look at all of them at each. */
export function createTidy(directory: string): (session: SessionId, turn: TurnId, now: Millis) => void {
  const tidied = new Map<SessionId, TurnId>();
  return (session, turn, now) => {
    if (tidied.get(session) === turn) return;
    if (tidied.size >= MAX_SESSIONS) tidied.clear();
    tidied.set(session, turn);
    tidyCalls(join(directory, session), turn, now);
  };
}

/** Best effort and in the background: what stays is removed after a later command of the session. Never throws. */
function tidyCalls(directory: string, turn: TurnId, now: Millis): void {
  for (const path of entriesOf(directory))
    try {
      if (isOver(path, turn, now)) fs.rm(path, { recursive: true, force: true }, () => undefined);
    } catch {
      // No call's directory, or not ours to read: it stays. The command that has just started must be waited for.
    }
}

function entriesOf(directory: string): readonly string[] {
  try {
    return fs.readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return []; // nothing can be removed there
  }
}

function isOver(path: string, turn: TurnId, now: Millis): boolean {
  const intent = readIfExists(join(path, "intent.json"))?.toString("utf8") ?? "";
  // A text comparison: a torn intent belongs to no turn.
  if (intent.includes(`"turnId":${JSON.stringify(turn)}`)) return false;
  const endedAt = modifiedAt(join(path, "receipt"));
  const limit = endedAt === undefined ? (modifiedAt(path) ?? now) + LOST_AFTER_MS : endedAt + SETTLED_AFTER_MS;
  return limit < now;
}

function modifiedAt(path: string): Millis | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
