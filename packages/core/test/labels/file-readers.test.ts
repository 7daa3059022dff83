// Who may read what stands in a file: by its path and its content, and in what a command made of it.
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Readers } from "../../src/contract/people.ts";
import { labelled } from "../../src/builtin/exec/causes.ts";
import { createCommandLabels } from "../../src/labels/command-labels.ts";
import { openFileReaders } from "../../src/labels/file-readers.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { STRANGE } from "./bench.ts";
import { type Given, type LiveBench, liveBench } from "./live.ts";
import { removeRoots, rootOn } from "./world.ts";

afterAll(removeRoots);

const EVAS: Readers = { to: ["bob", "eva"], by: "eva" };
const PAULS: Readers = { to: ["bob", "paul"], by: "paul" };

test("PE46 by path and by content, also in the next process; a change adds, a whole that is for everybody takes away from the path alone", async () => {
  await using folder = await temporaryFolder();
  const first = openFileReaders(folder.path);
  first.writing("a", "h1", [EVAS], "whole");
  first.writing("a", "h2", [PAULS], "part");
  first.writing("b/c", undefined, [PAULS], "whole"); // too short to be known by it
  for (const readers of [first, openFileReaders(folder.path)]) {
    expect(readers.of("a")).toEqual([EVAS, PAULS]);
    expect(readers.of("copy", "h1")).toEqual([EVAS]);
    expect(readers.of("copy", "h3")).toEqual([]);
    expect(readers.below("b")).toEqual([PAULS]);
    expect(readers.below("")).toEqual([EVAS, PAULS]);
  }
  first.writing("a", "h4", undefined, "whole");
  for (const readers of [first, openFileReaders(folder.path)]) {
    expect(readers.of("a", "h4")).toEqual([]);
    expect(readers.of("a", "h2")).toEqual([EVAS, PAULS]); // an undo gives it back
  }
});

test("PE46 a line that a crash cut is no line; what a person changed in one is for nobody; written anew it says the same", async () => {
  await using folder = await temporaryFolder();
  const file = folder.at("file-readers.jsonl");
  openFileReaders(folder.path).writing("a", "h1", [EVAS], "whole");
  appendFileSync(file, '{"path":"b","readers":7}\n{"path":"a"');
  const next = openFileReaders(folder.path);
  expect(next.of("a")).toEqual([EVAS]);
  expect(next.of("b")).toEqual([{ to: [], by: "owner" }]);
  for (let number = 0; number < 1500; number += 1) next.writing("c", undefined, [PAULS], "whole");
  expect(readFileSync(file, "utf8").split("\n").length).toBeLessThan(1200);
  for (const readers of [next, openFileReaders(folder.path)]) {
    expect(readers.of("c")).toEqual([PAULS]);
    expect(readers.of("x", "h1")).toEqual([EVAS]);
  }
});

test("PE46 what a command makes of such a file is for nobody else, and so is what it prints", async () => {
  const bench = liveBench({ on: rootOn("disk") });
  const at = (name: string): string => join(bench.workspace, name);
  await bench.page("gift.md", "the gift is a red kite, says Eva");
  bench.labels.writing("gift.md", readFileSync(at("gift.md")), { ...STRANGE, readers: [EVAS] }, "whole");
  await bench.start("first");
  await bench.ready("first");
  copyFileSync(at("gift.md"), at("copy.md"));
  writeFileSync(at("more.md"), `and more: ${readFileSync(at("gift.md"), "utf8")}`);
  expect(await bench.end("first")).not.toEqual([]);
  const commands = createCommandLabels({ ...bench, clock: systemClock() });
  for (const causes of [
    ["read gift.md"],
    ["names in .", "network example.org"],
    ["what it read could not be followed"],
  ])
    expect(labelled("a red kite", { command: "cat gift.md" }, { causes, files: 0 }, commands), causes[0]).toMatchObject(
      causes.includes("names in .") ? { integrity: "untrusted" } : { readers: [EVAS] },
    );
  for (const name of ["copy.md", "more.md"]) expect(bench.labels.readers?.of(name), name).toEqual([EVAS]);
});

test.for([
  ["gift.md", "plan.md"],
  ["notes", "plans"],
] as const)(
  "PE46 what a command only gave another name, %s, is for nobody else there, nor after a change",
  async ([from, to]) => {
    const bench = liveBench({ on: rootOn("disk") });
    const at = (name: string): string => join(bench.workspace, name);
    const fileIn = (name: string): string => (name.endsWith(".md") ? name : `${name}/gift.md`);
    mkdirSync(at("notes"));
    await bench.page(fileIn(from), "the gift is a red kite, says Eva");
    bench.labels.writing(fileIn(from), readFileSync(at(fileIn(from))), { ...STRANGE, readers: [EVAS] }, "whole");
    await bench.start("first");
    await bench.ready("first");
    renameSync(at(from), at(to));
    await bench.end("first");
    await bench.start("second");
    await bench.ready("second");
    writeFileSync(at(fileIn(to)), readFileSync(at(fileIn(to)), "utf8").replace("red", "blue"));
    await bench.end("second");
    expect(bench.labels.readers?.of(fileIn(to))).toEqual([EVAS]);
  },
);

test("PE46 what a command writes of its own text is for who may read what that was made of, also after a crash, and after /trust", async () => {
  const first = liveBench({ on: rootOn("disk") });
  const writes = async (bench: LiveBench, name: string, given: Given, between = (): void => {}) => {
    await bench.start(name, given);
    await bench.ready(name);
    writeFileSync(join(bench.workspace, `${name}.md`), `${name}: the gift is a red kite`);
    between();
    await bench.end(name);
    return bench.labels.readers?.of(`${name}.md`) ?? [];
  };
  // A page that was read is no text of anybody's.
  for (const name of ["page", "told", "page-again"])
    expect(await writes(first, name, { untrusted: true, ...(name === "told" && { readers: [EVAS] }) }), name).toEqual(
      name === "told" ? [EVAS] : [],
    );
  // Also where no copies are kept, and nothing is a stranger's.
  const bare = liveBench({ on: rootOn("disk"), maxBytes: 0 });
  expect(await writes(bare, "trusted", { readers: [PAULS] })).toEqual([PAULS]);
  const other = liveBench({ on: rootOn("disk") });
  expect(await writes(other, "killed", { untrusted: true, readers: [EVAS] }, other.restart)).toEqual([EVAS]);
});
