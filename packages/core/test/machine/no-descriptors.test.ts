import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runUntilCrash } from "../../src/testing.ts";

test("R422 without descriptors for its pipes a command is an error of its caller, and nobody dies of it", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "margay-descriptors-"));
  t.onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const program = join(import.meta.dirname, "no-descriptors-runner.ts");
  const ran = await runUntilCrash({
    command: "/bin/sh",
    args: ["-c", 'ulimit -n 96; exec "$@"', "sh", process.execPath, "--conditions=margay-source", program, directory],
  });
  expect(ran).toMatchObject({ code: 0, signal: null, stderr: "" });
  const started = JSON.parse(ran.stdout) as readonly boolean[];
  expect([started[0], started.at(-1)]).toEqual([false, true]);
}, 120_000);
