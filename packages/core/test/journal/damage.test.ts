import { chmod, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";

import type { Seq, SessionId } from "../../src/contract/base.ts";
import type { Commit } from "../../src/contract/record.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { openFileJournal, readCommits } from "../../src/journal/journal.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";

const texts = ["hello", "grüße 你好", 'a "quoted" line\nand a second', "x".repeat(300)];
const commits = texts.map((text, index): Commit => ({
  seq: (index + 1) as Seq, // consecutive from 1
  at: 1000 + index,
  records: [{ type: "notice.added", notice: { role: "notice", at: 1, kind: "runtime", text } }],
}));

async function written(folder: Folder): Promise<string> {
  const path = folder.at("chat-1.journal");
  await using journal = openFileJournal(path);
  for (const commit of commits) await journal.append((commit.seq - 1) as Seq, commit); // consecutive from 1
  return path;
}

async function commitsOf(path: string): Promise<readonly Commit[]> {
  await using journal = openFileJournal(path);
  const read: Commit[] = [];
  for await (const commit of journal.read()) read.push(commit);
  return read;
}

function failure(path: string): unknown {
  try {
    openFileJournal(path);
    return "opened";
  } catch (error) {
    return error;
  }
}

test("R170 SS1 one line is one commit, readable as JSON", async () => {
  await using folder = await temporaryFolder();
  const lines = (await readFile(await written(folder), "utf8")).split("\n");
  expect(lines.pop()).toBe("");
  expect(lines.map((line) => JSON.parse(line) as Commit)).toMatchObject(commits);
});

test("R170 SS2 wherever the last line is torn, it is cut and kept beside, and the journal goes on", async () => {
  await using folder = await temporaryFolder();
  const path = await written(folder);
  const whole = await readFile(path);
  const start = whole.subarray(0, -1).lastIndexOf(10) + 1;
  for (const cut of [start + 1, start + 9, start + 100, whole.length - 2, whole.length - 1]) {
    await writeFile(path, whole);
    await truncate(path, cut);
    expect(await commitsOf(path)).toEqual(commits.slice(0, -1));
    expect(await readFile(path)).toEqual(whole.subarray(0, start));
    const [beside = ""] = (await readdir(folder.path)).filter((name) => name.startsWith("chat-1.journal."));
    expect(await readFile(folder.at(beside))).toEqual(whole.subarray(start, cut));
    {
      await using journal = openFileJournal(path);
      await journal.append(3 as Seq, commits[3]!); // the one that was torn
    }
    expect(await readFile(path)).toEqual(whole);
    await rm(folder.at(beside));
  }
});

test("R170 SS2 of 200 random bit flips each one is found and refused, naming file, line and remedy, and nothing is touched", async () => {
  await using folder = await temporaryFolder();
  const path = await written(folder);
  const whole = await readFile(path);
  const random = generator(20_261_121);
  // Every newline, and the rest anywhere.
  const newlines = [...whole.entries()].flatMap(([at, byte]) => (byte === 10 ? [at] : []));
  const places = [...newlines, ...Array.from({ length: 200 - newlines.length }, () => random(whole.length))];
  for (const at of places) {
    const bit = random(8);
    const damaged = Buffer.from(whole);
    damaged[at] = whole[at]! ^ (1 << bit);
    await writeFile(path, damaged);
    const line = whole.subarray(0, at).filter((byte) => byte === 10).length + 1;
    const flip = `bit ${bit} of byte ${at}`;
    expect(failure(path), flip).toMatchObject({ code: "journal.damaged", retryable: false, details: { line } });
    expect(failure(path), flip).toHaveProperty("message", expect.stringContaining(`${path}, line ${line} `));
    expect(failure(path), flip).toHaveProperty("message", expect.stringContaining("Restore the file from a backup"));
    expect(await readFile(path)).toEqual(damaged);
    expect(await readdir(folder.path)).toEqual(["chat-1.journal"]);
  }
});

test("R170 a missing line and a line twice are refused", async () => {
  await using folder = await temporaryFolder();
  const path = await written(folder);
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  await writeFile(path, `${[lines[0], lines[2], lines[3]].join("\n")}\n`);
  expect(failure(path)).toMatchObject({ code: "journal.damaged", details: { line: 2 } });
  await writeFile(path, `${[lines[0], lines[1], lines[1]].join("\n")}\n`);
  expect(failure(path)).toMatchObject({ code: "journal.damaged", details: { line: 3 } });
});

test("R170 what stands before a damaged line can still be read", async () => {
  await using folder = await temporaryFolder();
  const path = await written(folder);
  await writeFile(path, (await readFile(path, "utf8")).replace("你好", "您好"));
  const read: Commit[] = [];
  const reading = async (): Promise<void> => {
    for await (const commit of readCommits(path)) read.push(commit);
  };
  await expect(reading()).rejects.toMatchObject({ code: "journal.damaged", details: { line: 2 } });
  expect(read).toEqual(commits.slice(0, 1));
});

test("R170 SS2 a file that may not be read is neither damaged nor missing", async () => {
  await using folder = await temporaryFolder();
  const path = await written(folder);
  if (process.getuid?.() === 0) {
    // Root may read everything; a link to itself is what it cannot read.
    await rm(path);
    await symlink(path, path);
  } else await chmod(path, 0);
  expect(failure(path)).toMatchObject({
    code: "journal.failed",
    cause: { code: expect.stringMatching(/^(EACCES|EPERM|ELOOP)$/) as string },
  });
});

test("R170 a journal that is closed takes nothing more and is not opened again: the next one to hold it writes alone", async () => {
  await using folder = await temporaryFolder();
  const path = await written(folder);
  const journal = openFileJournal(path);
  await journal[Symbol.asyncDispose]();
  const more = { ...commits[0]!, seq: 5 as Seq };
  const closed = {
    code: "journal.failed",
    message: expect.stringContaining("is closed. Open the session again.") as string,
  };
  await expect(journal.append(4 as Seq, more)).rejects.toMatchObject(closed);
  await expect(journal.reopen()).rejects.toMatchObject(closed);
  expect(await commitsOf(path)).toHaveLength(4);
});

test("R170 a file that was removed takes no commit: nothing is written where nobody would find it", async () => {
  await using folder = await temporaryFolder();
  const path = await written(folder);
  await using journal = openFileJournal(path);
  await rm(path);
  await expect(journal.append(4 as Seq, { ...commits[0]!, seq: 5 as Seq })).rejects.toMatchObject({
    code: "journal.failed",
    message: expect.stringContaining(`${path} could not be read or written: it was removed.`) as string,
  });
  expect(await readdir(folder.path)).toEqual([]);
});

/** Numbers below a limit, the same in every run. @see Marsaglia, "Xorshift RNGs" (2003) */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);
const about = (): never => {
  throw new Error("files keep nothing beside the lines");
};

test("the stamp of a file is told to who knows its last commit, and to nobody else", async () => {
  await using folder = await temporaryFolder();
  const journals = openJournalDirectory(folder.path);
  const id = "chat-1" as SessionId;
  expect(await journals.stampAt(id, 0)).toBeUndefined();
  await journals.create(id, id, commits, about);
  const stamps: (readonly [SessionId, string])[] = [];
  for await (const stamp of journals.stamps()) stamps.push(stamp);
  expect(stamps).toEqual([[id, expect.any(String)]]);
  expect(await Promise.all([3, 4, 5].map((seq) => journals.stampAt(id, seq)))).toEqual([
    undefined,
    stamps[0]?.[1],
    undefined,
  ]);
  await journals.remove(id, nothing);
  await journals.create(id, id, commits.slice(0, 1), about); // its line is the first and the last
  expect(await journals.stampAt(id, 1)).not.toBeUndefined();
  await truncate(folder.at(`${id}.journal`), 50);
  expect(await journals.stampAt(id, 1)).toBeUndefined();
});

test("a session is removed whole also while one of its views gets its name", async () => {
  await using folder = await temporaryFolder();
  const journals = openJournalDirectory(folder.path);
  const id = "chat-1" as SessionId;
  for (let round = 0; round < 1000; round++) {
    await journals.create(id, id, commits, about);
    await writeFile(folder.at(`${id}.jsonl.tmp`), "hello\n");
    // As the writer of views does, on another thread: each round the removal meets it a little later.
    const writing = rename(folder.at(`${id}.jsonl.tmp`), folder.at(`${id}.jsonl`)).catch(() => undefined);
    for (const until = performance.now() + (round % 20) / 200; performance.now() < until;);
    expect(await journals.remove(id, nothing)).toBe(true);
    await writing;
    await journals.create(id, id, [], about);
    await journals.remove(id, nothing); // what the writing has left
  }
  expect(await readdir(folder.path)).toEqual([]);
});
