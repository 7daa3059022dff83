/** Which system a folder or file belongs to. */
import { existsSync, readdirSync, readSync, openSync, closeSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFile, isFolder } from "./folder.ts";
import type { ReadOptions, Source } from "./source.ts";

const SQLITE = "SQLite format 3\0"; // sqlite.org/fileformat.html, 1.3
/** Of OpenClaw, and of what it was called before. */
const CONFIGS = ["openclaw.json", "moltbot.json", "clawdbot.json"];
const WORKSPACE_FILES = ["AGENTS.md", "SOUL.md", "USER.md"];

/** @returns undefined when it is nothing we know. */
export async function readSource(path: string, options: ReadOptions): Promise<Source | undefined> {
  const database = databaseOf(path);
  if (database !== undefined) {
    const { readCountbot } = await import("./countbot/countbot.ts");
    return readCountbot(isFolder(path) ? path : dirname(path), database, { ...options, path });
  }
  if (!isFolder(path)) return undefined;
  const has = (name: string): boolean => existsSync(join(path, name));
  if (CONFIGS.some(has) || has("agents")) return (await import("./openclaw/openclaw.ts")).readOpenclaw(path, options);
  if (has("config.json") || has("workspace") || has("cron/jobs.json"))
    return (await import("./nanobot/nanobot.ts")).readNanobot(path, options);
  if (WORKSPACE_FILES.some(has)) return (await import("./openclaw/openclaw.ts")).readOpenclaw(path, options);
  return undefined;
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
