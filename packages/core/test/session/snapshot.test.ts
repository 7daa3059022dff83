// What is kept beside a journal is a cache: with it and without it a session is the same, and whatever is wrong with it costs a reading.
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openAudit } from "../../src/audit/audit.ts";
import type { Seq, SessionId, TurnId } from "../../src/contract/base.ts";
import type { Commit, JournalRecord } from "../../src/contract/record.ts";
import type { CommitObserver } from "../../src/contract/services.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { createFactFold } from "../../src/facts/turn-facts.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { emptyState, fold } from "../../src/session/reduce.ts";
import { openSessions } from "../../src/session/sessions.ts";
import type { SnapshotLimits } from "../../src/session/snapshots.ts";
import { fakeClock } from "../../src/testing.ts";
import { turn } from "../../src/testing/session-scenes.ts";
import { createTranscriptFold } from "../../src/transcript/fold.ts";
import { renderTranscripts } from "../../src/transcript/format.ts";
import { transcriptObserver } from "../../src/transcript/observer.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";
import { recordHistory } from "../support/random-records.ts";

const KEY = "cli:direct";
const CHAT = { channel: "cli", chat: "direct" } as const;
const CUT = { toolResultChars: 500 };
/** After each commit at which the session rests. */
const OFTEN: SnapshotLimits = { leastBytes: 1, share: 0 };
const NEVER: SnapshotLimits = { leastBytes: Infinity, share: 0 };

/** Sees what a process reads of a journal when it opens it. */
function reader(): { readonly observer: CommitObserver; readonly read: number[] } {
  const read: number[] = [];
  return {
    read,
    observer: {
      observe: (_state, { seq }, replayed) => void (replayed && read.push(seq)),
      flush: () => Promise.resolve(),
      continues: { name: "reader", keep: () => undefined, resume: () => true },
    },
  };
}

/** A process on the state directory of the folder. */
function begin(folder: Folder, snapshots: SnapshotLimits, more: readonly CommitObserver[] = [], options = CUT) {
  const directory = folder.at("sessions");
  const journals = openJournalDirectory(directory);
  const clock = fakeClock();
  const audit = openAudit({ directory: folder.at("audit"), clock, redact: (text) => text });
  const transcripts = transcriptObserver({ directory, readCommits: journals.read, ...options });
  const seen = reader();
  const observers = [audit, transcripts, seen.observer, ...more];
  return { journals, audit, read: seen.read, sessions: openSessions({ journals, clock, observers, snapshots }) };
}

/** One process from its beginning to its end. */
async function live<Value>(
  folder: Folder,
  snapshots: SnapshotLimits,
  work: (process: ReturnType<typeof begin>) => Promise<Value>,
  ...rest: [more?: readonly CommitObserver[], options?: typeof CUT]
): Promise<Value> {
  const process = begin(folder, snapshots, ...rest);
  const value = await work(process);
  await process.sessions[Symbol.asyncDispose]();
  await process.audit[Symbol.asyncDispose]();
  return value;
}

const commitAll = (folder: Folder, snapshots: SnapshotLimits, history: readonly (readonly JournalRecord[])[]) =>
  live(folder, snapshots, async ({ sessions }) => {
    const session = await sessions.open(KEY, CHAT);
    for (const records of history) await session.commit(...records);
    return session.state;
  });
/** What the next process finds, and which commits it had to read for it. */
const reopen = (folder: Folder, ...rest: [more?: readonly CommitObserver[], options?: typeof CUT]) =>
  live(
    folder,
    NEVER,
    async ({ sessions, read }) => ({ state: (await sessions.find(KEY))?.state, read: [...read] }),
    ...rest,
  );

const names = (folder: Folder): readonly string[] => readdirSync(folder.at("sessions"));
const pathOf = (folder: Folder, end: string): string =>
  folder.at("sessions", names(folder).find((name) => name.endsWith(end)) ?? `none${end}`);
const snapshotOf = (folder: Folder): string => pathOf(folder, ".snapshot.cache");
const journalOf = (folder: Folder): string => pathOf(folder, ".journal");
const all = (state: SessionState): readonly number[] => Array.from({ length: state.seq }, (_, at) => at + 1);

const notice = (text: string): JournalRecord => ({
  type: "notice.added",
  notice: { role: "notice", at: 1, kind: "runtime", text },
});
const received = (id: string): JournalRecord => ({
  type: "message.received",
  key: id,
  origin: CHAT,
  attended: true,
  message: {
    role: "user",
    id,
    at: 1,
    from: { id: "anna", kind: "person" },
    parts: [{ type: "text", text: `said ${id}` }],
  },
});
const END: JournalRecord = {
  type: "turn.ended",
  turn: "t-1" as TurnId,
  reason: "done",
  text: "",
  durationMs: 1,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
const SMALL = [[received("m-1")], [notice("grüße 你好")], [notice("three")], [notice("four")]];

test("SO2 the state by snapshot, by replay and as it was live are one, and so is what goes on from there, over 40 histories", async () => {
  await using folder = await temporaryFolder();
  let number = 0;
  let used = 0;
  await fc.assert(
    fc.asyncProperty(recordHistory, fc.nat(20), async (history, cut) => {
      await using home = within(folder, `home-${(number += 1)}`);
      const [before, after] = [history.slice(0, cut), history.slice(cut)];
      await commitAll(home, OFTEN, before);
      const state = await commitAll(home, NEVER, after);
      const files = readable(home);
      const found = await reopen(home);
      expect(found.state).toStrictEqual(state);
      expect(found.read).toEqual(all(state).slice(before.length + 1));
      used += found.read.length < state.seq ? 1 : 0;
      const rest = await live(home, NEVER, everythingOf);
      rmSync(snapshotOf(home));
      expect(await reopen(home)).toStrictEqual({ state, read: all(state) });
      expect(await live(home, NEVER, everythingOf)).toEqual(rest);
      // The views that were written on from a snapshot are those that are made of the whole journal.
      const transcripts = await renderTranscripts(openJournalDirectory(home.at("sessions")).read(state.id), CUT);
      expect(files.map(([, text]) => text).toSorted()).toEqual(transcripts.map(({ text }) => text).toSorted());
    }),
    { numRuns: 40, seed: 42 },
  );
  expect(used).toBe(40);
});

/** What others than the session make of it. */
async function everythingOf({ sessions, audit }: ReturnType<typeof begin>): Promise<object> {
  const session = await sessions.find(KEY);
  const [summary] = await sessions.list();
  await audit.flush();
  expect((await audit.verify()).ok).toBe(true);
  const lines = (await audit.list({ limit: 1000 })).map(({ n: _n, hash: _hash, ...line }) => line);
  const keys = Array.from({ length: 6 }, (_, at) => session?.received("cli", `m-${at}`));
  return { summary, lines, keys };
}

function readable(folder: Folder): readonly (readonly [string, string])[] {
  return names(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => [name, readFileSync(folder.at("sessions", name), "utf8")]);
}

function within(folder: Folder, name: string): Folder {
  const path = folder.at(name);
  mkdirSync(path);
  return {
    path,
    at: (...more) => join(path, ...more),
    [Symbol.asyncDispose]: () => Promise.resolve(rmSync(path, { recursive: true, force: true })),
  };
}

/** A line of it with its checksum made anew. */
function rewritten(line: string, change: (value: object) => object): string {
  const { crc: _crc, ...value } = JSON.parse(line) as { readonly crc: string };
  const body = JSON.stringify(change(value)).slice(1);
  return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}`;
}
const inLines = (change: (lines: string[]) => readonly string[]) => (path: string) =>
  writeFileSync(path, change(readFileSync(path, "utf8").split("\n")).join("\n"));

test.for<readonly [string, (path: string) => void]>([
  ["is missing", (path) => rmSync(path)],
  ["is empty", (path) => writeFileSync(path, "")],
  ["is no file", (path) => (rmSync(path), mkdirSync(path))],
  ["is something else", (path) => writeFileSync(path, "hello\n")],
  ["lacks its last line", inLines((lines) => [...lines.slice(0, -2), ""])],
  ["lacks a line in its middle", inLines((lines) => lines.toSpliced(2, 1))],
  ["has a line twice", inLines((lines) => lines.toSpliced(2, 0, lines[2]!))],
  ["goes on behind its end", inLines((lines) => [...lines.slice(0, -1), lines[0]!, ""])],
  ["has lines in another order", inLines(([first = "", second = "", ...lines]) => [second, first, ...lines])],
  [
    "is of another format",
    inLines(([first = "", ...lines]) => [rewritten(first, (head) => ({ ...head, format: "0.1.0/0" })), ...lines]),
  ],
  [
    "is of a newer journal",
    inLines(([first = "", ...lines]) => [rewritten(first, (head) => ({ ...head, version: 99 })), ...lines]),
  ],
  [
    "is of another conversation",
    inLines(([first = "", ...lines]) => [
      rewritten(first, (line) => ({ ...line, state: { ...(line as { state: object }).state, id: "other" } })),
      ...lines,
    ]),
  ],
])("SO2 a snapshot that %s costs a full read, and nothing else", async ([, spoil]) => {
  await using folder = await temporaryFolder();
  const state = await commitAll(folder, OFTEN, SMALL);
  expect((await reopen(folder)).read).toEqual([]);
  spoil(snapshotOf(folder));
  expect(await reopen(folder)).toStrictEqual({ state, read: all(state) });
  if (existsSync(snapshotOf(folder)) && statSync(snapshotOf(folder)).isDirectory()) return; // nothing gets its place
  await commitAll(folder, OFTEN, []);
  expect(await reopen(folder)).toStrictEqual({ state, read: [] });
});

test("SO2 whichever byte of a snapshot is another, it costs a full read", async () => {
  await using folder = await temporaryFolder();
  const state = await commitAll(folder, OFTEN, SMALL);
  const path = snapshotOf(folder);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += 7) {
    const damaged = Buffer.from(whole);
    damaged[at] = whole[at]! ^ 1;
    writeFileSync(path, damaged);
    expect(await openJournalDirectory(folder.at("sessions")).snapshot(state.id), `byte ${at}`).toBeUndefined();
    writeFileSync(path, whole.subarray(0, at));
    expect(await openJournalDirectory(folder.at("sessions")).snapshot(state.id), `${at} bytes`).toBeUndefined();
  }
  writeFileSync(path, whole);
  expect(await reopen(folder)).toStrictEqual({ state, read: [] });
});

test.for<readonly [string, (path: string, home: Folder) => Promise<void> | void]>([
  ["was cut", (path) => truncateSync(path, readFileSync(path).subarray(0, -1).lastIndexOf(10) + 1)],
  [
    "is another of the same length",
    (path) =>
      inLines((lines) => lines.map((line) => (line.includes("three") ? rewritten(line, threeAsFive) : line)))(path),
  ],
  [
    "is another that is longer",
    async (path, home) => {
      rmSync(path);
      const kept = `${snapshotOf(home)}.kept`;
      renameSync(snapshotOf(home), kept);
      await commitAll(home, NEVER, [...SMALL, ...SMALL].toReversed());
      renameSync(kept, kept.replace(".kept", ""));
    },
  ],
])("SO2 a journal that %s is read whole, whatever the snapshot says", async ([, change]) => {
  await using folder = await temporaryFolder();
  await commitAll(folder, OFTEN, SMALL);
  await change(journalOf(folder), folder);
  const found = await reopen(folder);
  expect(found.read).toEqual(all(found.state!));
  rmSync(snapshotOf(folder));
  expect(await reopen(folder)).toStrictEqual(found);
});

function threeAsFive(line: object): object {
  return JSON.parse(JSON.stringify(line).replace("three", "fives")) as object;
}

test("SO2 a journal that was removed begins anew, beside what was kept of it", async () => {
  await using folder = await temporaryFolder();
  await commitAll(folder, OFTEN, SMALL);
  rmSync(journalOf(folder));
  const state = await commitAll(folder, NEVER, []);
  expect(state).toMatchObject({ seq: 1, messages: [], pending: [] });
});

test("SO2 a process that is killed behind a snapshot loses nothing: what was written since is read, and a torn line is cut", async () => {
  await using folder = await temporaryFolder();
  await commitAll(folder, OFTEN, SMALL);
  const snapshot = readFileSync(snapshotOf(folder));
  const state = await commitAll(folder, NEVER, [[notice("five")], [notice("six")]]);
  expect(readFileSync(snapshotOf(folder))).toEqual(snapshot);
  expect(await reopen(folder)).toStrictEqual({ state, read: [6, 7] });
  const whole = readFileSync(journalOf(folder));
  const last = whole.subarray(0, -1).lastIndexOf(10) + 1;
  truncateSync(journalOf(folder), whole.length - 5);
  expect(await reopen(folder)).toMatchObject({ state: { seq: 6 }, read: [6] });
  expect(readFileSync(journalOf(folder))).toEqual(whole.subarray(0, last));
  expect(readFileSync(`${journalOf(folder)}.torn-${last}`)).toEqual(whole.subarray(last, -5));
  // As does what is damaged behind it.
  writeFileSync(journalOf(folder), Buffer.concat([whole.subarray(0, last), Buffer.from('{"crc":"00000000"}\n')]));
  await expect(reopen(folder)).rejects.toMatchObject({ code: "journal.damaged", details: { line: 7 } });
});

test("SO2 a process that is killed while it writes a snapshot has the one before", async () => {
  await using folder = await temporaryFolder();
  const state = await commitAll(folder, OFTEN, SMALL);
  const path = snapshotOf(folder);
  writeFileSync(`${path}.tmp`, readFileSync(path).subarray(0, 99));
  expect(await reopen(folder)).toStrictEqual({ state, read: [] });
  await commitAll(folder, OFTEN, [[notice("five")]]);
  expect((await reopen(folder)).read).toEqual([]);
  expect(names(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("SO2 an observer that cannot go on from it sees every commit, and no snapshot is kept", async () => {
  await using folder = await temporaryFolder();
  const state = await commitAll(folder, OFTEN, SMALL);
  const plain = reader();
  const { continues: _continues, ...observer } = plain.observer;
  expect((await reopen(folder, [observer])).read).toEqual(all(state));
  expect(plain.read).toEqual(all(state));
  rmSync(snapshotOf(folder));
  await live(folder, OFTEN, ({ sessions }) => sessions.find(KEY), [observer]);
  expect(names(folder).filter((name) => name.endsWith(".cache"))).toEqual([]);
  // Nor does one that the program had not when it was kept.
  await commitAll(folder, OFTEN, []);
  const late = { ...reader().observer, continues: { name: "late", keep: () => undefined, resume: () => true } };
  expect((await reopen(folder, [late])).read).toEqual(all(state));
});

test("SO2 where a view or the audit log is another, all of the journal is read again", async () => {
  await using folder = await temporaryFolder();
  const state = await commitAll(folder, OFTEN, [...SMALL, [END]]);
  expect((await reopen(folder, [], { toolResultChars: 7 })).read).toEqual(all(state));
  const before = readdirSync(folder.at("audit")).map((name) => [name, readFileSync(folder.at("audit", name))] as const);
  const more = await commitAll(folder, OFTEN, [[END]]);
  expect((await reopen(folder)).read).toEqual([]);
  rmSync(folder.at("audit"), { recursive: true });
  mkdirSync(folder.at("audit"));
  for (const [name, bytes] of before) writeFileSync(folder.at("audit", name), bytes);
  const lines = await live(folder, NEVER, async ({ sessions, audit, read }) => {
    await sessions.find(KEY);
    expect(read).toEqual(all(more));
    await audit.flush();
    return audit.list();
  });
  expect(lines.map(({ kind, n }) => [kind, n])).toEqual([
    ["turn", 2],
    ["turn", 1],
  ]);
  rmSync(folder.at("audit"), { recursive: true });
  expect((await reopen(folder)).read).toEqual(all(more));
});

test("SO2 each process behind a snapshot goes on with the view of the one before: it is not made again, and lacks nothing", async () => {
  await using folder = await temporaryFolder();
  const answer = (limits: SnapshotLimits, number: number): Promise<SessionId> =>
    live(folder, limits, async ({ sessions }) => {
      const session = await sessions.open(KEY, CHAT);
      await turn(session, number);
      return session.state.id;
    });
  const id = await answer(OFTEN, 1);
  const view = pathOf(folder, ".jsonl");
  const { ino } = statSync(view);
  linkSync(view, folder.at("first")); // its number is given to no other file
  for (const number of [2, 3, 4]) {
    await answer(NEVER, number);
    const [made] = await renderTranscripts(openJournalDirectory(folder.at("sessions")).read(id), CUT);
    expect([readFileSync(view, "utf8"), statSync(view).ino]).toEqual([made?.text, ino]);
  }
});

test("SO2 a session that is removed while its snapshot is written leaves nothing, and the next under its name is another", async () => {
  await using folder = await temporaryFolder();
  await using sessions = begin(folder, OFTEN).sessions;
  for (let round = 0; round < 20; round++) {
    const session = await sessions.open(KEY, CHAT);
    for (let at = 0; at < round; at++) await session.commit(notice("words"));
    await session.commit(END);
    for (let turns = 0; turns < round; turns++) await new Promise(setImmediate);
    await sessions.remove(KEY);
    const next = await sessions.open(KEY, CHAT);
    expect(next.state.messages).toEqual([]);
    await sessions.remove(KEY);
  }
  await sessions[Symbol.asyncDispose]();
  expect(names(folder).filter((name) => name.startsWith("cli-direct") && !name.endsWith(".jsonl"))).toEqual([]);
});

test("SO2 of a temporary conversation none is kept", async () => {
  await using folder = await temporaryFolder();
  await live(folder, OFTEN, async ({ sessions }) => {
    const session = await sessions.open("temporary:one", CHAT);
    await session.commit(notice("secret"));
  });
  expect(names(folder).filter((name) => name.endsWith(".cache"))).toEqual([]);
});

test("SO2 snapshots are written behind a turn, when a mebibyte was written, and half of what one takes", async () => {
  await using folder = await temporaryFolder();
  const journals = openJournalDirectory(folder.at("sessions"));
  const kept: number[] = [];
  let next = Promise.withResolvers<void>();
  await using sessions = openSessions({
    journals: {
      ...journals,
      keep: async (id, snapshot) => {
        const size = await journals.keep(id, snapshot);
        kept.push(snapshot.state.seq);
        next.resolve();
        next = Promise.withResolvers();
        return size;
      },
    },
    clock: fakeClock(),
  });
  const session = await sessions.open(KEY, CHAT);
  await session.commit(notice("x".repeat(500_000)), END);
  await session.commit(notice("x".repeat(3_500_000))); // in the midst of a turn
  const first = next.promise;
  await session.commit(END);
  await first;
  await session.commit(notice("x".repeat(1_500_000)), END); // what stands in the first takes four
  const second = next.promise;
  await session.commit(notice("x".repeat(1_000_000)), END);
  await second;
  expect(kept).toEqual([4, 6]);
});

test("SO2 R428 a journal of an older release is raised once, by its first record and not by its snapshot", async () => {
  await using folder = await temporaryFolder();
  const fixtures = join(import.meta.dirname, "../fixtures/journals/0.1.0-version-1");
  await mkdir(folder.at("sessions"));
  const [name = ""] = (await readdir(fixtures)).filter((each) => each.endsWith(".journal"));
  await copyFile(join(fixtures, name), folder.at("sessions", name));
  const find = (work: (session: { commit: (record: JournalRecord) => Promise<unknown> }) => Promise<unknown>) =>
    live(folder, OFTEN, async ({ sessions, read }) => {
      const session = await sessions.find("test:1");
      if (session === undefined) throw new Error("it is not there");
      await work(session);
      return { state: session.state, read: [...read] };
    });
  const first = await find(() => Promise.resolve());
  const second = await find((session) => session.commit(notice("new")));
  expect(second.read).toEqual([]);
  expect(second.state.seq).toBe(first.state.seq + 1);
  const third = await find((session) => session.commit(notice("newer")));
  expect(third.read).toEqual([]);
  const commits: Commit[] = [];
  for await (const commit of openJournalDirectory(folder.at("sessions")).read(first.state.id)) commits.push(commit);
  const raised = commits.flatMap(({ records }) => records.filter(({ type }) => type === "journal.raised"));
  expect(raised).toHaveLength(1);
  rmSync(snapshotOf(folder));
  expect((await find(() => Promise.resolve())).state).toStrictEqual(third.state);
});

test("SO2 what a commit means is what it meant when the format of snapshots was noted", () => {
  const hash = createHash("sha256");
  for (const history of fc.sample(recordHistory, { numRuns: 300, seed: 20_261_130 })) {
    let state = emptyState("hashed" as SessionId);
    const transcript = createTranscriptFold(CUT);
    const facts = createFactFold();
    history.forEach((records, at) => {
      const commit: Commit = { seq: (at + 1) as Seq, at: 1_760_000_000_000 + at, records }; // consecutive from 1
      state = fold(state, commit);
      transcript.apply(commit);
      facts.apply(commit);
    });
    hash.update(JSON.stringify([state, transcript.known(), facts.known()]));
  }
  // Another one: raise SNAPSHOT_FORMAT in journal/snapshot.ts, then note it here. Snapshots of before hold what was meant then.
  expect(hash.digest("hex")).toBe("bca2875aa7d2faba6a62ce945002be664fd8e43b877d8e4bcbf7c9d8bdd5cd4e");
});
