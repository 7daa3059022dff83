import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../src/platform/log.ts";
import { createSweep } from "../../src/platform/leftovers.ts";

async function workspace(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "margay-leftovers-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

test("FS10 only what was there at the start is swept: our own unfinished writes stay", async () => {
  const root = await workspace();
  const shelf = join(root, ".margay/tmp");
  await mkdir(shelf, { recursive: true });
  await writeFile(join(shelf, ".old.tmp"), "half");
  const sweep = createSweep(root, silentLog);
  await sweep();
  expect(await readdir(shelf)).toEqual([]);
  await writeFile(join(shelf, ".own.tmp"), "half");
  await sweep();
  expect(await readdir(shelf)).toEqual([".own.tmp"]);
});

test("FS10 a workspace that cannot be tidied is logged, one that is missing is not, and neither stops the start", async () => {
  const root = await workspace();
  await writeFile(join(root, "file"), "");
  const lines: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void lines.push(event) };
  await createSweep(join(root, "file"), log)();
  expect(lines).toEqual(["leftovers.kept"]);
  await createSweep(join(root, "missing"), log)();
  expect(lines).toEqual(["leftovers.kept"]);
});
