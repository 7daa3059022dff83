/** What was made of each journal, so that a start does not read them all again. Lost or old, it costs a reading. */
import { readFile, rename, writeFile } from "node:fs/promises";
import type { SessionId } from "../contract/base.ts";
import type { Cached, JournalCache } from "../contract/store.ts";
import { endOfTick, FILE_MODE, isMissing } from "../machine/files/files.ts";

/** Lines between two turns of the event loop. */
const LINES = 50;

/** @param version changes with the shape or the meaning of the values. */
export function openJournalCache<Value>(path: string, version: string): JournalCache<Value> {
  const first = JSON.stringify({ version });
  return {
    load: async () => {
      const known = new Map<SessionId, Cached<Value>>();
      let number = 0;
      for (const line of (await textOf(path)).split("\n")) {
        if (number === 0 && line !== first) return known;
        const entry = number === 0 ? undefined : entryOf<Value>(line);
        if (entry !== undefined) known.set(...entry);
        number += 1;
        if (number % LINES === 0) await endOfTick();
      }
      return known;
    },
    save: async (entries) => {
      let text = `${first}\n`;
      let number = 0;
      for (const [id, { stamp, value }] of entries) {
        text += `${JSON.stringify([id, stamp, value])}\n`;
        number += 1;
        if (number % LINES === 0) await endOfTick();
      }
      await writeFile(`${path}.tmp`, text, { mode: FILE_MODE });
      await rename(`${path}.tmp`, path); // old or new; after a power cut perhaps neither, and all is read again
    },
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

function entryOf<Value>(line: string): [SessionId, Cached<Value>] | undefined {
  try {
    const [id, stamp, value] = JSON.parse(line) as [SessionId, string, Value]; // our own file, of this version
    return [id, { stamp, value }];
  } catch {
    return undefined; // cut off, or the end of the file
  }
}
