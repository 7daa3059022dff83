// A process killed at every file it writes: afterwards an undo gives back what was there, or says which file it leaves alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/platform/hash.ts";
import { undoBench } from "./support.ts";

const HOST = fileURLToPath(new URL("killed-host.ts", import.meta.url));

/** Runs the turn in a process that kills itself at its n-th change of a file. @returns false when it came to its end. */
async function killedAt(count: number, directory: string, workspace: string, what: string): Promise<boolean> {
  const argv = ["--conditions=margay-source", HOST, directory, workspace, what, String(count)];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "ignore", "inherit"] });
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
