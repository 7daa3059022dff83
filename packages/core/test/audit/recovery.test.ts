// The log after what goes wrong around it: deleted conversations, clocks set back, disks that fail.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openAudit, type Audit } from "../../src/audit/audit.ts";

import type { Sealed } from "../../src/audit/chain.ts";
import {
  CHECKPOINT_FILE,
  cryptography,
  openLogWriter,
  readKey,
  readSigned,
  writeSigned,
} from "../../src/audit/log-files.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { createRedactor } from "../../src/lib/secrets/redact.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { callsTool, fakeClock, recordingChannel, says } from "../../src/testing.ts";
import type { CommitObserver } from "../../src/contract/services.ts";
import type { SessionStore } from "../../src/contract/store.ts";
import { startAgent, tool } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { journal, replay, start } from "./journal.ts";

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "margay-audit-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "audit");
}
function open(directory: string): Audit {
  return openAudit({ directory, redact: createRedactor().redact, clock: { now: () => start } });
}
async function lines(audit: Audit): Promise<readonly Sealed[]> {
  await audit.flush();
  return (await audit.list({ limit: 1_000 })).toReversed();
}

test.each(["in the same process", "after a restart", "after a crash"])(
  "R264 a conversation that was deleted and begins anew is audited from its first call: %s",
  async (when) => {
    const directory = temporary();
    let audit = open(directory);
    const first = journal("telegram:42", [audit]);
    first.turn("one", "read_file", "1", "done");
    first.turn("two", "exec", "2", "done");
    await audit.flush();
    if (when === "after a restart") await audit[Symbol.asyncDispose]();
    if (when !== "in the same process") audit = open(directory);
    const second = journal("telegram:42", [audit], {}, start + 3_600_000);
    second.turn("three", "list_dir", "3", "done");
    await audit.flush();
    const again = open(directory);
    replay(again, second);
    const calls = (await lines(again)).filter((entry) => entry.kind === "call");
    expect(calls.map(({ tool }) => tool)).toEqual(["read_file", "exec", "list_dir"]);
    expect((await again.verify()).ok).toBe(true);
  },
);

test("R45 a clock that was set back within a conversation writes nothing twice", async () => {
  const directory = temporary();
  const chat = journal();
  chat.turn("one", "read_file", "1", "first");
  chat.turn("two", "exec", "2", "second");
  const commits = chat.commits.map((each) => (each.seq > 12 ? { ...each, at: each.at - 3_600_000 } : each));
  const audit = open(directory);
  replay(audit, { id: chat.id, commits });
  await audit[Symbol.asyncDispose]();
  const again = open(directory);
  replay(again, { id: chat.id, commits });
  expect((await lines(again)).map((entry) => entry.kind)).toEqual(["call", "turn", "call", "turn"]);
});

test.each(["in the same process", "after a restart"])(
  "R264 an anchor that could not be written is written later: %s",
  async (when) => {
    const directory = temporary();
    const audit = open(directory);
    const chat = journal("telegram:42", [audit]);
    chat.turn("one", "exec", "1", "done");
    await audit.flush();
    mkdirSync(join(directory, "head.json.tmp"));
    chat.turn("two", "exec", "2", "done");
    await expect(audit.flush()).rejects.toThrow("EISDIR");
    rmdirSync(join(directory, "head.json.tmp"));
    const later = when === "after a restart" ? open(directory) : audit;
    if (later !== audit) replay(later, chat);
    await later.flush();
    expect(await later.verify()).toMatchObject({ ok: true, entries: 4 });
    const file = join(directory, "2026-11-21.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").split("\n").slice(0, 3).join("\n") + "\n");
    expect(await verifyAudit(directory)).toMatchObject({ ok: false, broken: { reason: "truncated" } });
  },
);

test.skipIf(!existsSync("/dev/full"))("a line that cannot be written leaves no file open", async () => {
  const directory = temporary();
  mkdirSync(directory);
  symlinkSync("/dev/full", join(directory, "2026-11-21.jsonl"));
  const writer = openLogWriter(directory, undefined);
  for (let n = 0; n < 3; n++) await expect(writer.append(["line"], start)).rejects.toThrow("ENOSPC");
  const held = readdirSync("/proc/self/fd").filter((fd) => {
    const path = join("/proc/self/fd", fd);
    return existsSync(path) && readlinkSync(path) === "/dev/full";
  });
  expect(held).toEqual([]);
});

test("R45 a checkpoint of an earlier version, without times, loses nothing and writes nothing twice", async () => {
  const directory = temporary();
  const chat = journal();
  chat.turn("one", "read_file", "1", "first");
  const before = open(directory);
  replay(before, chat);
  await before[Symbol.asyncDispose]();
  const crypto = cryptography((await readKey(directory)) ?? new Uint8Array());
  const path = join(directory, CHECKPOINT_FILE);
  const value = await readSigned(path, crypto);
  if (value === undefined || value === "broken") throw new Error("no checkpoint");
  const cursors = Object.entries(value.cursors ?? {}).map(([session, [seq, records]]) => [session, [seq, records]]);
  await writeSigned(
    path,
    { ...value, cursors: Object.fromEntries(cursors) as NonNullable<typeof value.cursors> },
    crypto,
  );
  const after = open(directory);
  replay(after, chat);
  chat.turn("two", "exec", "2", "second");
  replay(after, chat);
  expect((await lines(after)).map((entry) => entry.kind)).toEqual(["call", "turn", "call", "turn"]);
  expect((await after.verify()).ok).toBe(true);
});

test("R264 two who write one log take turns: nothing is lost, nothing is written twice, and the chain is whole", async () => {
  const directory = temporary();
  const [one, two] = [open(directory), open(directory)];
  const [left, right] = [journal("cli:left", [one]), journal("cli:right", [two])];
  for (let round = 0; round < 10; round++) {
    left.turn(`left ${round}`, "exec", "out", "done");
    await one.flush();
    right.turn(`right ${round}`, "exec", "out", "done");
    two.record("pairing.approved", { round });
    await two.flush();
  }
  const list = await lines(one);
  expect(list.filter(({ kind }) => kind === "turn")).toHaveLength(20);
  expect(list.filter(({ kind }) => kind === "event")).toHaveLength(10);
  expect(await two.verify()).toMatchObject({ ok: true, entries: 50 });
});

test("R264 what a process had no time to write into the log before it died is there after the next start, at rest or not", async (t) => {
  const directory = temporary();
  const folder = await temporaryFolder();
  t.onTestFinished(() => folder[Symbol.asyncDispose]());
  const clock = fakeClock(start);
  const store = (observers: readonly CommitObserver[]): SessionStore =>
    openSessions({ journals: openJournalDirectory(folder.at("sessions")), clock, observers });
  const auditOf = (): Audit => openAudit({ directory, redact: createRedactor().redact, clock });
  const first = auditOf();
  const one = await startAgent(t, {
    sessions: store([first]),
    tools: [tool("change", "write")],
    channels: [recordingChannel("test")],
  });
  one.model.replies(callsTool("change"), says("one"));
  await one.agent.send("test:1", "one").finished;
  await one.agent.idle();
  await first[Symbol.asyncDispose]();
  await clock.advance(3_600_000);
  // The commit is on disk and the process gone before the log was told.
  const two = await one.restart({ sessions: store([]) });
  two.model.replies(callsTool("change"), says("two"));
  await two.agent.send("test:2", "two").finished;
  await two.agent.idle();
  await clock.advance(3_600_000);
  const audit = auditOf();
  const three = await two.restart({ sessions: store([audit]) });
  expect(await three.agent.resume()).toEqual([]);
  expect((await lines(audit)).map(({ kind, sessionKey }) => [kind, sessionKey])).toEqual([
    ["call", "test:1"],
    ["turn", "test:1"],
    ["call", "test:2"],
    ["turn", "test:2"],
  ]);
  await audit[Symbol.asyncDispose]();
  // The next start leaves alone what is older than the last line.
  const settled = (await store([auditOf()]).list()).map((each) => [each.key, each.settled]);
  expect(settled).toEqual([
    ["test:2", undefined],
    ["test:1", true],
  ]);
});
