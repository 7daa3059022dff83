import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { replaceByCopy, replaceFile } from "../../src/machine/files/files.ts";
import { safeFiles } from "../../src/machine/files/safe-files.ts";
import { temporaryFolder } from "../support/folder.ts";

test("an append whose new file has a directory that cannot be synced is not durable, and gives the handle back", async () => {
  await using folder = await temporaryFolder();
  const program = fileURLToPath(new URL("files-program.ts", import.meta.url));
  const said = execFileSync(
    "sh",
    ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, program, folder.at("new.jsonl")],
    { encoding: "utf8" },
  );
  expect(said).toBe("EMFILE given back");
});

test("FS10 a replacement or a copy that does not get its name leaves nothing beside it", async () => {
  await using folder = await temporaryFolder();
  const path = folder.at("file");
  await writeFile(path, "content");
  const tooLong = folder.at("x".repeat(256));
  expect(() => replaceFile(tooLong, "other")).toThrow(expect.objectContaining({ code: "ENAMETOOLONG" }));
  expect(() => replaceByCopy(path, tooLong)).toThrow(expect.objectContaining({ code: "ENAMETOOLONG" }));
  expect(await readdir(folder.path)).toEqual(["file"]);
});

test.runIf(process.platform === "linux")(
  "FS10 a file in a part of the workspace that is another file system is replaced as any other",
  async () => {
    await using folder = await temporaryFolder();
    await mkdir(folder.at("mounted"));
    const files = new URL("../../src/machine/files/safe-files.ts", import.meta.url).href;
    const program = `const { safeFiles } = await import("${files}");
      const { readdirSync, readFileSync } = await import("node:fs");
      const { write } = safeFiles({ root: process.cwd(), restrict: true });
      for (const text of ["first", "second"]) await write("mounted/a.txt", Buffer.from(text));
      console.log(readFileSync("mounted/a.txt", "utf8"), readdirSync("mounted"), readdirSync(".margay/tmp"));`;
    const said = execFileSync(
      "bwrap",
      [
        ...["--dev-bind", "/", "/", "--tmpfs", folder.at("mounted"), "--chdir", folder.path],
        ...[process.execPath, "--input-type=module", "-e", program],
      ],
      { encoding: "utf8" },
    );
    expect(said).toBe("second [ 'a.txt' ] []\n");
  },
);

test("what is gone already can be removed", async () => {
  await using folder = await temporaryFolder();
  await safeFiles({ root: folder.path, restrict: true }).remove("gone.txt");
  expect(await readdir(folder.path)).toEqual([]);
});
