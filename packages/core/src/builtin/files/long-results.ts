// Results that are too long for the prompt, kept in the workspace for read_file.
import type { CallId, Clock, Logger } from "../../contract/base.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { sha256 } from "../../machine/system/hash.ts";
import type { SafeFiles } from "../../machine/files/safe-files.ts";

export interface LongResults {
  /** @returns the path in the workspace; undefined when it could not be stored. Never throws. */
  store(callId: CallId, text: string): Promise<string | undefined>;
}

/** What lies there may be a stranger's: its label stayed with the call it came from. */
export const LONG_RESULTS = ".margay/results";
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const KEPT_BYTES = 200 * 1024 * 1024;

/** Call ids are unique in a session only, so a name also carries what is in the file; a rerun writes the same file. */
export function createLongResults(files: SafeFiles, clock: Clock, log: Logger): LongResults {
  return {
    store: async (callId, text) => {
      const path = `${LONG_RESULTS}/${callId}-${sha256(text).slice(0, 12)}.txt`;
      try {
        const bytes = Buffer.from(text, "utf8");
        await files.write(path, bytes, { own: true });
        await prune(files, clock.now(), KEPT_BYTES, path);
        return path;
      } catch (error) {
        log.warn("result.not-stored", { callId, error: messageOf(error) });
        return undefined;
      }
    },
  };
}

async function prune(files: SafeFiles, now: number, maxBytes: number, keep: string): Promise<void> {
  const found: { readonly path: string; readonly bytes: number; readonly at: number }[] = [];
  for await (const entry of files.list(LONG_RESULTS)) {
    if (entry.kind !== "file") continue;
    const path = `${LONG_RESULTS}/${entry.name}`;
    const stats = await statOf(files, path);
    if (stats !== undefined) found.push({ path, ...stats });
  }
  let total = 0;
  for (const { path, bytes, at } of found.toSorted((left, right) => right.at - left.at)) {
    total += bytes;
    if (path !== keep && (now - at > KEPT_MS || total > maxBytes)) await files.remove(path);
  }
}

async function statOf(
  files: SafeFiles,
  path: string,
): Promise<{ readonly bytes: number; readonly at: number } | undefined> {
  try {
    using file = await files.read(path);
    return { bytes: Number(file.stats.size), at: Number(file.stats.mtimeMs) };
  } catch {
    return undefined; // removed meanwhile, or not ours
  }
}
