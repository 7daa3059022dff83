/** The sessions that have a turn or a message at hand. */
import type { Session } from "../../contract/session.ts";
import type { SessionStore } from "../../contract/store.ts";

export async function sessionsAtWork(
  sessions: SessionStore,
  find: (key: string) => Promise<Session | undefined>,
): Promise<readonly Session[]> {
  const found = await Promise.all(
    (await sessions.list()).flatMap(({ key, fault, settled }) =>
      fault === undefined && settled !== true ? [find(key)] : [],
    ),
  );
  return found
    .filter((each) => each !== undefined)
    .filter(({ state }) => state.turn !== undefined || state.pending.length > 0);
}
