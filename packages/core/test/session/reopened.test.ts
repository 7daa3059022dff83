// What closes and opens again is the same: the state that was built commit by commit, and the one read from the journal.
import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryJournalDirectory } from "../../src/journal/directory.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { recordHistory } from "../support/random-records.ts";

const HISTORIES = 10_000;
const CHAT = { channel: "cli", chat: "direct" } as const;

test("DF1 R418 the state of a session is the same after it was opened again, over 10,000 random histories", async () => {
  const clock = fakeClock();
  await fc.assert(
    fc.asyncProperty(recordHistory, async (commits) => {
      const journals = memoryJournalDirectory();
      await using store = openSessions({ journals, clock });
      const session = await store.open("cli:direct", CHAT);
      for (const records of commits) await session.commit(...records);
      await using again = openSessions({ journals, clock });
      const reopened = await again.find("cli:direct");
      expect(reopened?.state).toStrictEqual(session.state);
    }),
    { numRuns: HISTORIES },
  );
});

test("DF1 R418 the state of a fork is the same after it was opened again, and what was in hand stays with the original", async () => {
  const clock = fakeClock();
  await fc.assert(
    fc.asyncProperty(recordHistory, async (commits) => {
      const journals = memoryJournalDirectory();
      await using store = openSessions({ journals, clock });
      const session = await store.open("cli:direct", CHAT);
      for (const records of commits) await session.commit(...records);
      const { state } = await store.fork("cli:direct", "cli:copy");
      expect([state.turn, state.pending, state.outbox, state.archive, state.grants, state.posted]).toEqual([
        undefined,
        [],
        [],
        [],
        undefined,
        undefined,
      ]);
      expect(state.answered === undefined || state.answered.written === true).toBe(true);
      await using again = openSessions({ journals, clock });
      expect((await again.find("cli:copy"))?.state).toStrictEqual(state);
    }),
    { numRuns: 1000 },
  );
});
