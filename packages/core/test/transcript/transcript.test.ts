import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { CallId, JsonObject, Logger } from "../../src/contract/base.ts";
import type { CommitObserver } from "../../src/contract/services.ts";
import { silentLog } from "../../src/machine/system/log.ts";
import { getHistory, headLine, renderTranscripts, transcriptName } from "../../src/transcript/format.ts";
import { fold } from "../../src/session/reduce.ts";
import { transcriptObserver } from "../../src/transcript/observer.ts";
import { journal, person, replay, start, type Journal } from "../audit/journal.ts";

const options = { toolResultChars: 500 };

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "margay-transcript-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
/** An observer whose journal is the given one. */
function observe(directory: string, source: () => Journal, log: Logger = silentLog): CommitObserver {
  return transcriptObserver({
    ...options,
    log,
    directory,
    readCommits: async function* () {
      yield* source().commits;
    },
  });
}
function kit(key = "telegram:42"): {
  readonly directory: string;
  readonly chat: Journal;
  readonly observer: CommitObserver;
  readonly path: string;
} {
  const directory = temporary();
  const observer = observe(directory, () => chat);
  const chat: Journal = journal(key, [observer]);
  return { directory, chat, observer, path: join(directory, transcriptName(chat.id)) };
}
async function rebuilt(chat: Journal): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(
    (await renderTranscripts(chat.commits, options)).map(({ time, text }) => [transcriptName(chat.id, time), text]),
  );
}
function onDisk(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "utf8")]));
}
function parsed(text: string): readonly JsonObject[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject);
}

test("R171 R172 R47 R36 CX10 a turn of two rounds: metadata, then rows in the seeds' format", async () => {
  const { chat, observer, path } = kit();
  const turn = (chat.message("read both"), chat.begin());
  chat.commit({
    type: "notice.added",
    notice: { role: "notice", at: start, kind: "clock", text: "<runtime_context>" },
  });
  chat.request(turn, "m1");
  const [a, b] = [chat.call("read_file", { path: "a" }), chat.call("exec", {}, '{"command": "ls"}')];
  chat.respond(turn, [{ type: "thinking", text: "secret thoughts" }, a, b]);
  chat.run(turn, a.callId, "read_file");
  chat.run(turn, b.callId, "exec");
  chat.finish(turn, b.callId, "exec", "files");
  chat.finish(turn, a.callId, "read_file", "text of a");
  chat.request(turn);
  const c = chat.call("read_file", { path: "b" });
  chat.respond(turn, [chat.text("Now b."), c]);
  chat.run(turn, c.callId, "read_file");
  chat.finish(turn, c.callId, "read_file", "text of b");
  chat.request(turn);
  chat.respond(turn, [chat.text("Done.")]);
  await observer.flush();
  expect(existsSync(path)).toBe(false); // written at the end of the turn
  chat.end(turn, "Done.");
  await observer.flush();
  const [head, ...rows] = parsed(readFileSync(path, "utf8"));
  const timestamp = expect.stringMatching(/^2026-11-21T10:\d\d:\d\d\.000Z$/) as string;
  expect(head).toEqual({
    key: "telegram:42",
    created_at: "2026-11-21T10:00:00.000Z",
    updated_at: timestamp,
    last_consolidated: 0,
    rows: 7,
    bytes: expect.any(Number),
    seq: chat.commits.length,
  });
  expect(rows).toEqual([
    { role: "user", content: "read both", timestamp },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: a.callId, type: "function", function: { name: "read_file", arguments: '{"path":"a"}' } },
        { id: b.callId, type: "function", function: { name: "exec", arguments: '{"command": "ls"}' } },
      ],
      timestamp,
    },
    { role: "tool", tool_call_id: a.callId, name: "read_file", content: "text of a", timestamp },
    { role: "tool", tool_call_id: b.callId, name: "exec", content: "files", timestamp },
    {
      role: "assistant",
      content: "Now b.",
      tool_calls: [{ id: c.callId, type: "function", function: { name: "read_file", arguments: '{"path":"b"}' } }],
      timestamp,
    },
    { role: "tool", tool_call_id: c.callId, name: "read_file", content: "text of b", timestamp },
    { role: "assistant", content: "Done.", tools_used: ["read_file", "exec"], timestamp },
  ]);
  expect(readFileSync(path, "utf8").indexOf("\n") % 128).toBe(127);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("R46 R173 R406 SS10 a result of 501 characters is cut at 500 with a marker, one of 500 is not, images are placeholders", async () => {
  const { chat, observer, path } = kit();
  const image = {
    type: "media",
    mediaType: "image/png",
    blob: { sha256: "0".repeat(64), bytes: 9 },
    name: "cat.png",
  } as const;
  const turn = (chat.message([{ type: "text", text: "see" }, image]), chat.begin());
  chat.request(turn, "m1");
  const calls = [chat.call("a", {}), chat.call("b", {}), chat.call("c", {}), chat.call("d", {})];
  chat.respond(turn, calls);
  const results = [
    "x".repeat(501),
    "y".repeat(500),
    [{ type: "text" as const, text: "z".repeat(600) }, image],
    [image],
  ];
  calls.forEach((call, index) => chat.finish(turn, call.callId, call.name, results[index]!));
  chat.end(turn, "");
  await observer.flush();
  const contents = parsed(readFileSync(path, "utf8"))
    .slice(1)
    .map((row) => row["content"]);
  expect(contents).toEqual([
    "see\n[image: cat.png]",
    null,
    `${"x".repeat(500)}… [501 characters in all]`,
    "y".repeat(500),
    `${"z".repeat(500)}… [600 characters in all]\n[image: cat.png]`,
    "[image: cat.png]",
  ]);
});

test("R171 R191 PR10 system messages are marked; failed turns leave no assistant row; empty answers leave none", async () => {
  const { chat, observer, path } = kit();
  const first = chat.message("subagent is done", { id: "spawn", kind: "agent" });
  const turn = chat.begin();
  chat.request(turn, first);
  chat.respond(turn, [{ type: "thinking", text: "hm" }, chat.text("  ")]);
  chat.end(turn, "The model answered nothing.", "failed", { code: "model.empty", message: "empty", retryable: true });
  const lost = chat.message("are you there");
  const second = chat.begin();
  chat.commit(
    { type: "messages.placed", ids: [lost] },
    {
      type: "turn.ended",
      turn: second,
      reason: "failed",
      text: "error",
      durationMs: 1,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
  );
  await observer.flush();
  expect(
    parsed(readFileSync(path, "utf8"))
      .slice(1)
      .map(({ timestamp: _timestamp, ...row }) => row),
  ).toEqual([
    { role: "user", content: "subagent is done", system: true },
    { role: "user", content: "are you there" },
  ]);
  expect(chat.state.rows).toBe(2);
});

test("R171 rows are appended, the file is not rewritten, and it always equals a rebuild", async () => {
  const { directory, chat, observer, path } = kit("web:ünïcode");
  let inode = 0;
  for (let turn = 0; turn < 12; turn++) {
    chat.turn(`question ${turn} 你好 🎉 \ud800`, "read_file", "r".repeat(turn * 100), `answer ${turn} ä`);
    if (turn === 5)
      chat.commit({
        type: "history.compacted",
        rows: 8,
        kept: [],
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        fallback: false,
      });
    await observer.flush();
    inode ||= statSync(path).ino;
    expect(statSync(path).ino).toBe(inode);
    expect(onDisk(directory)).toEqual(await rebuilt(chat));
  }
  const [head, ...rows] = parsed(readFileSync(path, "utf8"));
  expect(head).toMatchObject({ last_consolidated: chat.state.consolidated, rows: chat.state.rows });
  expect(rows).toHaveLength(chat.state.rows);
});

test("R171 a first line that outgrows its block is given another one", async () => {
  const directory = temporary();
  // The longest key whose first line still fits two blocks: more digits in the counts need a third.
  const make = (extra: number): { readonly chat: Journal; readonly observer: CommitObserver } => {
    const observer = observe(directory, () => chat);
    const chat: Journal = journal(`web:${"k".repeat(extra)}`, [observer]);
    return { chat, observer };
  };
  for (let extra = 40; extra < 120; extra += 4) {
    const { chat, observer } = make(extra);
    for (let turn = 0; turn < 4; turn++) {
      chat.turn("q".repeat(10 ** turn), "exec", "r", "a");
      await observer.flush();
    }
    expect(readFileSync(join(directory, transcriptName(chat.id)), "utf8")).toBe(
      (await rebuilt(chat))[transcriptName(chat.id)],
    );
  }
});

test("R181 SS13 /new rotates the file; two clears in one millisecond keep both", async () => {
  const { directory, chat, observer } = kit();
  chat.turn("one", "exec", "1", "first");
  chat.commit({ type: "session.cleared", by: person });
  chat.turn("two", "exec", "2", "second");
  chat.commit({ type: "session.cleared", by: person });
  chat.commit({ type: "session.cleared", by: person });
  await observer.flush();
  expect(onDisk(directory)).toEqual(await rebuilt(chat));
  expect(Object.keys(onDisk(directory))).toHaveLength(2);
  chat.turn("three", "exec", "3", "third");
  await observer.flush();
  const files = onDisk(directory);
  expect(files).toEqual(await rebuilt(chat));
  expect(Object.keys(files)).toHaveLength(3);
  expect(
    parsed(files[transcriptName(chat.id)]!)
      .slice(1)
      .map((row) => row["content"]),
  ).toEqual(["three", null, "3", "third"]);
  const same = { ...chat, commits: chat.commits.map((commit) => ({ ...commit, at: start })) };
  expect(new Set((await renderTranscripts(same.commits, options)).map((file) => file.time)).size).toBe(3);
});

test.each([
  ["removed", (path: string) => rmSync(path)],
  ["cut short", (path: string) => truncateSync(path, 300)],
  ["emptied", (path: string) => truncateSync(path, 0)],
  ["overwritten", (path: string) => writeFileSync(path, "something else entirely\n".repeat(100))],
])("R171 a file that was %s is made again at the next turn and at the next start", async (_how, damage) => {
  const { directory, chat, observer, path } = kit();
  chat.turn("one", "exec", "1", "first");
  await observer.flush();
  damage(path);
  chat.turn("two", "exec", "2", "second");
  await observer.flush();
  expect(onDisk(directory)).toEqual(await rebuilt(chat));
  damage(path);
  const next = observe(directory, () => chat);
  replay(next, chat);
  await next.flush();
  expect(onDisk(directory)).toEqual(await rebuilt(chat));
});

test("R45 after a crash at any commit the files equal a rebuild, whatever was written before", async () => {
  const chat = journal();
  chat.turn("one", "exec", "1", "first");
  chat.commit({ type: "session.cleared", by: person });
  chat.turn("two", "exec", "2", "second");
  for (let seen = 0; seen <= chat.commits.length; seen++) {
    const directory = temporary();
    const before = observe(directory, () => chat);
    const part = { ...chat, commits: chat.commits.slice(0, seen) };
    replay(before, part);
    await before.flush();
    const after = observe(directory, () => chat);
    replay(after, chat);
    await after.flush();
    expect(onDisk(directory)).toEqual(await rebuilt(chat));
  }
});

test("R171 R181 what came while /new stopped a turn is asked in the fresh context, and is in its transcript", async () => {
  const { chat, observer, path } = kit();
  const message = chat.message("still there?");
  chat.commit({ type: "session.cleared", by: person });
  const turn = chat.begin();
  chat.request(turn, message);
  chat.respond(turn, [chat.text("Yes.")]);
  chat.end(turn, "Yes.");
  await observer.flush();
  const [, ...rows] = parsed(readFileSync(path, "utf8"));
  expect(rows.map(({ role, content }) => [role, content])).toEqual([
    ["user", "still there?"],
    ["assistant", "Yes."],
  ]);
});

test("R171 what another process wrote meanwhile, and this one read, is in the file before what comes behind it", async () => {
  const { directory, chat, observer } = kit();
  chat.turn("one", "exec", "1", "first");
  await observer.flush();
  const before = chat.commits.length;
  const others = journal(chat.state.key);
  for (const turn of ["one", "two"]) others.turn(turn, "exec", "1", turn);
  let { state } = chat;
  for (const commit of others.commits.slice(before)) observer.observe((state = fold(state, commit)), commit, true);
  chat.commits.push(...others.commits.slice(before));
  await observer.flush();
  expect(onDisk(directory)).toEqual(await rebuilt(chat));
});

test("R171 reading a session that is up to date writes nothing", async () => {
  const { directory, chat, observer, path } = kit();
  chat.turn("one", "exec", "1", "first");
  await observer.flush();
  const before = statSync(path, { bigint: true });
  const next = transcriptObserver({
    ...options,
    directory,
    readCommits: () => {
      throw new Error("the journal was read");
    },
  });
  replay(next, chat);
  await next.flush();
  expect(statSync(path, { bigint: true }).mtimeNs).toBe(before.mtimeNs);
});

test("a disk error is told by flush, and the file is right once it is over", async () => {
  const directory = join(temporary(), "sessions");
  writeFileSync(directory, "a file where the directory should be");
  const logged = Promise.withResolvers<string>();
  const observer = observe(directory, () => chat, { ...silentLog, error: logged.resolve });
  const chat: Journal = journal("cli:direct", [observer]);
  chat.turn("one", "exec", "1", "first");
  expect(await logged.promise).toBe("transcript.failed"); // nobody need ask
  await expect(observer.flush()).rejects.toThrow(/EEXIST|ENOTDIR/);
  rmSync(directory);
  await observer.flush();
  expect(onDisk(directory)).toEqual(await rebuilt(chat));
});

test("the first line is written in place: same length for any two heads of a session within one block", () => {
  const head = {
    key: "cli:direct",
    createdAt: start,
    updatedAt: start,
    lastConsolidated: 0,
    rows: 1,
    bytes: 100,
    seq: 3,
  };
  expect(headLine({ ...head, rows: 99_999, bytes: 123_456_789, seq: 12_345 }).length).toBe(headLine(head).length);
});

const rows = ["user", "assistant", "user", "assistant", "tool", "assistant", "user", "assistant"].map(
  (role, index) => ({ role, content: String(index) }),
);
test.each([
  [0, 100, "0,1,2,3,4,5,6,7"],
  [2, 100, "2,3,4,5,6,7"],
  [3, 100, "6,7"],
  [0, 6, "2,3,4,5,6,7"],
  [0, 5, "6,7"],
  [0, 1, ""],
  [7, 100, ""],
  [8, 100, ""],
  [0, 0, ""],
])("R175 getHistory with pointer %i and at most %i rows", (pointer, max, expected) => {
  expect(
    getHistory(rows, pointer, max)
      .map((row) => row.content)
      .join(","),
  ).toBe(expected);
});

test("R291 an embedder's context reads as rows", async () => {
  const chat = journal("cli:direct");
  const callId = "c-1" as CallId;
  chat.commit({
    type: "history.imported",
    rows: 3,
    consolidated: 0,
    messages: [
      { role: "user", id: "1", at: start, from: person, parts: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        at: start,
        model: { provider: "p", model: "m" },
        parts: [{ type: "tool-call", callId, name: "exec", input: {} }],
        finish: "tool-calls",
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      },
      { role: "tool", at: start, callId, name: "exec", parts: [{ type: "text", text: "out" }], status: "ok" },
    ],
  });
  const [file] = await renderTranscripts(chat.commits, options);
  expect(
    parsed(file!.text)
      .slice(1)
      .map((row) => row["role"]),
  ).toEqual(["user", "assistant", "tool"]);
});
