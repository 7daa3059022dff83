import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { runUntilCrash } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const program = fileURLToPath(new URL("./fixtures/many-sessions.ts", import.meta.url));
/** What a store keeps folded without being asked to. */
const CACHED = 64;

interface Measured {
  readonly peakMiB: number;
  readonly heldAfterVisit: readonly number[];
  readonly open: number;
  readonly sessions: number;
  readonly replies: number;
}

// Scaled from 500 sessions × 40 turns, which take 20 s and more: 150 × 12. What a session costs must not depend on how many there are.
test("R25 many sessions in turn: memory stays under 250 MiB, is not held per turn, and idle journals are closed", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.at("workspace"));
  const [sessions, turns, visit] = [150, 12, 4];
  const args = [
    "--expose-gc",
    program,
    folder.at("home"),
    folder.at("workspace"),
    ...[sessions, turns, visit].map(String),
  ];
  const ran = await runUntilCrash({ args });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const measured = JSON.parse(ran.stdout) as Measured; // what the program prints
  expect(measured).toMatchObject({ sessions, replies: sessions * turns });
  expect(measured.peakMiB).toBeLessThan(250);
  // Of each visit's 600 turns of a kibibyte, what the cached sessions hold may stay.
  const [first = 0] = measured.heldAfterVisit;
  expect((measured.heldAfterVisit.at(-1) ?? Number.POSITIVE_INFINITY) - first).toBeLessThan(4);
  expect(measured.open).toBeLessThan(CACHED + 40);
});
