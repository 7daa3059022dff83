// A long journal that nothing is kept beside is read while others are answered; what is made of it is made of all of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openAudit } from "../../src/audit/audit.ts";
import type { CallId, Seq, SessionId, TurnId } from "../../src/contract/base.ts";
import type { Commit, JournalRecord } from "../../src/contract/record.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { encodeAll } from "../../src/journal/journal.ts";
import { NO_USAGE } from "../../src/lib/usage.ts";
import { emptyState, fold } from "../../src/session/reduce.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { renderTranscripts } from "../../src/transcript/format.ts";
import { transcriptObserver } from "../../src/transcript/observer.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";

const CHAT = { channel: "test", chat: "1" } as const;
const CUT = { toolResultChars: 500 };
const TURNS = 3000;
const MODEL = { provider: "mock", model: "m" } as const;
const HEAP = fileURLToPath(new URL("./fixtures/opens-long.ts", import.meta.url));

function* turns(count: number): Generator<Commit> {
  const text = "of topics and green tea, 第三条记录. ".repeat(20);
  let seq = 0;
  const commit = (...records: readonly JournalRecord[]): Commit => ({ seq: (seq += 1) as Seq, at: seq, records });
  yield commit({ type: "session.opened", version: 4, key: "test:1", origin: CHAT });
  for (let turn = 1; turn <= count; turn++) {
    const id = `m-${turn}`;
    const about = { turn: `t-${turn}` as TurnId } as const;
    const call = `c-${turn}` as CallId;
    const parts = [{ type: "text", text: `${turn} ${text}` }] as const;
    const origin = { key: id, origin: CHAT, attended: true } as const;
    const answer = { role: "assistant", at: turn, model: MODEL, usage: NO_USAGE } as const;
    const message = { role: "user", id, at: turn, from: { id: "ann", kind: "person" }, parts } as const;
    yield commit({ type: "message.received", ...origin, message });
    yield commit(
      { type: "turn.started", ...about, replyTo: CHAT, attended: true, message: id },
      {
        type: "model.requested",
        ...about,
        attempt: 1,
        model: MODEL,
        placed: [id],
        promptHash: "",
        estimated: 1,
        tools: true,
      },
    );
    const asked = [{ type: "tool-call", callId: call, name: "look", input: { n: turn } }] as const;
    yield commit({ type: "model.responded", ...about, message: { ...answer, parts: asked, finish: "tool-calls" } });
    yield commit({
      type: "tool.finished",
      ...about,
      message: { role: "tool", at: turn, callId: call, name: "look", status: "ok", parts },
      durationMs: 1,
      attempts: 1,
    });
    yield commit({ type: "model.responded", ...about, message: { ...answer, parts, finish: "stop" } });
    yield commit({ type: "turn.ended", ...about, reason: "done", text, durationMs: 1, usage: NO_USAGE });
    // As an agent does it: otherwise all of it would be in memory for good reason.
    if (turn % 20 === 0)
      yield commit({ type: "history.compacted", rows: 0, kept: [{ places: [60] }], usage: NO_USAGE, fallback: false });
  }
}

const ID = "test-1-7030916e" as SessionId; // as the store names this key
const at = (folder: Folder, end: string): string => folder.at(`sessions/${ID}${end}`);

function begin(folder: Folder) {
  const directory = folder.at("sessions");
  const clock = fakeClock();
  const journals = openJournalDirectory(directory);
  const audit = openAudit({ directory: folder.at("audit"), clock, redact: (text) => text });
  const transcripts = transcriptObserver({ directory, readCommits: journals.read, ...CUT });
  const sessions = openSessions({ journals, clock, observers: [audit, transcripts] });
  return {
    sessions,
    transcripts,
    [Symbol.asyncDispose]: async () => {
      await sessions[Symbol.asyncDispose]();
      await audit[Symbol.asyncDispose]();
    },
  };
}

async function home(folder: Folder): Promise<{ readonly commits: readonly Commit[]; readonly rows: string }> {
  const commits = [...turns(TURNS)];
  openJournalDirectory(folder.at("sessions"));
  writeFileSync(at(folder, ".journal"), encodeAll(commits));
  const [made] = await renderTranscripts(commits, CUT);
  return { commits, rows: made?.text ?? "" };
}

function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

test("SO2 it is opened in slices, to the state that all of its commits come to, and its transcript is whole", async () => {
  await using folder = await temporaryFolder();
  const { commits, rows } = await home(folder);
  await using process = begin(folder);
  const slices: number[] = [];
  let last = worked();
  let isOpen = false;
  const turn = (): void => {
    slices.push(worked() - last);
    last = worked();
    if (!isOpen) setImmediate(turn);
  };
  setImmediate(turn);
  const before = worked();
  const opening = process.sessions.find("test:1");
  // Others are written meanwhile, and what is due of them is.
  const other = await process.sessions.open("test:2", CHAT);
  for (let one = 0; one < 5; one++) {
    await other.commit({ type: "usage.counted", purpose: "test", model: MODEL, usage: NO_USAGE });
    await process.transcripts.flush();
  }
  const session = await opening;
  isOpen = true;
  expect(Math.max(...slices)).toBeLessThan((worked() - before) / 4);
  const state = commits.reduce(fold, emptyState(ID));
  expect(session?.state).toStrictEqual(state);
  await process.transcripts.flush();
  expect(readFileSync(at(folder, ".jsonl"), "utf8")).toBe(rows);
});

test("SO2 what is wrong with its end is found as ever: a torn line is cut, a damaged one refused, and no file is made of a part", async () => {
  await using folder = await temporaryFolder();
  const { commits } = await home(folder);
  const whole = readFileSync(at(folder, ".journal"));
  writeFileSync(at(folder, ".journal"), whole.subarray(0, -100));
  {
    await using process = begin(folder);
    expect((await process.sessions.find("test:1"))?.state.seq).toBe(commits.length - 1);
    expect(existsSync(`${at(folder, ".journal")}.torn-${whole.lastIndexOf(10, -2) + 1}`)).toBe(true);
  }
  const rows = readFileSync(at(folder, ".jsonl"), "utf8");
  const damaged = Buffer.from(whole);
  damaged[whole.length - 50] = 35;
  writeFileSync(at(folder, ".journal"), damaged);
  rmSync(at(folder, ".snapshot.cache"), { force: true });
  await using process = begin(folder);
  await expect(process.sessions.find("test:1")).rejects.toMatchObject({ code: "journal.damaged" });
  await process.transcripts.flush();
  expect(readFileSync(at(folder, ".jsonl"), "utf8")).toBe(rows);
  expect(readFileSync(at(folder, ".journal"))).toEqual(damaged);
});

test("SO2 it needs no memory for what is not in the context any more", { timeout: 60_000 }, async () => {
  await using folder = await temporaryFolder();
  await home(folder);
  // 20 MB of journal, which are 60 as objects.
  const child = spawn(process.execPath, ["--max-old-space-size=24", HEAP, folder.at("sessions")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: string[] = [];
  child.stdout.on("data", (part) => said.push(String(part)));
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(said.join("")).toBe(`${[...turns(TURNS)].length}\n`);
});
