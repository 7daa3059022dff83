// The journal of the jobs does not grow with every run for ever: what is asked of it is the same after it was written anew.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Seq } from "../../src/contract/base.ts";
import type { Job, JobCommit, JobRecord } from "../../src/contract/schedule.ts";
import { encodeAll } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { silentLog } from "../../src/machine/system/log.ts";
import { runsOf } from "../../src/schedule/job-history.ts";
import { jobFiles, openJobStore, type JobStore } from "../../src/schedule/job-store.ts";
import { foldAll, foldJobs, MAX_RUNS_TOLD, shortened } from "../../src/schedule/jobs.ts";
import { runUntilCrash } from "../../src/testing.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";

const MINUTE = 60_000;

function jobOf(id: string, once = false): Job {
  return {
    ...{ id, message: "water", mode: "agent", to: { channel: "chat", chat: "42" }, misfire: "skip", createdAt: 0 },
    trigger: once ? { kind: "at", atMs: 5 * MINUTE, timeZone: "UTC" } : { kind: "every", everyMs: MINUTE, fromMs: 0 },
  };
}

function commitsOf(groups: readonly (readonly JobRecord[])[]): readonly JobCommit[] {
  return groups.map((records, index) => ({ seq: (index + 1) as Seq, at: index * MINUTE, records }));
}

/** `water` ran that often, `late` once in a hundred times of it, and one that came once. The last run goes on. */
function manyRuns(runs: number): readonly JobCommit[] {
  const groups: JobRecord[][] = [
    [{ type: "job.added", job: jobOf("late") }],
    [
      { type: "job.added", job: jobOf("water") },
      { type: "job.switched", id: "water", enabled: false },
    ],
    [{ type: "job.switched", id: "water", enabled: true }],
    [{ type: "job.added", job: jobOf("once", true) }],
  ];
  for (let run = 1; run <= runs; run++) {
    const due = run * MINUTE;
    for (const id of run === 5 ? ["once"] : run % 100 === 0 ? ["water", "late"] : ["water"]) {
      groups.push([{ type: "run.started", id, due, manual: run % 7 === 0 }]);
      const error = run % 3 === 0 ? { status: "error" as const, error: "no model" } : { status: "ok" as const };
      groups.push([{ type: "run.finished", id, due, durationMs: run, ...error }]);
    }
    if (run % 50 === 0)
      groups.push([{ type: "run.skipped", id: "water", first: due + 1, last: due + 2, reason: "missed" }]);
  }
  groups.push([{ type: "run.started", id: "water", due: (runs + 1) * MINUTE, manual: false }]);
  return commitsOf(groups);
}

function written(folder: Folder, commits: readonly JobCommit[]): string {
  mkdirSync(folder.at("cron"), { recursive: true });
  writeFileSync(folder.at("cron", "jobs.journal"), encodeAll(commits));
  return folder.at("cron", "jobs.journal");
}

function open(folder: Folder): Promise<JobStore> {
  return openJobStore({
    files: jobFiles(folder.at("cron")),
    clock: systemClock(),
    log: silentLog,
    nextAt: () => undefined,
    committed: () => {},
    broke: () => {},
  });
}

async function* each(commits: readonly JobCommit[]): AsyncIterable<JobCommit> {
  for (const commit of commits) yield await Promise.resolve(commit);
}

const entries = (jobs: ReturnType<typeof foldAll>): unknown => [...jobs];

test("jobs/MAX_RUNS_TOLD, jobs/MIN_LINES: of many runs the last 500 of each job are told, and the jobs are what they were", async () => {
  await using folder = await temporaryFolder();
  const commits = manyRuns(5000);
  const path = written(folder, commits);
  const before = readFileSync(path).length;
  const store = await open(folder);
  expect(entries(store.jobs)).toEqual(entries(foldAll(commits)));
  expect(store.jobs.get("water")).toMatchObject({ runs: 4999, running: { due: 5001 * MINUTE } });
  expect(readFileSync(path).length).toBeLessThan(before / 5);
  for (const id of ["water", "late", "once"])
    expect(await runsOf(id, store.history())).toEqual((await runsOf(id, each(commits))).slice(-MAX_RUNS_TOLD));
  // It goes on as before, and the next start has nothing to do.
  await store.commit({ type: "run.finished", id: "water", due: 5001 * MINUTE, status: "ok", durationMs: 1 });
  await store[Symbol.asyncDispose]();
  const bytes = readFileSync(path);
  const again = await open(folder);
  expect(again.jobs.get("water")).toMatchObject({ runs: 5000, last: { due: 5001 * MINUTE, status: "ok" } });
  await again[Symbol.asyncDispose]();
  expect(readFileSync(path)).toEqual(bytes);
  expect(shortened(manyRuns(450))).toBeUndefined();
});

test("R239 a process killed at any moment of writing it anew leaves the old jobs or the new ones, which are the same", async () => {
  await using folder = await temporaryFolder();
  const commits = manyRuns(2500);
  const path = written(folder, commits);
  const old = readFileSync(path);
  const program = fileURLToPath(new URL("./fixtures/opened-store.ts", import.meta.url));
  const run = (killAt: number): ReturnType<typeof runUntilCrash> =>
    runUntilCrash({ args: [program, folder.at("cron"), `${killAt}`] });
  const whole = await run(0);
  const calls = Number(whole.stdout);
  expect(whole).toMatchObject({ code: 0, stderr: "" });
  expect(calls).toBeGreaterThanOrEqual(5); // made, written, synced, closed, renamed
  const fresh = readFileSync(path);
  expect(fresh.length).toBeLessThan(old.length / 2);
  const left = new Set<string>();
  for (let killAt = 1; killAt <= calls; killAt++) {
    writeFileSync(path, old);
    expect(await run(killAt)).toMatchObject({ signal: "SIGKILL" });
    const found = readFileSync(path);
    left.add(found.equals(old) ? "old" : found.equals(fresh) ? "new" : "broken");
    const store = await open(folder);
    expect(entries(store.jobs)).toEqual(entries(foldAll(commits)));
    await store[Symbol.asyncDispose]();
    expect(readFileSync(path)).toEqual(fresh);
  }
  expect([...left].toSorted()).toEqual(["new", "old"]);
  expect(existsSync(path)).toBe(true);
});

const id = fc.constantFrom("a", "b", "c");
const due = fc.nat(100);
const record: fc.Arbitrary<JobRecord> = fc.oneof(
  fc.tuple(id, fc.boolean()).map(([name, once]): JobRecord => ({ type: "job.added", job: jobOf(name, once) })),
  id.map((name): JobRecord => ({ type: "job.changed", job: jobOf(name) })),
  id.map((name): JobRecord => ({ type: "job.removed", id: name })),
  fc.tuple(id, fc.boolean()).map(([name, enabled]): JobRecord => ({ type: "job.switched", id: name, enabled })),
  fc.tuple(id, due).map(([name, at]): JobRecord => ({ type: "run.started", id: name, due: at, manual: at % 2 === 0 })),
  fc
    .tuple(id, due)
    .map(([name, at]): JobRecord => ({ type: "run.finished", id: name, due: at, status: "error", durationMs: at })),
  fc
    .tuple(id, due)
    .map(([name, at]): JobRecord => ({ type: "run.skipped", id: name, first: at, last: at + 1, reason: "missed" })),
);

const ADDED = ["c", "a", "b"].map((name): readonly JobRecord[] => [
  { type: "job.added", job: jobOf(name, name === "c") },
]);

test("whatever happened to jobs, fewer commits say the same of them, and of what happens next", async () => {
  const groups = fc.array(fc.array(record, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 30 });
  const filler = (runs: number): JobRecord[][] => [
    ...Array.from({ length: runs }, (_, run): JobRecord[] => [
      { type: "run.finished", id: "a", due: run, status: "ok", durationMs: 1 },
    ]),
  ];
  await fc.assert(
    fc.asyncProperty(groups, groups, record, async (early, late, next) => {
      const commits = commitsOf([...ADDED, ...early, ...filler(1200), ...late]);
      const short = shortened(commits);
      if (short === undefined) throw new Error("it was not made shorter");
      expect(short.map(({ seq }) => seq)).toEqual(short.map((_, index) => index + 1));
      expect(entries(foldAll(short))).toEqual(entries(foldAll(commits)));
      const after = { seq: 0 as Seq, at: 5000 * MINUTE, records: [next] };
      expect(entries(foldJobs(foldAll(short), after))).toEqual(entries(foldJobs(foldAll(commits), after)));
      for (const name of ["a", "b", "c"])
        expect(await runsOf(name, each(short))).toEqual((await runsOf(name, each(commits))).slice(-MAX_RUNS_TOLD));
    }),
    { numRuns: 40, seed: 7 },
  );
});
