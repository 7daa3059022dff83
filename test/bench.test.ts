// The kit itself, small: every measure gets figures from margay's bundle and from the floor. How good they are is not asked.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const MEASURES = ["cold", "turns", "concurrency", "tokens"];

test("each measure of the benchmark kit runs through margay and the floor", { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const built = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, encoding: "utf8" });
  expect(built.status, built.stderr).toBe(0);
  const out = join(folder, "rows.jsonl");
  const small = ["--reps", "1", "--quiet", "0", "--chunks", "100", "--sessions", "2"];
  const { status, stderr } = spawnSync(
    process.execPath,
    ["bench/run.mjs", "--only", "margay,floor-http", "--measures", MEASURES.join(","), "--out", out, ...small],
    { cwd: root, encoding: "utf8", timeout: 280_000, env: { ...process.env, NODE_OPTIONS: "" } },
  );
  expect(status, stderr).toBe(0);
  const rows = readFileSync(out, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { peer: string; measure: string; error?: string; values?: object });
  expect(rows.filter(({ error, values }) => error !== undefined || values === undefined)).toEqual([]);
  expect(rows.map(({ peer, measure }) => `${measure} ${peer}`).toSorted()).toEqual(
    MEASURES.flatMap((measure) => [`${measure} floor-http`, `${measure} margay`]).toSorted(),
  );
});
