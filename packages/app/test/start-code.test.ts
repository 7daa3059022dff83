// What a start runs: the built program, twice from one home, as V8 itself tells what it compiled.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { margay } from "./cli/harness.ts";

const PACKAGE = join(import.meta.dirname, "..");

interface Ran {
  readonly out: string;
  /** Functions of our chunks that V8 had to read and compile. */
  readonly compiled: number;
}

function ask(app: ReturnType<typeof margay>, input = ""): Ran {
  const log = join(app.directory, "functions.log");
  const flags = ["--log-function-events", "--no-logfile-per-isolate", `--logfile=${log}`];
  const out = execFileSync(process.execPath, [...flags, join(PACKAGE, "bin/margay.js"), "agent", "-m", "hello"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: app.directory, MARGAY_HOME: app.home, NO_COLOR: "1" },
    input,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const rows = readFileSync(log, "utf8")
    .split("\n")
    .map((line) => line.split(","));
  const ours = new Set(
    rows.flatMap(([kind, id = "", path = ""]) => (kind === "script-details" && path.endsWith(".cjs") ? [id] : [])),
  );
  return { out, compiled: rows.filter(([, event, id = ""]) => event === "full-parse" && ours.has(id)).length };
}

function cachesOf(app: ReturnType<typeof margay>): readonly string[] {
  const folder = join(app.directory, ".cache/margay/compile");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".cjs.agent"))
    .map((name) => join(folder, name));
}

test("what a start compiled is kept for the next one, and what cannot be used is compiled again", () => {
  const app = margay();
  const first = ask(app);
  expect(first.compiled).toBeGreaterThan(500);
  const kept = cachesOf(app);
  expect(kept.map((path) => statSync(path).mode & 0o777)).toEqual(kept.map(() => 0o600));

  // A conversation that is gone on with runs little that a new one did not.
  const second = ask(app);
  expect(second).toEqual({ out: first.out, compiled: expect.any(Number) as number });
  expect(second.compiled).toBeLessThan(first.compiled / 5);

  // What was cut or is somebody else's is refused by V8, and replaced.
  for (const path of kept) writeFileSync(path, "no code of V8");
  const third = ask(app);
  expect(third.out).toBe(first.out);
  expect(third.compiled).toBeGreaterThan(500);
  expect(ask(app).compiled).toBeLessThan(first.compiled / 5);
});

test("what a process compiled after its flags changed is kept for no start", () => {
  const app = margay();
  for (let i = 0; i < 2; i++) ask(app, "a".repeat(3_000_000));
  const sessions = join(app.home, "sessions");
  for (const path of cachesOf(app)) rmSync(path);
  for (const name of readdirSync(sessions)) if (name.endsWith(".cache")) rmSync(join(sessions, name));
  ask(app); // reads a long journal, with a heap that stays small
  expect(cachesOf(app)).toEqual([]);
  ask(app); // goes on from the snapshot
  expect(cachesOf(app)).not.toEqual([]);
});

test("one answer of a start loads no schema library", () => {
  const app = margay();
  ask(app);
  const scripts = cachesOf(app).map((path) => basename(path, ".agent"));
  expect(scripts.length).toBeGreaterThanOrEqual(5);
  for (const name of scripts) expect(readFileSync(join(PACKAGE, "dist", name), "utf8")).not.toContain("ZodError");
});
