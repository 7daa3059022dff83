// margay's own reading must neither count as a command's nor hide one: there is one way to open a file of the workspace.
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openFile, openUnseen } from "../../src/machine/files/open-file.ts";
import { labelBench, PAGE, STRANGE } from "./bench.ts";

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));
/** What works on the files of the workspace. */
const FOLDERS = ["builtin", "labels", "undo"];
const READS = /\b(?:openSync|readFileSync|createReadStream|copyFile|copyFileSync|cpSync|readFile)\(/;
/** Those that may read otherwise, and what they read. */
const MAY: Readonly<Record<string, string>> = {
  "labels/handled-files.ts": "a file of its own, to try whether access times are kept",
  "builtin/exec/scripts.ts": "by the descriptor that openUnseen gave",
  "builtin/files/search-tree.ts": "directories, and files by the descriptor that openUnseen gave",
  "undo/content-store.ts": "a copy that shares its blocks, before any file is armed",
  "undo/entry.ts": "nothing: the descriptor is for a change of mode",
  "undo/manifest.ts": "the state directory",
};

test("SC10 in the folders of the tools files are opened for reading by one function", () => {
  const found = FOLDERS.flatMap((folder) =>
    fs.readdirSync(join(SOURCES, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  ).filter((name) => name.endsWith(".ts") && READS.test(fs.readFileSync(join(SOURCES, name), "utf8")));
  expect(found.toSorted()).toEqual(Object.keys(MAY).toSorted());
});

test("SC10 what margay reads itself leaves no trace: its looks, its search, its file tools, what an approval is bound to", async () => {
  const bench = labelBench();
  await bench.exec("true");
  await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
  const path = join(bench.workspace, "p.md");
  const accessed = (): bigint => fs.statSync(path, { bigint: true }).atimeNs;
  fs.lutimesSync(path, 1, new Date(Number.NaN));
  const before = accessed();
  expect(before).toBe(1_000_000_000n);
  openFile(path)[Symbol.dispose]();
  fs.closeSync(openUnseen(path, fs.constants.O_RDONLY));
  await bench.call("read_file", { path: "p.md" });
  await bench.call("search_files", { pattern: "assistant" });
  expect(accessed()).toBe(before);
  expect(await bench.exec("date")).toMatchObject({ untrusted: false });
  expect(accessed()).toBe(before);
  expect(await bench.exec("cat p.md")).toMatchObject({ untrusted: true, causes: ["read p.md"] });
  expect(accessed()).not.toBe(before);
});
