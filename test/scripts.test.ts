// The scripts as a person or a machine sees them: what they print last, and how they end.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** A folder of programs to put before the real ones. */
function programs(scripts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { code: number | null; lines: readonly string[]; err: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { code: status, lines: stdout.trimEnd().split("\n"), err: stderr };
}

const TESTED = "echo '12 passed, 0 failed'";
const CHECKED = "echo 'checks: 5 passed, 0 failed'";
const GUARDED = "echo 'guards: 3 passed, 0 failed'";

test.for([
  ["all is well", TESTED, CHECKED, GUARDED, 0, "20 passed, 0 failed"],
  ["a test failed", "echo '11 passed, 1 failed'; exit 1", CHECKED, GUARDED, 1, "19 passed, 1 failed"],
  ["a check failed", TESTED, "echo 'checks: 4 passed, 1 failed'; exit 1", GUARDED, 1, "19 passed, 1 failed"],
  ["a guard is not missed", TESTED, CHECKED, "echo 'guards: 2 passed, 1 failed'; exit 1", 1, "19 passed, 1 failed"],
  ["a failure does not end its runner", "echo '11 passed, 1 failed'", CHECKED, GUARDED, 1, "19 passed, 1 failed"],
  ["a test was skipped", "echo '12 passed, 0 failed, 1 skipped'; exit 1", CHECKED, GUARDED, 1, "20 passed, 1 failed"],
  ["the build broke", "exit 1", CHECKED, GUARDED, 1, "8 passed, 1 failed"],
  ["no runner got far", "exit 1", "exit 1", "exit 1", 1, "0 passed, 3 failed"],
  ["a runner says nothing and calls it success", "exit 0", "exit 0", "exit 0", 1, "0 passed, 3 failed"],
] as const)(".ci/run adds up what the runners say: %s", ([, tests, checks, guards, code, last]) => {
  const npm = programs({
    npm: `case "$*" in test) ${tests} ;; "run check") ${checks} ;; "run ablation") ${guards} ;; esac`,
  });
  const result = run(join(root, ".ci/run"), [], { PATH: `${npm}:${process.env["PATH"] ?? ""}` });
  expect({ code: result.code, last: result.lines.at(-1) }).toEqual({ code, last });
});

test("npm test names the command to run when a program is missing and it may not install it", () => {
  const onlyNode = programs({ node: `exec ${process.execPath} "$@"`, "apt-get": "exit 1" });
  const asNobody = "process.getuid = () => 1000; await import(process.argv[1]);";
  const result = run(process.execPath, ["--input-type=module", "-e", asNobody, join(root, "scripts/test.mjs")], {
    PATH: onlyNode,
  });
  expect(result.code).toBe(1);
  expect(result.err).toMatch(/^bash is missing: /);
  expect(result.err).toMatch(/^openssl is missing: /m);
  expect(result.err).toMatch(
    /Run: sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends bash .*openssl.*'/,
  );
});

test("npm run rows refuses sections the contract does not have", () => {
  expect(run(process.execPath, ["scripts/rows.mjs", "--sections", "99"])).toMatchObject({
    code: 2,
    err: "--sections 99 names no section of the contract. Write numbers from 1 to 22, such as 1-6,8.\n",
  });
});

test("npm run rows counts a row as tested when a test names it", () => {
  const { lines } = run(process.execPath, ["scripts/rows.mjs", "--sections", "21"]);
  expect(lines[0]).toMatch(/^21\. Public TypeScript API/);
  expect(lines.find((line) => line.includes("without a test"))?.split(" ") ?? []).not.toContain("R307"); // docs.test.ts names it
});

test("npm run rows looks at every section and does not miss what later issues bring", () => {
  const { later } = JSON.parse(readFileSync(join(root, "docs/rows.json"), "utf8")) as {
    readonly later: Readonly<Record<string, string>>;
  }; // ours
  const { lines } = run(process.execPath, ["scripts/rows.mjs"]);
  expect(lines.find((line) => line.startsWith("7. "))).toMatch(/^7\. Memory and consolidation: \d+ of \d+$/);
  const missing = lines
    .filter((line) => line.includes("without a test"))
    .join(" ")
    .split(" ");
  expect(missing.filter((row) => row in later)).toEqual([]);
});

test("a broken environment is not taken for a test that misses its guard", () => {
  const args = ["scripts/ablation.mjs", "network: certificates are checked"]; // its test needs openssl
  expect(run(process.execPath, args, { PATH: "/nonexistent" })).toMatchObject({
    code: 1,
    lines: [
      "NOT MISSED  network: certificates are checked",
      expect.stringMatching(/^ {8}fails with every guard on: R113 /),
      "guards: 0 passed, 1 failed",
    ],
  });
});

test("every guard of the ablation is where it says, once, and as many as docs/security.md counts", async () => {
  const { GUARDS } = (await import(pathToFileURL(join(root, "scripts/lib/guards/index.mjs")).href)) as {
    readonly GUARDS: readonly { readonly id: string; readonly file: string; readonly find: string }[];
  };
  const found = GUARDS.map(({ id, file, find }) => [id, readFileSync(join(root, file), "utf8").split(find).length - 1]);
  expect(found.filter(([, times]) => times !== 1)).toEqual([]);
  expect(readFileSync(join(root, "docs/security.md"), "utf8")).toContain(`each of ${GUARDS.length} guards`);
});
