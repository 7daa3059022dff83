// How much is kept of what a program of somebody else prints: at n, and at one more.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runNpm } from "../../src/features/plugins/npm.ts";

test("npm/MAX_KEPT_CHARS: the last 20,000 characters of npm are looked at for its reason", async () => {
  const directory = mkdtempSync(join(tmpdir(), "margay-npm-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const said = join(directory, "said");
  writeFileSync(join(directory, "npm"), `#!/bin/sh\n/bin/cat ${said} >&2\nexit 1\n`, { mode: 0o755 });
  const reason = async (chars: number): Promise<string> => {
    writeFileSync(said, "npm error first\n".padEnd(chars - 1, "x\n").padEnd(chars, "\n"));
    const { signal } = new AbortController();
    const error: unknown = await runNpm([], { directory, env: { PATH: directory }, signal }).catch((e: unknown) => e);
    return String(error);
  };
  expect(await reason(20_000)).toContain("npm ended with 1: first.");
  expect(await reason(20_001)).toContain("npm ended with 1: it gave no reason.");
});
