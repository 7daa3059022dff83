import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { runUntilCrash } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const program = fileURLToPath(new URL("./fixtures/append-lines.ts", import.meta.url));

for (const [when, lines, tail] of [
  ["before", 2, ""],
  ["torn", 2, "half"],
  ["after", 3, ""],
] as const)
  test(`a program is killed ${when} its third commit, and continues after it`, async () => {
    await using folder = await temporaryFolder();
    const journal = folder.at("a.journal");
    const crashed = await runUntilCrash({ args: [program, journal], at: { commit: 3, when } });
    expect(crashed).toMatchObject({ code: null, signal: "SIGKILL", stdout: "1\n2\n" });
    const stored = (await readFile(journal, "utf8")).split("\n");
    expect(stored).toHaveLength(lines + 1);
    expect(stored.at(-1) === "" ? "" : "half").toBe(tail);
    const finished = await runUntilCrash({ args: [program, journal] });
    expect(finished).toMatchObject({ code: 0, signal: null, stdout: lines === 2 ? "3\n4\n5\n" : "4\n5\n" });
  });

test("a crash point that is never reached changes nothing", async () => {
  await using folder = await temporaryFolder();
  const journal = folder.at("a.journal");
  const run = await runUntilCrash({ args: [program, journal], at: { commit: 1, when: "before", file: "other" } });
  expect(run).toMatchObject({ code: 0, signal: null, stdout: "1\n2\n3\n4\n5\n" });
});
