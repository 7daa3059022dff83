/** What was read aloud, by what was asked for: a process that dies before it is sent makes nothing twice. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@margay/core";
import { makeDirectory, readIfExists, replaceFile, sha256 } from "@margay/core/internal";

export interface KeptSound {
  find(asked: readonly string[]): Uint8Array | undefined;
  /** On disk when it returns. */
  keep(asked: readonly string[], sound: Uint8Array): void;
}

/** As long as the longest attempts at a reply, and a little more. */
const KEPT_MS = 7 * 86_400_000;

export function keptSound(folder: string, clock: Pick<Clock, "now">): KeptSound {
  const pathOf = (asked: readonly string[]): string => join(folder, `${sha256(JSON.stringify(asked))}.sound`);
  return {
    find: (asked) => readIfExists(pathOf(asked)),
    keep: (asked, sound) => {
      makeDirectory(folder);
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        const file = name.endsWith(".sound") ? statSync(path, { throwIfNoEntry: false }) : undefined;
        if (file !== undefined && clock.now() - file.mtimeMs > KEPT_MS) rmSync(path, { force: true });
      }
      replaceFile(pathOf(asked), sound);
    },
  };
}
