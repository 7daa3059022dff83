/** What margay itself writes to a workspace while confined programs run there: also known to the process after one that was killed. */
import fs from "node:fs";
import type { Millis } from "../../../contract/base.ts";
import { FILE_MODE, readIfExists, replaceFile } from "../../files/files.ts";
import { isInside } from "../../files/paths.ts";
import { TICK_MS } from "../leases.ts";

export interface OwnWrites {
  /** Before it is written. @param path absolute. */
  add(path: string, at: Millis): void;
  /** Whether something that was changed then was ours; a folder that was made for it counts too. */
  made(path: string, changedAt: Millis): boolean;
  /** No program runs any more that could be taken for it. */
  clear(): void;
}

interface Write {
  readonly path: string;
  readonly at: Millis;
}

/** So long after it was announced it may still be on its way: a disk may be busy. Who changes it later is somebody else. */
const WRITING_MS = 5_000;

const MAX_WRITES = 10_000;

/** @param file Of the state directory. */
export function openOwnWrites(file: string): OwnWrites {
  let writes: Write[] | undefined;
  /** In the file, with those that are forgotten. */
  let lines = 0;
  const known = (): Write[] => {
    if (writes !== undefined) return writes;
    const found = read(file);
    lines = found.length;
    return (writes = found.slice(-MAX_WRITES));
  };
  return {
    add: (path, at) => {
      if (known().push({ path, at }) > MAX_WRITES) known().shift();
      fs.appendFileSync(file, lineOf({ path, at }), { mode: FILE_MODE });
      lines += 1;
      if (lines <= 2 * MAX_WRITES) return;
      // A program that runs for weeks.
      replaceFile(file, known().map(lineOf).join(""));
      lines = known().length;
    },
    made: (path, changedAt) =>
      known().some(
        (write) => isInside(path, write.path) && changedAt >= write.at - TICK_MS && changedAt <= write.at + WRITING_MS,
      ),
    clear: () => {
      if (known().length === 0) return;
      writes = [];
      lines = 0;
      fs.rmSync(file, { force: true });
    },
  };
}

function lineOf(write: Write): string {
  return `\n${JSON.stringify(write)}`;
}

function read(file: string): Write[] {
  return (readIfExists(file)?.toString("utf8") ?? "").split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Write]; // written above
    } catch {
      return []; // empty, or torn by a crash before anything was written
    }
  });
}
