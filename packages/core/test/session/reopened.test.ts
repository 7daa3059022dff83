// What closes and opens again is the same: the state that was built commit by commit, and the one read from the journal.
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Seq } from "../../src/contract/base.ts";
import type { Commit, JournalRecord } from "../../src/contract/record.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { recordHistory } from "../support/random-records.ts";

const HISTORIES = 10_000;
const CHAT = { channel: "cli", chat: "direct" } as const;
const WEBHOOK = { channel: "webhook", chat: "b" } as const;
const RECEIVED: Extract<JournalRecord, { type: "message.received" }> = {
  type: "message.received",
  key: "k-1",
  origin: WEBHOOK,
  attended: true,
  message: {
    role: "user",
    id: "m-1",
    at: 0,
    from: { id: "ann", kind: "person" },
    parts: [{ type: "text", text: "hello" }],
  },
};

test("DF1 R418 the state of a session is the same after it was opened again, over 10,000 random histories", async () => {
  const clock = fakeClock();
  await fc.assert(
    fc.asyncProperty(recordHistory, async (commits) => {
      const journals = memoryJournals();
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
      const journals = memoryJournals();
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

test.each([["before its first line"], ["in the midst of its first line"]])(
  "R418 a conversation whose process was killed %s is whole with its first message, also when it was looked for before",
  async (when) => {
    const directory = mkdtempSync(join(tmpdir(), "margay-sessions-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const open = (): ReturnType<typeof openSessions> =>
      openSessions({ journals: openJournalDirectory(directory), clock: fakeClock() });
    {
      await using store = open();
      await store.open("webhook:b", WEBHOOK);
    }
    const [file = ""] = readdirSync(directory).filter((name) => name.endsWith(".journal"));
    const first = readFileSync(join(directory, file));
    writeFileSync(join(directory, file), when === "before its first line" ? "" : first.subarray(0, first.length / 2));
    {
      await using store = open();
      expect(await store.list()).toEqual([]);
      const [found, session, again] = await Promise.all([
        store.find("webhook:b"), // as a platform's message that comes again
        store.open("webhook:b", WEBHOOK),
        store.open("webhook:b", WEBHOOK),
      ]);
      expect(found === undefined || found === session).toBe(true);
      expect(again).toBe(session);
      await session.commit(RECEIVED);
      expect((await store.find("webhook:b"))?.state).toMatchObject({ key: "webhook:b", seq: 2 });
    }
    await using store = open();
    expect(await store.list()).toMatchObject([{ key: "webhook:b" }]);
    expect((await store.list())[0]?.settled).toBeUndefined();
    expect((await store.find("webhook:b"))?.state.pending).toHaveLength(1);
  },
);

test("R418 a conversation that got messages without its first line gets it with the next one", async () => {
  const journals = memoryJournals();
  const clock = fakeClock();
  {
    await using store = openSessions({ journals, clock });
    const session = await store.open("webhook:b", WEBHOOK);
    await session.commit(RECEIVED);
    const [id] = await journals.list();
    if (id === undefined) throw new Error("it is not there");
    const commits: Commit[] = [];
    for await (const commit of journals.read(id)) commits.push(commit);
    await journals.remove(id, () => Promise.resolve(undefined));
    const rest = commits.slice(1).map((commit) => ({ ...commit, seq: 1 as Seq }));
    await journals.create(id, "webhook:b", rest, () => {
      throw new Error("it keeps nothing beside them");
    });
  }
  await using store = openSessions({ journals, clock });
  const session = await store.open("webhook:b", WEBHOOK);
  expect(session.state).toMatchObject({ key: "webhook:b", pending: [{}] });
  expect(await store.list()).toMatchObject([{ key: "webhook:b" }]);
});

test("R418 the list of the next process has the titles that this one had", async () => {
  const directory = mkdtempSync(join(tmpdir(), "margay-sessions-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const titles = async (): Promise<readonly string[]> => {
    await using store = openSessions({ journals: openJournalDirectory(directory), clock: fakeClock() });
    return (await store.list()).map(({ title }) => title);
  };
  {
    await using store = openSessions({ journals: openJournalDirectory(directory), clock: fakeClock() });
    await store.list(); // from here on it is kept up
    const session = await store.open("webhook:b", WEBHOOK);
    await session.commit(RECEIVED);
    await session.commit({
      ...RECEIVED,
      key: "k-2",
      message: { ...RECEIVED.message, id: "m-2", parts: [{ type: "text", text: "and more" }] },
    });
  }
  expect(await titles()).toEqual(["hello"]);
  rmSync(join(directory, "summaries.cache"));
  expect(await titles()).toEqual(["hello"]);
});
