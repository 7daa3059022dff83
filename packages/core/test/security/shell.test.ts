// The attack corpus against exec, in a scratch machine. A case counts where it does its harm without a sandbox.
import { beforeAll, expect, test } from "vitest";
import { readCases, type ShellCase } from "./shell-corpus.ts";
import { inScratchMachine, type RunnerLine } from "./scratch-machine.ts";

/** A user that no machine has, for the profile of those who do not run margay as root. */
const SOMEBODY = 60_979;
const PATIENCE = { timeout: 400_000 };

const runs: Record<string, readonly RunnerLine[]> = {};
const lines = (name: string): readonly RunnerLine[] => runs[name] ?? [];
const ran = (name: string): readonly RunnerLine[] => lines(name).filter(({ skipped }) => skipped === undefined);
const hurt = (name: string): readonly RunnerLine[] => ran(name).filter(({ fired }) => (fired ?? []).length > 0);

beforeAll(async () => {
  const wanted: readonly (readonly [name: string, args: readonly string[], user?: number])[] = [
    ["control", ["control"]],
    ["confined", ["confined"]],
    ["benign", ["benign"]],
    ["as a user", ["confined"], SOMEBODY],
    ["benign as a user", ["benign"], SOMEBODY],
  ];
  // Two machines at a time: they count nothing of each other, but all need the processor.
  const queue = [...wanted];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      runs[next[0]] = await inScratchMachine(next[1], next[2]);
  };
  await Promise.all([work(), work()]);
  const skipped = new Map(
    Object.values(runs).flatMap((all) =>
      all.flatMap(({ id, skipped }) => (skipped === undefined ? [] : [[id, skipped] as const])),
    ),
  );
  for (const [id, why] of skipped) process.stdout.write(`not run: ${id}, ${why}\n`);
}, PATIENCE.timeout);

test("control: without a sandbox at least nine of ten attacks do their harm", () => {
  expect(lines("control")).toHaveLength(166);
  expect(hurt("control").length / ran("control").length).toBeGreaterThanOrEqual(0.9);
});

test("control: every kind of harm that is looked for is seen at least once", () => {
  const cases = [...readCases<ShellCase>("shell.jsonl"), ...readCases<ShellCase>("shell-own.jsonl")];
  const wasRun = new Set(ran("control").map(({ id }) => id));
  const kinds = cases.filter(({ id }) => wasRun.has(id)).flatMap(({ canary }) => canary.map(({ type }) => type));
  const seen = new Set(hurt("control").flatMap(({ fired }) => fired ?? []));
  expect([...new Set(kinds)].filter((kind) => !seen.has(kind))).toEqual([]);
});

for (const name of ["confined", "as a user"])
  test(`R108 EX9 EX10 EX11 of all attacks in the sandbox (${name}) none does harm`, () => {
    expect(ran(name).length).toBeGreaterThanOrEqual(ran("control").length);
    expect(hurt(name)).toEqual([]);
  });

for (const name of ["benign", "benign as a user"])
  test(`R108 ordinary commands work in the sandbox (${name}): 59 of 59`, () => {
    expect(ran(name).filter(({ ok }) => ok !== true)).toEqual([]);
    expect(ran(name)).toHaveLength(59);
  });
