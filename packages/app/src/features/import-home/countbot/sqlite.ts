// A database of another program: opened as a copy, because opening one in WAL mode writes beside it.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type JsonObject } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import { shown } from "../shown.ts";
import type { Area, Source } from "../source.ts";

/** What cannot be read is named. */
export async function readDatabase(
  found: Source,
  area: Area,
  path: string,
  read: (db: DatabaseSync) => void,
): Promise<void> {
  for (const end of ["", "-wal", "-shm"]) found.seen.add(path + end);
  const { DatabaseSync: Database } = await import("node:sqlite");
  const copies = mkdtempSync(join(tmpdir(), "margay-import-"));
  try {
    const copy = join(copies, "source.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const db = new Database(copy);
    try {
      read(db);
    } finally {
      db.close();
    }
  } catch (error) {
    const reason = { key: "import.why.unreadable", values: { why: messageOf(error) } } as const;
    found.skipped.push({ area, from: shown(found, path), reason });
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

export function rowsOf(db: DatabaseSync, sql: string): readonly JsonObject[] {
  return db.prepare(sql).all() as unknown as readonly JsonObject[]; // blobs apart, cells are JSON
}

export function tablesOf(db: DatabaseSync): readonly string[] {
  const names = rowsOf(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  return names.map((row) => String(row["name"])).toSorted();
}

export function columnsOf(db: DatabaseSync, table: string): readonly string[] {
  return rowsOf(db, `PRAGMA table_info(${quoted(table)})`).map((row) => String(row["name"]));
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
