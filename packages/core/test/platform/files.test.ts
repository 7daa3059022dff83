import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

test("an append that cannot sync the directory of its new file gives the handle back", async () => {
  await using folder = await temporaryFolder();
  const program = fileURLToPath(new URL("files-program.ts", import.meta.url));
  const said = execFileSync(
    "sh",
    ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, program, folder.at("new.jsonl")],
    { encoding: "utf8" },
  );
  expect(said).toBe("EMFILE given back");
});
