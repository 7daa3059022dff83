// What a journal says must be in the log, and what verify makes of it.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openAudit, type Audit } from "../../src/audit/audit.ts";
import {
  CHECKPOINT_FILE,
  cryptography,
  HEAD_FILE,
  readKey,
  readSigned,
  writeSigned,
} from "../../src/audit/log-files.ts";
import { newestFact, type Owed } from "../../src/audit/owed.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import type { Millis } from "../../src/contract/base.ts";
import type { Commit } from "../../src/contract/record.ts";
import { temporaryFolder } from "../support/folder.ts";
import { journal, replay, start } from "./journal.ts";

const DAY_MS = 86_400_000;

async function folder(): Promise<string> {
  const made = await temporaryFolder();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made.at("audit");
}
const open = (directory: string, at = start): Audit =>
  openAudit({ directory, redact: (text) => text, clock: { now: () => at } });

/** One line a day and a checkpoint. */
async function written(days: readonly number[]): Promise<string> {
  const directory = await folder();
  for (const day of days) {
    await using audit = open(directory, start + day * DAY_MS);
    journal(`cli:${day}`, [audit], {}, start + day * DAY_MS).turn("do it", "exec", "out", "done");
  }
  return directory;
}

// oxlint-disable-next-line require-await -- the contract is asynchronous, memory is not
async function* read(commits: readonly Commit[]): AsyncIterable<Commit> {
  yield* commits;
}
const found = (commits: readonly Commit[], since: Millis): ReturnType<typeof newestFact> =>
  newestFact(read(commits), since);

test("SC48 a call that has ended, and the end of a turn, must be in the log; what only began must not", async () => {
  const chat = journal("cli:direct");
  const turn = chat.begin();
  const call = chat.call("exec", {});
  chat.respond(turn, [call]);
  chat.judge(turn, call.callId, "allow");
  chat.run(turn, call.callId, "exec");
  expect(await found(chat.commits, 0)).toBe(undefined);
  chat.finish(turn, call.callId, "exec", "ok");
  const { at } = chat.commits.at(-1)!;
  expect(await found(chat.commits, 0)).toEqual({ session: "cli:direct", at });
  expect(await found(chat.commits, at - 1)).toEqual({ session: "cli:direct", at });
  expect(await found(chat.commits, at)).toBe(undefined);
  chat.end(turn, "done");
  const ended = chat.commits.at(-1)!.at;
  expect(await found(chat.commits, at)).toEqual({ session: "cli:direct", at: ended });
  chat.message("and more");
  expect(await found(chat.commits, ended)).toBe(undefined);
});

test("SC48 what a fork copied is no call of its own, and damage takes nothing away from what stands before it", async () => {
  const original = journal("cli:direct");
  original.turn("one", "exec", "1", "done");
  const fork = journal("cli:fork", [], { forked: { from: original.id, commits: original.commits.length } });
  fork.turn("one", "exec", "1", "done");
  expect(await found(fork.commits, 0)).toBe(undefined);
  fork.turn("two", "exec", "2", "done");
  expect(await found(fork.commits, 0)).toMatchObject({ session: "cli:fork" });
  async function* damaged(): AsyncIterable<Commit> {
    yield* read(original.commits);
    throw new Error("line 9 cannot be read");
  }
  expect(await newestFact(damaged(), 0)).toMatchObject({ session: "cli:direct" });
});

test("SC48 a log that ends before what is owed to it is truncated, and its newest line is not always its last", async () => {
  const directory = await written([0, 1]);
  const last = (await open(directory).list({ limit: 1 }))[0]!.at;
  const owing = (at: Millis): ((since: Millis) => Promise<Owed | undefined>) => {
    return (since) => Promise.resolve(at > since ? { session: "cli:x", at, pending: false } : undefined);
  };
  expect(await verifyAudit(directory, { owed: owing(last) })).toMatchObject({ ok: true });
  expect(await verifyAudit(directory, { owed: owing(last + 1) })).toMatchObject({
    ok: false,
    entries: 4,
    broken: { reason: "truncated", session: "cli:x", file: "2026-11-22.jsonl", line: 3, n: 5 },
  });
  // The clock is set back, and something happens: older than what was written before, and in the log all the same.
  {
    await using audit = open(directory, start);
    audit.record("settings.changed", {});
  }
  expect(await verifyAudit(directory, { owed: owing(last) })).toMatchObject({ ok: true, entries: 5 });
});

test("SC48 what is about to be written is waited for", async () => {
  const directory = await written([0]);
  const later = start + DAY_MS;
  const chat = journal("cli:later", [], {}, later);
  chat.turn("more", "exec", "out", "done");
  const { at } = chat.commits.at(-1)!;
  let asked = 0;
  const report = await verifyAudit(directory, {
    owed: async () => {
      asked++;
      const audit = open(directory, later);
      onTestFinished(() => audit[Symbol.asyncDispose]());
      replay(audit, chat); // what is read at open, as after a crash: nobody waits for it, and it is written all the same
      return await Promise.resolve({ session: "cli:later", at, pending: true });
    },
  });
  expect([report.ok, report.entries, asked]).toEqual([true, 4, 1]);
});

test("SC48 a day file that is missing between two, and the first one, are told apart from a gap that was gone on from", async () => {
  for (const day of ["2026-11-21", "2026-11-22", "2026-11-23"]) {
    const directory = await written([0, 1, 2]);
    rmSync(join(directory, `${day}.jsonl`));
    const { broken } = await verifyAudit(directory);
    expect([day, broken?.reason]).toEqual([day, "truncated"]);
    {
      await using audit = open(directory, start + 3 * DAY_MS);
      audit.record("settings.changed", {});
    }
    const later = await verifyAudit(directory);
    // Only of the end the next one knows; its own gap is `missing`.
    expect([day, later.broken?.reason]).toEqual([day, day === "2026-11-23" ? "missing" : "truncated"]);
  }
});

test("SC48 a checkpoint that was taken away is missed, for ever", async () => {
  const directory = await written([0]);
  rmSync(join(directory, CHECKPOINT_FILE));
  expect((await verifyAudit(directory)).broken).toMatchObject({ reason: "truncated", gone: "checkpoint.json" });
  {
    await using audit = open(directory, start + DAY_MS);
    audit.record("settings.changed", {});
  }
  expect((await verifyAudit(directory)).broken).toMatchObject({ reason: "missing", file: "2026-11-22.jsonl" });
});

test("SC48 a process that dies before its first checkpoint leaves a whole log, and so does the head of an older version", async () => {
  const directory = await written([0]);
  const crypto = cryptography((await readKey(directory))!);
  const path = join(directory, HEAD_FILE);
  const head = await readSigned(path, crypto);
  if (head === undefined || head === "broken") throw new Error("no head");
  expect(head.checkpoint).toBe(true);
  await writeSigned(path, { n: head.n, hash: head.hash }, crypto);
  rmSync(join(directory, CHECKPOINT_FILE));
  expect((await verifyAudit(directory)).ok).toBe(true);
  const killed = await folder();
  const audit = open(killed);
  onTestFinished(() => audit[Symbol.asyncDispose]());
  audit.record("settings.changed", {});
  await audit.flush();
  const copy = `${killed}-copy`;
  cpSync(killed, copy, { recursive: true });
  expect(readdirSync(copy)).not.toContain(CHECKPOINT_FILE);
  expect((await verifyAudit(copy)).ok).toBe(true);
});

test.each([
  ["the key alone", ["key"]],
  ["the checkpoint alone", ["checkpoint.json"]],
  ["head and checkpoint", ["head.json", "checkpoint.json"]],
])("SC48 %s without a record: truncated", async (_name, kept) => {
  const directory = await written([0]);
  for (const name of readdirSync(directory)) if (!kept.includes(name)) rmSync(join(directory, name));
  expect((await verifyAudit(directory)).broken).toMatchObject({ reason: "truncated", gone: "YYYY-MM-DD.jsonl" });
});
