// Each bound of the labels, at n and at one more.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCommandLabels } from "../../src/labels/command-labels.ts";
import { openFileLabels, type FileLabels } from "../../src/labels/file-labels.ts";
import { openFilePrints } from "../../src/labels/file-prints.ts";
import type { FoundChange } from "../../src/labels/new-entries.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { labelBench, PAGE, STRANGE } from "./bench.ts";

function folder(): string {
  const path = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "margay-label-bounds-")));
  onTestFinished(() => fs.rmSync(path, { recursive: true }));
  return path;
}

/** What is known after a labelled command made these; a path that ends with a slash is a directory. */
async function made(...paths: readonly string[]): Promise<FileLabels> {
  const labels = openFileLabels(folder());
  const commands = createCommandLabels({ workspace: folder(), clock: systemClock(), labels });
  const changes = paths.map((path): FoundChange => ({
    path: path.replace(/\/$/, ""),
    before: { kind: "absent" },
    after: path.endsWith("/") ? { kind: "directory" } : { kind: "file", size: 1 },
  }));
  await commands.settle(
    changes,
    { readers: [], causes: ["read p.md"], excluded: [], alone: true },
    { pause: () => undefined },
  );
  return labels;
}

const numbered = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

test("new-entries/MAX_NAME_CHARS, new-entries/MAX_NAME_WORDS: a name of 48 letters or five words names, a longer one says something", async () => {
  for (const [name, isLoud] of [
    ["x".repeat(48), false],
    ["x".repeat(49), true],
    ["pay the bill by nine", false],
    ["pay the bill by nine please", true],
  ] as const)
    expect((await made(name)).byNames(".")).toBe(isLoud);
});

test("new-entries/MAX_NAMES: eight new names in a directory name, nine together say something", async () => {
  expect((await made(...numbered(8, "d/f"))).byNames("d")).toBe(false);
  expect((await made(...numbered(9, "d/f"))).byNames("d")).toBe(true);
});

test("new-entries/MAX_IN_TREE: 500 files of a new directory are a line each, one more and it is a line for all of it", async () => {
  const [some, more] = [await made("t/", ...numbered(500, "t/f")), await made("t/", ...numbered(501, "t/f"))];
  expect([some.trees(), some.paths().length]).toEqual([[], 500]);
  expect([more.trees(), more.paths().length]).toEqual([["t"], 0]);
});

test("causes/MAX_CAUSES: three causes are named in a result, a fourth is not", async () => {
  const bench = labelBench();
  for (const name of ["a", "b", "c", "d"])
    await bench.call("write_file", { path: name, content: PAGE + name }, STRANGE);
  expect((await bench.exec("cat a b c")).causes).toEqual(["read a", "read b", "read c"]);
  expect((await bench.exec("cat a b c d")).causes).toHaveLength(3);
});

/** A text of its own in so many bytes, most of them no letters: they take no time. */
function textOf(number: number, bytes: number): Buffer {
  const words = Array.from({ length: 8 }, (_, at) => `${(number + 1) * 7_654_321 * (at + 3)} and then `);
  return Buffer.concat([Buffer.from(words.join("")), Buffer.alloc(bytes, " ")], bytes);
}

test("prints/MAX_PRINTED_BYTES: a text of 1 MiB is known again, one that is a byte longer is not", () => {
  for (const [bytes, isKnown] of [
    [1024 * 1024, true],
    [1024 * 1024 + 1, false],
  ] as const) {
    const prints = openFilePrints(folder());
    prints.add("p.md", textOf(1, bytes));
    expect(prints.find(textOf(1, 500).toString())).toBe(isKnown ? "p.md" : undefined);
  }
});

test("file-prints/MAX_TEXT_BYTES: of 64 MiB of texts each is known again, of one more the first are not", () => {
  const prints = openFilePrints(folder());
  const bytes = 1024 * 1024;
  for (let n = 0; n < 64; n++) prints.add(`p${n}`, textOf(n, bytes));
  expect(prints.find(textOf(0, 500).toString())).toBe("p0");
  prints.add("p64", textOf(64, bytes));
  expect([0, 64].map((n) => prints.find(textOf(n, 500).toString()))).toEqual([undefined, "p64"]);
});
