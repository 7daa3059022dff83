// Journals of every release, made by it with real use: each opens, by replay and by what was kept beside it, to the same conversation.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../src/contract/base.ts";
import type { Commit } from "../../src/contract/record.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { explain } from "../../src/explain.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { JOURNAL_VERSION, RELEASE, versionOf } from "../../src/journal/upgrade.ts";
import { DEFAULT_SETTINGS } from "../../src/loop/settings.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/journals");
const releases = readdirSync(FIXTURES).filter((name) => readdirSync(join(FIXTURES, name)).includes("meaning.json"));

interface Meaning {
  readonly key: string;
  readonly explained: readonly string[];
}

/** What that release said of each of its journals. */
function meaningOf(release: string): Readonly<Record<string, Meaning>> {
  return JSON.parse(readFileSync(join(FIXTURES, release, "meaning.json"), "utf8")) as Record<string, Meaning>; // written by release-fixture
}

async function homeOf(release: string): Promise<Folder> {
  const folder = await temporaryFolder();
  mkdirSync(folder.at("sessions"));
  for (const id of Object.keys(meaningOf(release)))
    copyFileSync(join(FIXTURES, release, `${id}.journal`), folder.at(`sessions/${id}.journal`));
  return folder;
}

const storeIn = (folder: Folder) =>
  openSessions({
    journals: openJournalDirectory(folder.at("sessions")),
    clock: fakeClock(),
    snapshots: { leastBytes: 1, share: 0 },
  });

/** What one process finds under a key, and perhaps commits there. */
async function opened(folder: Folder, key: string, commits = false): Promise<SessionState | undefined> {
  await using store = storeIn(folder);
  const session = await store.find(key);
  if (commits) await session?.commit({ type: "messages.withdrawn", ids: [], by: { id: "ann", kind: "person" } });
  return session?.state;
}

const pathOf = (folder: Folder, id: string, end = "journal"): string => folder.at("sessions", `${id}.${end}`);

async function commitsOf(folder: Folder, id: string): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for await (const commit of openJournalDirectory(folder.at("sessions")).read(id as SessionId)) commits.push(commit); // a name that margay gave
  return commits;
}

test("R428 SO26 there are journals of every version before this one's", () => {
  const stamp = /"type":"(?:session\.opened|journal\.raised)","version":(\d+)/g;
  const versions = releases.flatMap((release) =>
    Object.keys(meaningOf(release)).flatMap((id) =>
      [...readFileSync(join(FIXTURES, release, `${id}.journal`), "utf8").matchAll(stamp)].map(([, each]) =>
        Number(each),
      ),
    ),
  );
  const before = Array.from({ length: JOURNAL_VERSION - 1 }, (_, index) => index + 1);
  expect([...new Set(versions)]).toEqual(expect.arrayContaining(before));
});

describe.each(releases)("journals of %s", (release) => {
  const meaning = meaningOf(release);

  test("R428 SO26 are explained as that release explained them, and every prompt is proved", async () => {
    await using folder = await homeOf(release);
    for (const [id, { explained }] of Object.entries(meaning)) {
      const now: string[] = [];
      const commits = openJournalDirectory(folder.at("sessions")).read(id as SessionId); // a name that margay gave
      for await (const { commit, wanted, verdict, promptHashOk } of explain(commits, DEFAULT_SETTINGS)) {
        const prompt = promptHashOk === undefined ? "" : `, its prompt ${promptHashOk ? "proved" : "not proved"}`;
        now.push(`${wanted.do} ${verdict}${prompt}: ${commit.records.map(({ type }) => type).join(" ")}`);
      }
      expect({ id, explained: now }).toEqual({ id, explained });
    }
  });

  test("R428 SO26 open to the same state by replay and by snapshot, raised once by what is written and with a copy beside", async () => {
    await using folder = await homeOf(release);
    for (const [id, { key }] of Object.entries(meaning)) {
      const before = readFileSync(pathOf(folder, id));
      const version = versionOf(await commitsOf(folder, id));
      expect((await opened(folder, key))?.id).toBe(id);
      expect(readFileSync(pathOf(folder, id))).toEqual(before);
      const written = await opened(folder, key, true);
      const bySnapshot = await opened(folder, key);
      rmSync(pathOf(folder, id, "snapshot.cache"));
      expect({ id, state: bySnapshot }).toEqual({ id, state: written });
      expect({ id, state: await opened(folder, key) }).toEqual({ id, state: written });
      const raised = (await commitsOf(folder, id)).at(-1)?.records.filter(({ type }) => type === "journal.raised");
      const isOlder = version < JOURNAL_VERSION;
      expect(raised).toEqual(isOlder ? [{ type: "journal.raised", version: JOURNAL_VERSION, by: RELEASE }] : []);
      expect(readdirSync(folder.at("sessions")).includes(`${id}.version-${version}`)).toBe(isOlder);
      expect(isOlder ? readFileSync(pathOf(folder, id, `version-${version}`)) : before).toEqual(before);
    }
  });

  test.each([
    ["a higher stamp", [{ type: "journal.raised", version: 1000, by: "7.8.9" }]],
    ["a record that is not known", [{ type: "journal.raised", version: 2, by: "7.8.9" }, { type: "dream.dreamt" }]],
  ])("R428 SO26 with %s are journal.version, each of them, and unchanged", async (_what, records) => {
    await using folder = await homeOf(release);
    for (const id of Object.keys(meaning)) {
      const text = readFileSync(pathOf(folder, id), "utf8");
      const body = JSON.stringify({ seq: text.split("\n").length, at: 1, records }).slice(1);
      writeFileSync(pathOf(folder, id), `${text}{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`);
    }
    const before = Object.keys(meaning).map((id) => readFileSync(pathOf(folder, id), "utf8"));
    await using store = storeIn(folder);
    const listed = await store.list();
    expect(listed.map(({ id }) => id as string).toSorted()).toEqual(Object.keys(meaning).toSorted());
    for (const { fault } of listed) expect(fault).toMatchObject({ code: "journal.version" });
    for (const { key } of Object.values(meaning))
      await expect(store.find(key)).rejects.toMatchObject({ code: "journal.version" });
    expect(Object.keys(meaning).map((id) => readFileSync(pathOf(folder, id), "utf8"))).toEqual(before);
  });
});

test("R428 who copied what was kept to go back, instead of renaming it, finds all that was said since when going back again", async () => {
  const [release = ""] = releases;
  await using folder = await homeOf(release);
  const [id = "", { key = "" } = {}] =
    Object.entries(meaningOf(release)).find(([name]) => name.startsWith("web-")) ?? [];
  const kept = pathOf(folder, id, `version-${versionOf(await commitsOf(folder, id))}`);
  await opened(folder, key, true);
  copyFileSync(kept, pathOf(folder, id));
  // The older margay goes on with it.
  const text = readFileSync(pathOf(folder, id), "utf8");
  const records = [{ type: "messages.withdrawn", ids: ["said since"], by: { id: "ann", kind: "person" } }];
  const body = JSON.stringify({ seq: text.split("\n").length, at: 1, records }).slice(1);
  writeFileSync(pathOf(folder, id), `${text}{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`);
  const between = readFileSync(pathOf(folder, id), "utf8");
  await opened(folder, key, true);
  expect(readFileSync(kept, "utf8")).toBe(between);
});
