// What an entry of HISTORY.md may be: the bound at n, and at one more.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openMemory } from "../../src/memory/memory.ts";
import { temporaryFolder } from "../support/folder.ts";

const STAMP = "[1970-01-01 00:00] ";

/** HISTORY.md after each entry was logged twice, as after a crash. */
async function logged(...entries: readonly string[]): Promise<string> {
  await using folder = await temporaryFolder();
  const memory = openMemory({
    workspace: folder.path,
    versions: folder.at("versions"),
    timeZone: "UTC",
    redact: (text) => text,
  });
  for (const entry of [...entries, ...entries]) await memory.log(entry, 0);
  return readFileSync(folder.at("memory", "HISTORY.md"), "utf8");
}

test("memory/MAX_ENTRY_CHARS: 16,000 characters of an entry are kept, none of them by half, and written once", async () => {
  expect(await logged("e".repeat(16_000))).toBe(`${STAMP}${"e".repeat(16_000)}\n`);
  expect(await logged("e".repeat(16_001))).toBe(`${STAMP}${"e".repeat(16_000)}\n`);
  expect(await logged(`${"e".repeat(15_999)}🐾`)).toBe(`${STAMP}${"e".repeat(15_999)}\n`);
});

test("ME17 the last line that is left of a stranger's entry says that it has a source", async () => {
  const mark = " (source: untrusted content)";
  expect(await logged(`ok\n${"e".repeat(16_000)}${mark}`)).toBe(`${STAMP}ok\n${"e".repeat(16_000 - 3 - 28)}${mark}\n`);
  expect(await logged(`${"e".repeat(15_990 - 28)}${mark}\nshort${mark}`)).toBe(
    `${STAMP}${"e".repeat(15_990 - 28)}${mark}\n`,
  );
});
