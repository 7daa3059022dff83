// What `margay audit verify` compares the log with: all else that there is in the state directory.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Clock } from "@margay/core";
import { lockDirectory, systemClock } from "@margay/core/internal";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { auditOf } from "../../src/host/audit-log.ts";
import { margay, modelConfig, type Margay } from "./harness.ts";

interface Used extends Margay {
  /** A turn with one call, that many days after the first, in a conversation of its own. */
  readonly talk: (day: number) => Promise<void>;
  readonly verify: () => Promise<{ readonly code: number; readonly out: string }>;
}

const FIRST = Date.UTC(2025, 2, 1, 12);

async function used(): Promise<Used> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const cli = margay();
  cli.configure(modelConfig(model.url));
  let at = FIRST;
  const clock: Clock = { ...systemClock(), now: () => (at += 10) };
  return {
    ...cli,
    talk: async (day) => {
      at = Math.max(at, FIRST + day * 86_400_000);
      model.replies(callsTool("list_dir", { path: "." }), says("done"));
      const { code } = await cli.run(["agent", "-m", "look", "--session", `cli:day${day}`], { clock });
      expect(code).toBe(0);
    },
    verify: async () => await cli.run(["audit", "verify"]),
  };
}

/** @returns puts the log back to what it is now. */
function keep(home: string): () => void {
  const kept = join(home, "..", `kept-${readdirSync(join(home, "..")).length}`);
  cpSync(join(home, "audit"), kept, { recursive: true });
  return () => {
    rmSync(join(home, "audit"), { recursive: true, force: true });
    cpSync(kept, join(home, "audit"), { recursive: true });
  };
}

/** Deterministic random numbers (mulberry32), so that a deletion that was not found can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SEED = Number(process.env["MARGAY_AUDIT_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test(`SC48 1,000 random deletions of days, head, checkpoint, key and journals: 1,000 found (MARGAY_AUDIT_SEED=${SEED})`, async () => {
  const { home, talk } = await used();
  for (const day of [0, 1, 2, 5]) await talk(day);
  const audit = readdirSync(join(home, "audit")).map((name) => join("audit", name));
  expect(audit).toHaveLength(4 + 3);
  const journals = readdirSync(join(home, "sessions"))
    .filter((name) => name.endsWith(".journal"))
    .map((name) => join("sessions", name));
  const bytes = new Map([...audit, ...journals].map((path) => [path, readFileSync(join(home, path))]));
  const next = random(SEED);
  const missed: (readonly string[])[] = [];
  const found = async (): Promise<boolean> => !(await auditOf({ home }).verify()).ok;
  expect(await found()).toBe(false);
  for (let count = 0; count < 1_000; count++) {
    const share = next(); // sometimes one of them, sometimes nearly all
    const chosen = audit.filter(() => next() < share);
    const gone = chosen.length > 0 ? chosen : [audit[Math.floor(next() * audit.length)]!];
    const others = gone.length < audit.length && next() < 0.5 ? journals : [];
    for (const path of [...gone, ...others]) rmSync(join(home, path));
    if (!(await found())) missed.push(gone);
    for (const path of [...gone, ...others]) writeFileSync(join(home, path), bytes.get(path)!, { mode: 0o600 });
  }
  expect([SEED, missed]).toEqual([SEED, []]);
  expect(await found()).toBe(false);

  // All of them: a journal tells, or the marker does. With every journal and the marker nothing is left that could.
  for (const path of audit) rmSync(join(home, path));
  expect(await found()).toBe(true);
  const marker = readFileSync(join(home, "audit-begun"));
  rmSync(join(home, "audit-begun"));
  expect(await found()).toBe(true);
  for (const path of journals) rmSync(join(home, path));
  expect(await found()).toBe(false);
  writeFileSync(join(home, "audit-begun"), marker);
  expect(await found()).toBe(true);
}, 60_000);

test("SC48 a log that was removed before anybody said anything is missed, and stays so until it is renewed", async () => {
  const { home, run } = margay();
  await run(["stop", "--all"]);
  expect((await run(["audit", "verify"])).code).toBe(0);
  for (const name of readdirSync(join(home, "audit"))) rmSync(join(home, "audit", name));
  const { code, lines } = await run(["audit", "verify", "--json"]);
  expect({ code, report: lines[0] }).toMatchObject({ code: 1, report: { broken: { reason: "truncated" } } });
  await run(["resume", "--all"]);
  expect((await run(["audit", "verify"])).code).toBe(1);
  expect((await run(["audit", "renew"])).code).toBe(0);
  expect((await run(["audit", "verify"])).code).toBe(0);
});

test("SC48 where the marker was removed with the log, a conversation tells the next start", async () => {
  const { home, talk, verify } = await used();
  await talk(0);
  rmSync(join(home, "audit"), { recursive: true });
  rmSync(join(home, "audit-begun"));
  expect((await verify()).code).toBe(1);
  await talk(1);
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("a record is missing") as string });
});

test("SC48 a day file that is missing between two: truncated, exit code 1", async () => {
  const { home, talk, run } = await used();
  for (const day of [0, 1, 2]) await talk(day);
  rmSync(join(home, "audit", "2025-03-02.jsonl"));
  const { code, lines } = await run(["audit", "verify", "--json"]);
  expect({ code, report: lines[0] }).toMatchObject({
    code: 1,
    report: { entries: 2, broken: { reason: "truncated", file: "2025-03-03.jsonl", line: 1, n: 3 } },
  });
  expect((await run(["audit", "verify"])).out).toContain("or a day is gone (2025-03-03.jsonl, line 1)");
});

test("SC48 a log that was put back with its head: the conversation that went on is named, everywhere in the same words", async () => {
  const { home, talk, run, verify, configure } = await used();
  await talk(0);
  const putBack = keep(home);
  await talk(1);
  expect((await verify()).code).toBe(0);
  putBack();
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("the newest of cli:day1") as string });
  expect((await run(["audit", "verify", "--json"])).lines[0]).toMatchObject({
    ok: false,
    entries: 2,
    broken: { reason: "truncated", session: "cli:day1", file: "2025-03-01.jsonl", line: 3, n: 3 },
  });
  const doctorSays = async (): Promise<readonly unknown[]> => {
    const [report] = (await run(["doctor", "--json"])).lines;
    const { findings } = report as unknown as { findings: readonly { id: string; text: string; level: string }[] };
    return findings.filter(({ id }) => id === "audit").map(({ level, text }) => [level, text]);
  };
  expect(await doctorSays()).toEqual([["problem", (await verify()).out.trim()]]);
  configure({ language: "zh-CN" });
  expect((await verify()).out).toContain("cli:day1 的会话日志中有比审计日志末尾更新的内容");
  expect(await doctorSays()).toEqual([["problem", (await verify()).out.trim()]]);
  expect((await run(["audit", "renew"])).code).toBe(0);
  expect((await verify()).code).toBe(0);
});

test("SC48 an empty log in place of the own one is not taken for it", async () => {
  const { home, talk, verify } = await used();
  await talk(0);
  const other = margay();
  await auditOf({ home: other.home }).begin();
  rmSync(join(home, "audit"), { recursive: true });
  cpSync(join(other.home, "audit"), join(home, "audit"), { recursive: true });
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("YYYY-MM-DD.jsonl is gone") as string });
});

/** What a process leaves that was killed before its last lines were written: the lock of a dead one. */
function killed(home: string, putBack: () => void): void {
  putBack();
  writeFileSync(join(home, "lock"), JSON.stringify({ pid: 2 ** 22 + 1, started: "1", boot: "", id: "dead" }));
}

test("SC48 what a killed process had no time to write is no finding, not for renew either, and the next start writes it", async () => {
  const { home, talk, run, verify } = await used();
  await talk(0);
  const putBack = keep(home);
  await talk(1);
  killed(home, putBack);
  expect((await verify()).code).toBe(0);
  expect((await run(["audit", "renew", "--json"])).lines[0]).toEqual({ renewed: false });
  killed(home, putBack);
  await talk(1);
  expect((await verify()).code).toBe(0);
  const calls = (await run(["audit", "list", "--json"])).lines.filter(({ kind }) => kind === "call");
  expect(calls.map(({ sessionKey }) => sessionKey)).toEqual(["cli:day1", "cli:day1", "cli:day0"].toReversed());
});

test("SC48 what a running process is about to write is waited for", async () => {
  const { home, talk, verify } = await used();
  await talk(0);
  const before = keep(home);
  await talk(1);
  const after = join(home, "..", "after");
  cpSync(join(home, "audit"), after, { recursive: true });
  before();
  using _lock = lockDirectory(home);
  // As the process does it: the lines, and then what vouches for them, each at once.
  const writing = setTimeout(() => {
    for (const name of ["2025-03-02.jsonl", "checkpoint.json", "head.json"])
      renameSync(join(after, name), join(home, "audit", name));
  }, 300);
  onTestFinished(() => clearTimeout(writing));
  expect((await verify()).code).toBe(0);
});

test("SC48 no false alarm: a log that began after the conversations, one that was renewed, deleted conversations", async () => {
  const { home, talk, run, verify } = await used();
  await talk(0);
  await talk(1);
  // An older margay kept no log of these, and left no marker.
  rmSync(join(home, "audit"), { recursive: true });
  rmSync(join(home, "audit-begun"));
  {
    const clock = { now: () => FIRST + 2 * 86_400_000 };
    await using audit = auditOf({ home }, { clock, expected: () => false, begun: () => {} });
    audit.record("settings.changed", {});
  }
  expect((await verify()).code).toBe(0);
  await talk(3);
  expect((await verify()).code).toBe(0);
  expect(existsSync(join(home, "audit-begun"))).toBe(true);

  const putBack = keep(home);
  await talk(4);
  putBack();
  expect((await verify()).code).toBe(1);
  await run(["sessions", "delete", "cli:day4", "--yes"]);
  expect((await verify()).code).toBe(0);
  rmSync(join(home, "audit", "head.json"));
  expect((await run(["audit", "renew"])).code).toBe(0);
  expect((await verify()).code).toBe(0);
});

test("SC48 no false alarm: a restored backup, of now or of earlier, whatever times its files have", async () => {
  const { home, talk, verify } = await used();
  await talk(0);
  const backup = join(home, "..", "backup");
  cpSync(home, backup, { recursive: true });
  await talk(1);
  rmSync(home, { recursive: true });
  cpSync(backup, home, { recursive: true });
  expect((await verify()).code).toBe(0);
  for (const name of readdirSync(join(home, "sessions"))) utimesSync(join(home, "sessions", name), 0, 0);
  expect((await verify()).code).toBe(0);
  await talk(2);
  expect((await verify()).code).toBe(0);
});

test("SC48 no false alarm: a conversation that was imported is newer than all that is in the log", async () => {
  const { home, directory, talk, run, verify } = await used();
  await talk(0);
  const row = (role: string, content: string): string =>
    JSON.stringify({ role, content, timestamp: new Date(FIRST + 9 * 86_400_000).toISOString() });
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "other.jsonl");
  writeFileSync(file, `${[row("user", "hello"), row("assistant", "hi")].join("\n")}\n`);
  const imported = await run(["sessions", "import", file, "--key", "cli:imported"]);
  expect(imported.code).toBe(0);
  expect(readdirSync(join(home, "sessions")).some((name) => /imported.*\.journal$/.test(name))).toBe(true);
  expect((await verify()).code).toBe(0);
});
