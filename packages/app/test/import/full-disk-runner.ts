// Imports on a disk that is full after so many bytes, then on one that takes so many files. A line in JSON for each attempt.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/features.ts";
import { runCli } from "../../src/host/cli/run-cli.ts";
import { compose } from "../../src/compose/compose.ts";
import { SURFACE } from "../../src/compose/surface.ts";
import { nanobotToday } from "./real-nanobot.ts";

const [disk = "", place = ""] = process.argv.slice(2);
const PAGE = 4096;
const ENV = { NANOBOT_TEST_KEY: "sk-ant-test-0123456789abcdef" };

mkdirSync(place, { recursive: true });
const source = nanobotToday(place);
const before = join(place, "before");
// A home that is used already: everything that an import changes is there, and must be there afterwards.
await margay(before, "config", "set", "agent.maxIterations", "30");
await margay(before, "cron", "add", "--message", "water", "--every", "1h", "--to", "cli:direct");
await margay(before, "agent", "-m", "hello");
mkdirSync(join(before, "workspace/memory"), { recursive: true });
writeFileSync(join(before, "workspace/memory/MEMORY.md"), "- Mine.\n");
writeFileSync(join(before, "workspace/memory/HISTORY.md"), "[2026-01-01 00:00] Mine.\n");
const wanted = contentOf(before);

await attempts("bytes", PAGE, (home, free) => {
  const { bavail, bsize } = statfsSync(disk);
  if (bavail * bsize > free) writeFileSync(join(disk, "ballast"), Buffer.alloc(bavail * bsize - free));
  return home;
});
await attempts("files", 1, (home, free) => {
  const { files, ffree } = statfsSync(disk);
  limitFiles(files - ffree + free);
  return home;
});

/** Its source is named: else mount repeats the options of before, and a number of the outer user namespace is none in this one. */
function limitFiles(count: number): void {
  execFileSync("mount", ["-o", `remount,nr_inodes=${String(count)}`, "tmpfs", disk]);
}

/** With ever more room, until it is enough. */
async function attempts(what: string, step: number, limit: (home: string, free: number) => string): Promise<void> {
  for (let free = 0; ; free += step) {
    limitFiles(100_000);
    for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
    const home = join(disk, "home");
    cpSync(before, home, { recursive: true });
    limit(home, free);
    const { code, err } = await margay(home, "import", source);
    const same = JSON.stringify(contentOf(home)) === JSON.stringify(wanted);
    process.stdout.write(`${JSON.stringify({ what, free, code, same, err })}\n`);
    if (code === 0) return;
  }
}

async function margay(
  home: string,
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly err: string }> {
  let err = "";
  const code = await runCli({
    argv: [...argv],
    commands: COMMANDS,
    terminal: {
      input: nothing(),
      inputIsTerminal: false,
      piped: "no",
      leaveInput: () => {},
      interactive: false,
      outputIsTerminal: false,
      color: false,
      columns: 100,
      out: () => {},
      err: (text) => {
        err += text;
      },
      ask: () => Promise.resolve(undefined),
    },
    environment: { env: { MARGAY_HOME: home, ...ENV }, userHome: place, currentDirectory: place },
    compose,
    surface: () => Promise.resolve(SURFACE),
    writeLog: () => {},
    version: () => "1.2.3",
    signal: new AbortController().signal,
  });
  return { code, err };
}

// oxlint-disable-next-line require-await -- nobody types
async function* nothing(): AsyncGenerator<string> {}

function contentOf(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((path) => {
      const file = join(home, path);
      if (!lstatSync(file).isFile()) return `${path}/`;
      return `${path} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
    });
}
