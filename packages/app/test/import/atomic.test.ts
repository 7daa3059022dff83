// DF47, R425: an import happens as a whole or not at all, whatever ends it.
import { spawn } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { nanobot014 } from "./real-nanobot.ts";

interface Attempt {
  readonly what: "bytes" | "files";
  readonly free: number;
  readonly code: number;
  readonly same: boolean;
  readonly err: string;
}

/** On a disk of its own, seen by that process alone. */
async function onSmallDisk(): Promise<readonly Attempt[]> {
  const folder = mkdtempSync(join(tmpdir(), "margay-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runner = fileURLToPath(new URL("full-disk-runner.ts", import.meta.url));
  const script =
    'mkdir "$1/disk" && mount -t tmpfs -o size=4m tmpfs "$1/disk" && exec "$2" --conditions=margay-source "$3" "$1/disk" "$1/place"';
  const mapped = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const child = spawn("unshare", [...mapped, "--mount", "sh", "-c", script, "sh", folder, process.execPath, runner]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect({ code, err: err.slice(-2000) }).toMatchObject({ code: 0 });
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Attempt); // written by the runner
}

test(
  "DF47 R425 a disk that is full at any write, or takes no further file, leaves the home as it was",
  { timeout: 600_000 },
  async () => {
    const attempts = await onSmallDisk();
    for (const what of ["bytes", "files"]) {
      const own = attempts.filter((attempt) => attempt.what === what);
      const failed = own.filter(({ code }) => code !== 0);
      expect(failed.length).toBeGreaterThan(10);
      expect(failed.filter(({ same }) => !same)).toEqual([]);
      expect(failed.filter(({ err }) => err.includes("internal.bug") || err.trim() === "")).toEqual([]);
      expect(own.at(-1)).toMatchObject({ code: 0, same: false });
    }
  },
);

test(
  "DF47 R425 killed at any step of the placing, the next start finds the home as it was",
  { timeout: 600_000 },
  async () => {
    const app = margay();
    const source = nanobot014(app.directory);
    app.configure({ agent: { maxIterations: 30 } });
    mkdirSync(join(app.home, "workspace/memory"), { recursive: true });
    writeFileSync(join(app.home, "workspace/memory/HISTORY.md"), "[2026-01-01 00:00] Mine.\n");
    // What every start makes is there already, and what this command changes is not looked at.
    const start = ["cron", "add", "--message", "x", "--every", "1h", "--to", "cli:direct"];
    await app.run(start);
    const wanted = contentOf(app.home);
    let steps = 0;
    for (let step = 1; ; step++) {
      const home = join(app.directory, `home-${String(step)}`);
      cpSync(app.home, home, { recursive: true });
      const signal = await importAndDie(home, source, `${step % 2 === 0 ? "before" : "after"}:${String(step)}`);
      if (signal === null) break;
      steps += 1;
      // What takes the lock puts things right first: here a command that has nothing to do with the import.
      expect((await app.run(start, { env: { MARGAY_HOME: home } })).code).toBe(0);
      expect(contentOf(home)).toEqual(wanted);
    }
    expect(steps).toBeGreaterThan(5);
  },
);

async function importAndDie(home: string, source: string, at: string): Promise<NodeJS.Signals | null> {
  const [hook, program] = ["move-crash-hook.ts", "../../src/main.ts"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const child = spawn(
    process.execPath,
    ["--conditions=margay-source", "--import", hook ?? "", program ?? "", "import", source],
    {
      env: { ...process.env, MARGAY_HOME: home, MARGAY_MOVE_AT: at },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  return new Promise((resolve) => child.once("close", (_, signal) => resolve(signal)));
}

/** Without the jobs, the log of what happened, and the marks of a process that did not end well. */
function contentOf(home: string): ReadonlySet<string> {
  const paths = readdirSync(home, { recursive: true, encoding: "utf8" });
  return new Set(
    paths
      .filter((path) => !/^(?:cron|audit|lock|unclean-starts)/.test(path))
      .map((path) => {
        const file = join(home, path);
        return lstatSync(file).isFile() ? `${path} ${readFileSync(file, "base64")}` : `${path}/`;
      }),
  );
}
