import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { safeFiles } from "../../src/machine/files/safe-files.ts";
import { fileBench } from "./file-support.ts";

/** Writes the same file over and over with other letters, telling each time before it starts. */
const WRITER = `
  const { safeFiles } = await import(process.argv[1]);
  const files = safeFiles({ root: process.argv[2], restrict: true });
  for (let turn = 0; ; turn += 1) {
    process.stdout.write("w");
    await files.write("f.txt", Buffer.alloc(4_000_000, "abc"[turn % 3]));
  }
`;

test("R98 FS10 a writer that is killed leaves the old or the new content, and the next start removes its leftovers", async () => {
  const { workspace } = await fileBench();
  const source = new URL("../../src/machine/files/safe-files.ts", import.meta.url).href;
  const files = safeFiles({ root: workspace, restrict: true });
  await files.write("f.txt", Buffer.alloc(4_000_000, "z"));
  for (let kill = 1; kill <= 3; kill += 1) {
    const writer = spawn(process.execPath, ["--input-type=module", "-e", WRITER, source, workspace], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for (let writes = 0; writes < kill; writes += 1) await once(writer.stdout, "data");
    writer.kill("SIGKILL");
    await once(writer, "exit");
    const text = await readFile(join(workspace, "f.txt"), "latin1");
    expect([text.length, new Set(text).size]).toEqual([4_000_000, 1]);
  }
  await files.cleanUp();
  expect(await readdir(join(workspace, ".margay/tmp"))).toEqual([]);
});
