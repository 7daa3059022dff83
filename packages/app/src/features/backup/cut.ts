/** One moment of a state directory: how long each file is that only grows, and the small ones that say where a log ends. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "@margay/core/internal";

export interface Cut {
  /** Length by path below the home, at a whole line or behind one that is being written. */
  readonly lengths: Readonly<Record<string, number>>;
  /** Content in base64 by path: replaced at any time. */
  readonly heads: Readonly<Record<string, string>>;
}

/** Neither journals nor logs lie there, and there may be many files. */
const ELSEWHERE = new Set(["workspace", "blobs", "undo", "quarantine", "plugins", "index", "control", "node_modules"]);
const GROWS = /\.(?:journal|jsonl)$/;
const HEAD = /(?:^|\/)audit\/[^/]+\.json$/;

/**
 * In one turn of the event loop: in the process that writes there, nothing is written meanwhile. What a process that is
 * killed at this moment would leave.
 */
export function cutOf(home: string): Cut {
  const lengths: Record<string, number> = {};
  const heads: Record<string, string> = {};
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(home, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!ELSEWHERE.has(entry.name)) walk(path);
      } else if (GROWS.test(path)) lengths[path] = statSync(join(home, path)).size;
      else if (HEAD.test(path)) heads[path] = readFileSync(join(home, path)).toString("base64");
    }
  };
  for (;;) {
    try {
      walk("");
      return { lengths, heads };
    } catch (error) {
      if (!isMissing(error)) throw error; // another process removed it meanwhile: looked at anew
    }
  }
}
