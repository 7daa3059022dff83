import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import { openAudit, type Audit } from "../../src/audit/audit.ts";
import type { Sealed } from "../../src/audit/chain.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { createRedactor } from "../../src/lib/secrets/redact.ts";
import { journal, person, replay, start } from "./journal.ts";

export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "margay-audit-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "audit");
}
function open(directory: string, redact = createRedactor().redact, clock = { at: start }): Audit {
  return openAudit({ directory, redact, clock: { now: () => clock.at } });
}
async function lines(audit: Audit): Promise<readonly Sealed[]> {
  await audit.flush();
  return (await audit.list({ limit: 1_000 })).toReversed();
}
function callsOf(list: readonly Sealed[]): readonly unknown[] {
  return list.flatMap((entry) => (entry.kind === "call" ? [[entry.tool, entry.status, entry.decision, entry.by]] : []));
}

test("R262 R263 R265 R407 one record per call of every outcome and one per ended turn, with all fields", async () => {
  const directory = temporary();
  const audit = open(directory);
  const chat = journal("telegram:42", [audit]);
  const turn = (chat.message("first"), chat.begin());
  chat.request(turn, "m1");
  const names = ["ok", "error", "denied", "approved", "invalid", "unknown", "skipped", "interrupted"];
  const calls = names.map((name) => chat.call(name, { name }));
  chat.respond(turn, calls);
  const id = (name: string): CallId => calls[names.indexOf(name)]!.callId;
  for (const name of names.slice(0, -2))
    chat.judge(turn, id(name), name === "denied" ? "deny" : name === "approved" ? "ask" : "allow", `rule-${name}`);
  chat.commit({
    type: "approval.resolved",
    turn,
    call: id("approved"),
    verdict: "allow",
    by: "ada",
    remember: "session",
  });
  for (const name of names) {
    const status =
      name === "ok" || name === "approved"
        ? "ok"
        : name === "denied" || name === "skipped"
          ? "denied"
          : name === "interrupted"
            ? "interrupted"
            : "error";
    chat.finish(turn, id(name), name, `result of ${name}`, status, 7, status === "denied" ? 0 : 1);
  }
  chat.end(turn, "all done");
  const list = await lines(audit);
  expect(callsOf(list)).toEqual([
    ["ok", "ok", "allow", "policy"],
    ["error", "error", "allow", "policy"],
    ["denied", "denied", "deny", "policy"],
    ["approved", "ok", "allow", "ada"],
    ["invalid", "error", "allow", "policy"],
    ["unknown", "error", "allow", "policy"],
    ["skipped", "denied", "none", "runtime"],
    ["interrupted", "interrupted", "none", "runtime"],
  ]);
  expect(list[0]).toMatchObject({
    kind: "event",
    session: chat.id,
    name: "approval.resolved",
    data: { call: id("approved"), tool: "approved", verdict: "allow", by: "ada", remember: "session" },
  });
  expect(list[1]).toEqual({
    kind: "call",
    session: chat.id,
    sessionKey: "telegram:42",
    seq: expect.any(Number),
    index: 0,
    at: expect.any(Number),
    turn,
    call: id("ok"),
    tool: "ok",
    arguments: { name: "ok" },
    argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    decision: "allow",
    rule: "rule-ok",
    by: "policy",
    status: "ok",
    durationMs: 7,
    attempts: 1,
    result: "result of ok",
    n: 2,
    prev: list[0]?.hash,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    mac: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(list.at(-1)).toMatchObject({
    kind: "turn",
    reason: "done",
    user: "first",
    reply: "all done",
    usage: { input: 10, output: 5 },
    durationMs: 900,
    n: 10,
  });
  expect(readdirSync(directory).sort()).toEqual(["2026-11-21.jsonl", "head.json", "key"]);
  expect(statSync(join(directory, "key")).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "2026-11-21.jsonl")).mode & 0o777).toBe(0o600);
  expect(await audit.verify()).toMatchObject({ ok: true, entries: 10 });
});

test("R263 R265 entry/MAX_RESULT_CHARS results, arguments, user text and replies are bounded", async () => {
  const audit = open(temporary());
  const chat = journal("cli:direct", [audit]);
  chat.turn("u".repeat(900), "exec", "r".repeat(5_000), "a".repeat(9_000));
  const [call, turn] = await lines(audit);
  expect(call).toMatchObject({ result: expect.stringMatching(/^r{965}… \[5000 characters in all\]$/) });
  if (turn?.kind !== "turn") throw new Error("no turn");
  expect([turn.user.length <= 500, turn.reply.length <= 2_000]).toEqual([true, true]);
});

test("R263 R282 SE6 planted secrets are in no line, in any encoding and across a cut", async () => {
  const secret = "hunter2-Correct/Horse+Battery";
  const redactor = createRedactor([secret]);
  const directory = temporary();
  const audit = open(directory, redactor.redact);
  const chat = journal("cli:direct", [audit]);
  const forms = [
    secret,
    Buffer.from(secret).toString("base64"),
    Buffer.from(`x${secret}y`).toString("base64url"),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("hex"),
  ];
  const turn = (chat.message(`my key is ${secret}`), chat.begin());
  chat.request(turn, "m1");
  const call = chat.call("exec", { command: `echo ${forms.join(" ")}`, [secret]: [secret] });
  chat.respond(turn, [call]);
  chat.finish(turn, call.callId, "exec", `${"x".repeat(950)} ${secret} sk-Qv7mZt2LrX9cKw4HdB8sJn`);
  chat.end(turn, `done with ${secret}`, "failed", {
    code: "provider.auth",
    message: `bad key ${secret}`,
    retryable: false,
  });
  await audit.flush();
  const text = readFileSync(join(directory, "2026-11-21.jsonl"), "utf8");
  for (const form of [...forms, "hunter2", "sk-Qv7mZt"]) expect(text).not.toContain(form);
});

test("R265 what came while /new stopped a turn is in the record of the turn that answers it", async () => {
  const audit = open(temporary());
  const chat = journal("cli:direct", [audit]);
  const message = chat.message("still there?");
  chat.commit({ type: "session.cleared", by: person });
  const turn = chat.begin();
  chat.request(turn, message);
  chat.end(turn, "Yes.");
  expect(await lines(audit)).toMatchObject([{ kind: "turn", user: "still there?", reply: "Yes." }]);
});

test("R263 R282 why a turn failed is in its record, without secrets", async () => {
  const audit = open(temporary(), (text) => text.replaceAll("hunter2", "[redacted]"));
  const chat = journal("cli:direct", [audit]);
  chat.message("go");
  const turn = chat.begin();
  chat.end(turn, "", "failed", { code: "provider.auth", message: "The key hunter2 was refused.", retryable: false });
  chat.message("again");
  chat.end(chat.begin(), "Done.");
  const entries = await lines(audit);
  expect(entries.map((entry) => (entry.kind === "turn" ? [entry.reason, entry.error] : []))).toEqual([
    ["failed", "provider.auth: The key [redacted] was refused."],
    ["done", undefined],
  ]);
});

test("R45 a record that could not be brought to the disk is not vouched for: the flush says so", async () => {
  const directory = temporary();
  mkdirSync(directory);
  symlinkSync("/dev/null", join(directory, "2026-11-21.jsonl")); // takes everything, and cannot be synced
  const audit = open(directory);
  journal("cli:direct", [audit]).turn("go", "exec", "1", "done");
  await expect(audit.flush()).rejects.toThrow("EINVAL");
});

test("R45 R264 after a crash at any commit every record is there exactly once", async () => {
  const original = journal("telegram:42");
  original.turn("one", "read_file", "1", "first");
  original.turn("two", "list_dir", "2", "second");
  const expected = [
    ["read_file", "ok", "allow", "policy"],
    ["list_dir", "ok", "allow", "policy"],
  ];
  for (let seen = 0; seen <= original.commits.length; seen++) {
    const directory = temporary();
    const before = open(directory);
    replay(before, { id: original.id, commits: original.commits.slice(0, seen) });
    await before.flush(); // then the process dies: nothing is disposed
    const after = open(directory);
    replay(after, original);
    const list = await lines(after);
    expect(callsOf(list)).toEqual(expected);
    expect(list.map((entry) => entry.kind)).toEqual(["call", "turn", "call", "turn"]);
    expect((await after.verify()).ok).toBe(true);
  }
});

test("R45 lines that a crash left before the head was anchored are no damage", async () => {
  const directory = temporary();
  const before = open(directory);
  const observers = [before];
  const chat = journal("telegram:42", observers);
  const turn = (chat.message("one"), chat.begin());
  chat.request(turn, "m1");
  const call = chat.call("exec", {});
  chat.respond(turn, [call]);
  chat.finish(turn, call.callId, "exec", "out");
  while ((await before.list()).length === 0) await new Promise(setImmediate); // written in the middle of the turn
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, entries: 1 });
  observers.pop(); // a process that died writes nothing more: two at once are kept apart by the lock of the state
  const after = open(directory);
  replay(after, chat);
  chat.end(turn, "done");
  replay(after, chat);
  expect((await lines(after)).map((entry) => entry.kind)).toEqual(["call", "turn"]);
  expect((await after.verify()).ok).toBe(true);
});

test("R45 a line torn by a crash is cut and written again; a session opened again writes nothing twice", async () => {
  const directory = temporary();
  const chat = journal();
  chat.turn("one", "read_file", "1", "first");
  const before = open(directory);
  replay(before, { id: chat.id, commits: chat.commits.slice(0, -1) });
  await before.flush();
  appendFileSync(join(directory, "2026-11-21.jsonl"), '{"at":17,"half');
  const after = open(directory);
  replay(after, chat);
  replay(after, chat);
  chat.turn("two", "exec", "2", "second");
  replay(after, chat);
  expect((await lines(after)).map((entry) => entry.kind)).toEqual(["call", "turn", "call", "turn"]);
  expect((await after.verify()).ok).toBe(true);
});

test("R45 records survive over many starts with checkpoints, days and sessions", async () => {
  const directory = temporary();
  const clock = { at: start };
  const chats = ["telegram:1", "telegram:2", "web:3"].map((key) => journal(key));
  for (let day = 0; day < 4; day++) {
    await using audit = open(directory, undefined, clock);
    for (const chat of chats) {
      chat.turn(`day ${day}`, "exec", "out", "done");
      replay(audit, chat);
    }
    await audit.flush();
    clock.at += day === 2 ? -5 * 86_400_000 : 86_400_000; // the clock is set back once
  }
  const audit = open(directory, undefined, clock);
  expect((await lines(audit)).length).toBe(4 * 3 * 2);
  expect(await audit.verify()).toMatchObject({ ok: true, entries: 24 });
  expect(readdirSync(directory).filter((name) => name.endsWith(".jsonl"))).toEqual([
    "2026-11-21.jsonl",
    "2026-11-22.jsonl",
    "2026-11-23.jsonl",
  ]);
});

test("R262 EX14 subagent calls name their parent; what a fork copied is not recorded again", async () => {
  const audit = open(temporary());
  const child = journal("subagent:c3", [audit], {
    parent: { session: "telegram-42-00000000" as SessionId, call: "call-9" as CallId },
  });
  child.turn("task", "read_file", "1", "done");
  const original = journal("cli:direct", [audit]);
  original.turn("one", "exec", "1", "done");
  const fork = journal("cli:fork", [], { forked: { from: original.id, commits: original.commits.length } });
  fork.turn("one", "exec", "1", "done");
  expect(fork.commits.length).toBe(original.commits.length);
  fork.turn("two", "list_dir", "2", "done");
  replay(audit, fork);
  const list = (await lines(audit)).filter((entry) => entry.kind === "call");
  expect(list.map((entry) => [entry.sessionKey, entry.parent, entry.tool])).toEqual([
    ["subagent:c3", "telegram-42-00000000", "read_file"],
    ["cli:direct", undefined, "exec"],
    ["cli:fork", undefined, "list_dir"],
  ]);
});

test("SE10 events from outside the sessions are recorded; lists filter; nothing offers to remove a line", async () => {
  const audit = open(temporary());
  audit.record("login.refused", { address: "127.0.0.1", token: "Bearer Qv7mZt2LrX9cKw4HdB8sJnPy" });
  const chat = journal("cli:direct", [audit]);
  chat.turn("one", "exec", "1", "done");
  chat.commit({ type: "command.handled", key: "k", text: "/help", by: person });
  await audit.flush();
  expect(await audit.list({ kind: "event" })).toMatchObject([
    { name: "login.refused", data: { address: "127.0.0.1", token: "Bearer [redacted]" } },
  ]);
  expect(await audit.list({ tool: "exec", session: chat.id, status: "ok" })).toHaveLength(1);
  expect(await audit.list({ status: "error" })).toEqual([]);
  expect((await audit.list({ limit: 1 }))[0]?.kind).toBe("turn");
  expect(Object.keys(audit).sort()).toEqual([
    "begin",
    "continues",
    "flush",
    "list",
    "observe",
    "reached",
    "record",
    "verify",
  ]);
});

test("nothing is read or created before the first record", async () => {
  const directory = temporary();
  const audit = open(directory);
  journal("cli:direct", [audit]).message("hi");
  await audit.flush();
  expect(() => statSync(directory)).toThrow("ENOENT");
  expect(await audit.verify()).toMatchObject({ ok: true, entries: 0 });
});

test("SE5 SE10 a call is recorded with the label it was judged under, and who vouched for what was read", async () => {
  const directory = temporary();
  const audit = open(directory);
  const chat = journal("telegram:42", [audit]);
  const turn = (chat.message("first"), chat.begin());
  const call = chat.call("exec", {});
  chat.respond(turn, [call]);
  chat.commit({
    type: "call.judged",
    turn,
    call: call.callId,
    effect: "write",
    verdict: "ask",
    rule: "untrusted",
    marks: { integrity: "untrusted", confidentiality: "sensitive" },
    prompt: "?",
    hash: "h",
    expiresAt: start + 1_000,
  });
  chat.commit({ type: "context.endorsed", by: { id: "ada", kind: "person" } });
  chat.commit({ type: "approval.resolved", turn, call: call.callId, verdict: "deny", by: "ada" });
  chat.finish(turn, call.callId, "exec", "no", "denied");
  const list = await lines(audit);
  expect(
    list.map((entry) => (entry.kind === "event" ? `${entry.name} ${String(entry.data["by"])}` : entry.kind)),
  ).toEqual(["context.endorsed ada", "approval.resolved ada", "call"]);
  expect(list[2]).toMatchObject({
    label: { integrity: "untrusted", confidentiality: "sensitive" },
    decision: "deny",
    rule: "untrusted",
    by: "ada",
  });
  // Written once, however often the session is opened.
  const again = open(directory);
  replay(again, chat);
  expect(await lines(again)).toHaveLength(3);
});
