import { expect, onTestFinished, test } from "vitest";

import { createSessionManager, openSessions } from "../../src/index.ts";
import { openJournalDirectory } from "../../src/internal.ts";
import type { SessionManager } from "../../src/index.ts";
import { callsTool, fakeClock, says } from "../../src/testing.ts";
import { startAgent, tool } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";

const KEY = "telegram:42";

async function manager(directory?: string): Promise<SessionManager & { readonly directory: string }> {
  let home = directory;
  if (home === undefined) {
    const folder = await temporaryFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    home = folder.at("sessions");
  }
  const sessions = openSessions({ journals: openJournalDirectory(home), clock: fakeClock(), cached: 2 });
  onTestFinished(() => sessions[Symbol.asyncDispose]());
  return { ...createSessionManager({ sessions }), directory: home };
}

test("R169 a session that nobody has written to is there with its key, no messages and pointer 0", async () => {
  const { getOrCreate } = await manager();
  expect(await getOrCreate(KEY)).toMatchObject({
    key: KEY,
    messages: [],
    createdAt: "2026-03-01T12:00:00.000Z",
    updatedAt: "2026-03-01T12:00:00.000Z",
    lastConsolidated: 0,
  });
});

test("R169 R176 after a conversation its rows are folded from the journal; invalidated or opened anew they are equal", async (t) => {
  const { agent, model, clock, home } = await startAgent(t, { tools: [tool("note", "read", () => "noted")] });
  model.replies(callsTool("note"), says("one"), says("two"));
  await agent.send(KEY, "first").finished;
  await clock.advance(60_000);
  await agent.send(KEY, "second").finished;
  await agent.idle();

  const sessions = await manager(`${home}/sessions`);
  const session = await sessions.getOrCreate(KEY);
  expect(session.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "first"],
    ["assistant", null],
    ["tool", "noted"],
    ["assistant", "one"],
    ["user", "second"],
    ["assistant", "two"],
  ]);
  expect([session.createdAt, session.updatedAt]).toEqual(["2026-03-01T12:00:00.000Z", "2026-03-01T12:01:00.000Z"]);
  expect(session.getHistory(3).map(({ content }) => content)).toEqual(["second", "two"]);

  const plain = (of: typeof session): unknown => JSON.parse(JSON.stringify(of));
  sessions.invalidate(KEY);
  expect(plain(await sessions.getOrCreate(KEY))).toEqual(plain(session));
  expect(plain(await (await manager(`${home}/sessions`)).getOrCreate(KEY))).toEqual(plain(session));
});

test("R176 save resolves when what was recorded is on disk", async () => {
  await using folder = await temporaryFolder();
  const journals = openJournalDirectory(folder.at("sessions"));
  const durable: number[] = [];
  const synced = Promise.withResolvers<void>();
  await using sessions = openSessions({
    clock: fakeClock(),
    journals: {
      ...journals,
      open: async (id) => {
        const journal = await journals.open(id);
        return {
          ...journal,
          // A disk that takes its time from the second line on.
          append: async (expected, commits, about, written) => {
            const appended = await journal.append(expected, commits, about, written);
            if (expected > 0) await synced.promise;
            durable.push(...commits.map(({ seq }) => seq));
            return appended;
          },
        };
      },
    },
  });
  const { getOrCreate, save } = createSessionManager({ sessions });
  const { key } = await getOrCreate(KEY);
  const session = await sessions.find(KEY);
  await session?.record({ type: "notice.added", notice: { role: "notice", at: 1, kind: "runtime", text: "hi" } });
  const saved = save({ key }).then(() => [...durable]);
  expect(durable).toEqual([1]);
  synced.resolve();
  expect(await saved).toEqual([1, 2]);
});

test("R176 a session in use keeps its identity when it is invalidated or pushed out of the cache", async () => {
  await using folder = await temporaryFolder();
  await using sessions = openSessions({
    journals: openJournalDirectory(folder.at("sessions")),
    clock: fakeClock(),
    cached: 2,
  });
  const chat = { channel: "telegram", chat: "42" };
  const held = await sessions.open(KEY, chat);
  sessions.invalidate(KEY);
  expect(await sessions.open(KEY, chat)).toBe(held);
  for (const n of [1, 2, 3, 4]) await sessions.open(`telegram:${n}`, chat);
  expect(await sessions.find(KEY)).toBe(held);
  const notice = { type: "notice.added", notice: { role: "notice", at: 1, kind: "runtime", text: "hi" } } as const;
  await held.commit(notice);
  expect((await sessions.find(KEY))?.state.messages).toHaveLength(1);
});
