// A process killed at every file it writes: afterwards an undo gives back what was there, or says which file it leaves alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COMPILED } from "../../src/testing/compiled.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { undoBench } from "./support.ts";

const HOST = fileURLToPath(new URL("killed-host.ts", import.meta.url));

/** Runs the turn in a process that kills itself at its n-th change of a file. @returns false when it came to its end. */
async function killedAt(count: number, directory: string, workspace: string, what: string): Promise<boolean> {
  const argv = ["--conditions=margay-source", HOST, directory, workspace, what, String(count), syncedIn(directory)];
  const child = spawn(process.execPath, argv, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...COMPILED },
  });
  const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return signal === "SIGKILL";
}

test.each([
  ["write", 2],
  ["command", 3],
  ["undo", 3],
])(
  "S4 kill -9 in the middle of a %s, at every %i. step: undo restores, or says what it leaves alone",
  async (what, stride) => {
    let killed = true;
    for (let count = 1; killed; count += stride) {
      expect(count).toBeLessThan(90);
      const bench = undoBench();
      bench.put("a.txt", "old a");
      bench.put("d/b.txt", "old b");
      if (what === "undo") await bench.exec("s-1/t-1", "echo new > a.txt; rm -r d; echo c > c.txt");
      killed = await killedAt(count, bench.directory, bench.workspace, what);
      bench.restart();
      const torn = bench.tree();
      for (const path of ["a.txt", "d/b.txt"].filter((one) => torn[one] !== undefined))
        expect(["old a", "old b", "new a", "new\n"].map((text) => sha256(text))).toContain(
          torn[path]?.split(" ").at(-1),
        );
      const left = await bench.undoTurn("s-1/t-1", "undo-after");
      const unknown = left["s-1/t-1"] === "undefined"; // killed before anything was written down
      const tree = bench.tree();
      const wrong = [
        ["a.txt", "old a"],
        ["d/b.txt", "old b"],
      ].filter(([path = "", text = ""]) => {
        const isNamed = left[path] !== undefined || left["d"] !== undefined;
        return !isNamed && tree[path]?.split(" ").at(-1) !== sha256(text);
      });
      expect(wrong, `after a kill at ${count}`).toEqual([]);
      expect(unknown ? Object.keys(torn) : ["a.txt", "d", "d/b.txt"]).toEqual(["a.txt", "d", "d/b.txt"]);
      fs.rmSync(join(bench.workspace, ".."), { recursive: true, force: true });
    }
  },
);

const syncedIn = (directory: string): string => join(directory, "../synced.jsonl");

/** Every file and directory below it, as paths. */
const below = (directory: string): readonly string[] =>
  fs.existsSync(directory) ? fs.readdirSync(directory, { recursive: true, encoding: "utf8" }) : [];

/** A power cut at the worst time: of the contents only what was synced is left, of all else everything. */
function losePower(directory: string, before: readonly string[]): void {
  const files = new Set<number>();
  const names = new Map<number, readonly string[]>();
  for (const line of fs.readFileSync(syncedIn(directory), "utf8").trimEnd().split("\n")) {
    if (line === "") continue;
    const [ino, listed] = JSON.parse(line) as [number, string[]];
    files.add(ino);
    names.set(ino, listed);
  }
  const contents = below(directory).filter((path) => /^[0-9a-f]{2}(\/|$)/.test(path) && !before.includes(path));
  for (const path of contents.toSorted()) {
    const full = join(directory, path);
    const stats = fs.statSync(full, { throwIfNoEntry: false });
    if (stats === undefined) continue; // its directory is lost
    if (names.get(fs.statSync(join(full, "..")).ino)?.includes(basename(full)) !== true)
      fs.rmSync(full, { recursive: true });
    else if (stats.isFile() && !files.has(stats.ino)) fs.truncateSync(full, 0);
  }
}

interface Named {
  readonly path: string;
  readonly before: { readonly sha256?: string; readonly lost?: string };
}
type Looked = readonly [path: string, seen: { readonly kept: boolean; readonly state: { readonly sha256?: string } }];

/** Contents that lines on disk promise. */
function promised(directory: string): readonly string[] {
  const linesOf = (path: string): readonly unknown[] =>
    fs
      .readFileSync(join(directory, path), "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}") || line.endsWith("]"))
      .map((line) => JSON.parse(line) as unknown);
  const paths = below(directory).filter((path) => path.endsWith(".jsonl"));
  return paths.flatMap((path) =>
    linesOf(path).flatMap((line) => {
      if (Array.isArray(line)) {
        const [, seen] = line as unknown as Looked;
        return seen?.kept === true ? (seen.state.sha256 ?? []) : [];
      }
      const { before } = line as Partial<Named>;
      return before?.lost === undefined ? (before?.sha256 ?? []) : [];
    }),
  );
}

test.each([
  ["write", 2],
  ["command", 3],
  ["undo", 3],
])(
  "DF22 the power fails in the middle of a %s, at every %i. step: what a line on disk names is there, whole",
  async (what, stride) => {
    let killed = true;
    for (let count = 1; killed; count += stride) {
      expect(count).toBeLessThan(120);
      const bench = undoBench();
      bench.put("a.txt", "old a");
      bench.put("d/b.txt", "old b");
      if (what === "undo") await bench.exec("s-1/t-1", "echo new > a.txt; rm -r d; echo c > c.txt");
      const before = below(bench.directory);
      fs.mkdirSync(join(bench.directory, ".."), { recursive: true });
      fs.writeFileSync(syncedIn(bench.directory), "");
      const tree = bench.tree();
      killed = await killedAt(count, bench.directory, bench.workspace, what);
      losePower(bench.directory, before);
      const missing = promised(bench.directory).filter((hash) => {
        const path = join(bench.directory, hash.slice(0, 2), hash.slice(2));
        return !fs.existsSync(path) || sha256(fs.readFileSync(path)) !== hash;
      });
      expect(missing, `after a power cut at ${count}`).toEqual([]);
      bench.restart();
      const left = killed || (await bench.undoTurn(what === "undo" ? "s-1/undo-host" : "s-1/t-1", "undo-after"));
      expect(killed || [left, bench.tree()]).toEqual(killed || [{}, tree]);
      fs.rmSync(join(bench.workspace, ".."), { recursive: true, force: true });
    }
  },
);
