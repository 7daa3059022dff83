// Journals of every release, and of one that does not exist yet.
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/loop/settings.ts";
import type { SessionId } from "../../src/contract/base.ts";
import type { Commit, JournalRecord } from "../../src/contract/record.ts";
import { explain, stepText } from "../../src/explain.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { JOURNAL_VERSION, RELEASE } from "../../src/journal/upgrade.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/journals");
/** With `explained.json`: one journal of an agent in a test. */
const releases = ["0.1.0-version-1"];
const CHAT = { channel: "test", chat: "1" };

/** The journals of a release as a state directory of their own, with the settings of the machine that wrote them. */
async function placed(
  release: string,
): Promise<{ readonly folder: Folder; readonly id: SessionId; readonly path: string }> {
  const folder = await temporaryFolder();
  await mkdir(folder.at("sessions"));
  const [name = ""] = (await readdir(join(FIXTURES, release))).filter((each) => each.endsWith(".journal"));
  const path = folder.at(`sessions/${name}`);
  await copyFile(join(FIXTURES, release, name), path);
  return { folder, path, id: name.replace(".journal", "") as SessionId }; // a name that the store gave
}

async function append(path: string, ...records: readonly object[]): Promise<void> {
  const text = await readFile(path, "utf8");
  const body = JSON.stringify({ seq: text.split("\n").length, at: 1, records }).slice(1);
  const crc = crc32(body).toString(16).padStart(8, "0");
  await writeFile(path, `${text}{"crc":"${crc}",${body}\n`);
}

const storeIn = (folder: Folder) =>
  openSessions({ journals: openJournalDirectory(folder.at("sessions")), clock: fakeClock() });

describe.each(releases)("a journal of %s", (release) => {
  test("R428 SS14 opens, and explains to the same steps as then", async () => {
    const { folder, id } = await placed(release);
    await using _folder = folder;
    const steps: object[] = [];
    const commits = openJournalDirectory(folder.at("sessions")).read(id);
    for await (const { commit, wanted, outcome, verdict, promptHashOk } of explain(commits, DEFAULT_SETTINGS))
      steps.push({
        seq: commit.seq,
        wanted: stepText(wanted, DEFAULT_SETTINGS),
        outcome,
        verdict,
        ...(promptHashOk !== undefined && { promptHashOk }),
      });
    expect(steps).toEqual(JSON.parse(await readFile(join(FIXTURES, release, "explained.json"), "utf8")));
    await using store = storeIn(folder);
    const session = await store.find("test:1");
    expect(session?.state).toMatchObject({ seq: steps.length, undelivered: [{ reply: "lost-1" }] });
    expect(session?.state.outbox).toMatchObject([{ reply: "waits-1", attempt: 1 }]);
  });

  test("R428 is raised by the first record of this version and not by reading it; what was there is kept beside it", async () => {
    const { folder, path, id } = await placed(release);
    await using _folder = folder;
    const before = await readFile(path);
    const session = await (async () => {
      const store = storeIn(folder);
      await store.list();
      const found = await store.find("test:1");
      for await (const _commit of found?.history() ?? []);
      expect(await readFile(path)).toEqual(before);
      await found?.commit({ type: "messages.withdrawn", ids: [], by: { id: "ann", kind: "person" } });
      await found?.commit({ type: "messages.withdrawn", ids: [], by: { id: "ann", kind: "person" } });
      await store[Symbol.asyncDispose]();
      return found;
    })();
    const commits: Commit[] = [];
    for await (const commit of openJournalDirectory(folder.at("sessions")).read(id)) commits.push(commit);
    expect(commits.at(-2)?.records[0]).toEqual({ type: "journal.raised", version: JOURNAL_VERSION, by: RELEASE });
    expect(commits.at(-1)?.records).toHaveLength(1);
    const kept = (await readdir(folder.at("sessions"))).filter((name) => name.startsWith(`${id}.version-`));
    expect(kept).toHaveLength(1);
    expect(await readFile(folder.at(`sessions/${kept[0]}`))).toEqual(before);
    await using again = storeIn(folder);
    expect((await again.find("test:1"))?.state).toEqual(session?.state);
    expect(await again.list()).toMatchObject([{ key: "test:1" }]);
    await again.remove("test:1"); // the copy goes with it
    expect((await readdir(folder.at("sessions"))).filter((name) => name.startsWith(id))).toEqual([]);
  });
});

test("R428 what version 1 said of deliveries is read as this version says it", async () => {
  const { folder, id } = await placed("0.1.0-version-1");
  await using _folder = folder;
  const records: JournalRecord[] = [];
  for await (const commit of openJournalDirectory(folder.at("sessions")).read(id)) records.push(...commit.records);
  const delivered = records.filter(({ type }) => type === "reply.delivered");
  expect(delivered.slice(0, 2)).toEqual([
    { type: "reply.delivered", reply: "turn-semm64w19dtb6r8n:reply", ids: ["platform-3"] },
    { type: "reply.delivered", reply: "command-wtk3wvqkjy4kkbc8", ids: ["platform-9"] },
  ]);
  expect(delivered.filter((record) => "platformId" in record)).toEqual([]);
  const failed = records.filter((record) => record.type === "reply.failed");
  expect(failed.map(({ reply, kind, sent }) => [reply, kind, sent])).toEqual([
    ["turn-q85937b4051wgna8:reply", "again", "maybe"],
    ["lost-1", "refused", "maybe"],
    ["waits-1", "again", "maybe"],
  ]);
});

test("R428 a new journal says which version and which margay began it; so does a fork", async () => {
  await using folder = await temporaryFolder();
  await using store = storeIn(folder);
  await store.open("test:1", CHAT);
  const fork = await store.fork("test:1", "test:2");
  for await (const { records } of fork.history())
    expect(records).toMatchObject([{ type: "session.opened", version: JOURNAL_VERSION, by: RELEASE }]);
});

describe("a journal from the future", () => {
  test.each([
    [
      "a newer version",
      [{ type: "journal.raised", version: JOURNAL_VERSION + 1, by: "7.8.9" }],
      /margay 7\.8\.9 or newer/,
    ],
    [
      "a record that is not known",
      [{ type: "journal.raised", version: JOURNAL_VERSION, by: "7.8.9" }, { type: "dream.dreamt" }],
      /dream\.dreamt.*margay 7\.8\.9 or newer/,
    ],
    ["a record named like a property of objects", [{ type: "toString" }], /toString.*a newer margay/],
  ])(
    "R428 %s is journal.version for whoever lists, reads and opens it, and nothing is changed",
    async (_what, records, says) => {
      const { folder, path, id } = await placed(releases[0] ?? "");
      await using _folder = folder;
      await append(path, ...records);
      const before = await readFile(path);
      await using store = storeIn(folder);
      expect(await store.list()).toMatchObject([
        { fault: { code: "journal.version", message: expect.stringMatching(says) } },
      ]);
      const wrong = { code: "journal.version", message: expect.stringMatching(says) };
      await expect(store.find("test:1")).rejects.toMatchObject(wrong);
      await expect(store.open("test:1", CHAT)).rejects.toMatchObject(wrong);
      const read = readAll(openJournalDirectory(folder.at("sessions")).read(id));
      await expect(read).rejects.toMatchObject(wrong);
      expect(await readFile(path)).toEqual(before);
    },
  );
});

test("R428 the version that journals are told is that of the packages", async () => {
  for (const name of ["core", "app"]) {
    const text = await readFile(join(import.meta.dirname, "../../..", name, "package.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ version: RELEASE });
  }
});

async function readAll(commits: AsyncIterable<Commit>): Promise<void> {
  for await (const _commit of commits);
}
