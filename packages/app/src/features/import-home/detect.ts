/** Which system a folder or file belongs to. */
import { existsSync, readdirSync, readSync, openSync, closeSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFile, isFolder } from "./folder.ts";
import type { ReadOptions, Source, SourceKind } from "./source.ts";

const SQLITE = "SQLite format 3\0"; // sqlite.org/fileformat.html, 1.3
/** Of OpenClaw, and of what it was called before. */
const CONFIGS = ["openclaw.json", "moltbot.json", "clawdbot.json"];
const WORKSPACE_FILES = ["AGENTS.md", "SOUL.md", "USER.md"];

/** @returns undefined when it is nothing we know. */
export async function readSource(path: string, options: ReadOptions): Promise<Source | undefined> {
  switch (kindAt(path)) {
    case "countbot": {
      const { readCountbot } = await import("./countbot/countbot.ts");
      const root = isFolder(path) ? path : dirname(path);
      return readCountbot(root, databaseOf(path) ?? path, { ...options, path });
    }
    case "openclaw":
      return (await import("./openclaw/openclaw.ts")).readOpenclaw(path, options);
    case "nanobot":
      return (await import("./nanobot/nanobot.ts")).readNanobot(path, options);
    case undefined:
      return undefined;
  }
}

/** By what stands in it; nothing of it is read. @returns undefined when it is nothing we know. */
export function kindAt(path: string): SourceKind | undefined {
  if (databaseOf(path) !== undefined) return "countbot";
  if (!isFolder(path)) return undefined;
  const has = (name: string): boolean => existsSync(join(path, name));
  if (CONFIGS.some(has) || has("agents")) return "openclaw";
  if (has("config.json") || has("workspace") || has("cron/jobs.json")) return "nanobot";
  return WORKSPACE_FILES.some(has) ? "openclaw" : undefined;
}

/** The file itself, or the only database in the folder or in `data` below it. */
function databaseOf(path: string): string | undefined {
  if (isFile(path)) return isDatabase(path) ? path : undefined;
  for (const folder of [path, join(path, "data")]) {
    if (!isFolder(folder)) continue;
    const files = readdirSync(folder).map((name) => join(folder, name));
    const found = files.filter((file) => /\.(?:db|sqlite3?)$/.test(file) && isFile(file) && isDatabase(file));
    if (found.length === 1) return found[0];
  }
  return undefined;
}

function isDatabase(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const head = Buffer.alloc(SQLITE.length);
    readSync(descriptor, head);
    return head.toString("latin1") === SQLITE;
  } finally {
    closeSync(descriptor);
  }
}
