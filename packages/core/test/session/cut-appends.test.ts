// What a disk that failed may have kept of an append is there once, whoever sends it again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournalDirectory } from "../../src/internal.ts";
import { temporaryFolder } from "../support/folder.ts";

const program = join(import.meta.dirname, "fixtures/cut-appends-runner.ts");
const KEYS = Array.from({ length: 10 }, (_, index) => `k-${index + 1}`);

async function run(...given: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, ["--conditions=margay-source", program, ...given], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

async function keysIn(directory: string): Promise<readonly string[]> {
  const journals = openJournalDirectory(directory);
  const keys: string[] = [];
  for (const id of await journals.list())
    for await (const { records } of journals.read(id))
      for (const record of records) if (record.type === "message.received") keys.push(record.key);
  return keys;
}

test.for(
  ["sync", "line"].flatMap((how) =>
    ["go on", "die"].flatMap((then) => [1, 2, 6].map((at) => [how, at, then] as const)),
  ),
)("SO5 a disk that fails at %s %i, and then we %s: each message is stored once", async ([how, at, then]) => {
  await using folder = await temporaryFolder();
  const directory = folder.at("sessions");
  expect(await run(directory, how, String(at), then)).toBe(then === "die" ? null : 0);
  expect(await run(directory)).toBe(0); // all of it is sent once more
  expect(await keysIn(directory)).toEqual(KEYS);
});
