/** A CountBot database: conversations, messages and jobs by the names of their columns; what is not understood is named. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { messageOf, type Json, type JsonObject } from "@margay/core";
import { addSession, isFolder, readWorkspace } from "./folder.ts";
import { emptySource, type ReadOptions, type Source } from "./source.ts";

const CONVERSATIONS = ["conversations", "sessions", "chats"];
const MESSAGES = ["messages", "conversation_messages", "session_messages"];
const OWNER = ["conversation_id", "session_id", "chat_id"];
const TIME = ["created_at", "timestamp", "time"];
const TEXT = ["content", "text", "message"];
const JOBS = ["cron_jobs", "jobs"];

export async function readCountbot(root: string, database: string, options: ReadOptions): Promise<Source> {
  const found = emptySource("countbot", root);
  const { DatabaseSync: Database } = await import("node:sqlite");
  // Opening a database in WAL mode writes beside it, so a copy is opened.
  const copies = mkdtempSync(join(tmpdir(), "margay-import-"));
  try {
    const copy = join(copies, "source.db");
    copyFileSync(database, copy);
    if (existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${copy}-wal`);
    const db = new Database(copy);
    try {
      readTables(db, found, basename(database), options);
    } finally {
      db.close();
    }
  } catch (error) {
    const reason = { key: "import.why.unreadable", values: { why: messageOf(error) } } as const;
    found.skipped.push({ area: "session", from: basename(database), reason });
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
  const workspace = join(root, "workspace");
  const memory = { "memory/MEMORY.md": "MEMORY.md", "memory/HISTORY.md": "HISTORY.md" } as const;
  if (isFolder(workspace)) readWorkspace(workspace, found, { memory, leave: [] });
  return found;
}

function readTables(db: DatabaseSync, found: Source, file: string, options: ReadOptions): void {
  const names = rowsOf(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const tables = names.map((row) => String(row["name"])).toSorted();
  const known = new Set<string>();
  const pick = (wanted: readonly string[]): string | undefined => {
    const table = wanted.find((name) => tables.includes(name));
    if (table !== undefined) known.add(table);
    return table;
  };
  const messages = pick(MESSAGES);
  const conversations = pick(CONVERSATIONS);
  const jobs = pick(JOBS);
  if (messages !== undefined) readMessages(db, found, { file, messages, conversations }, options);
  if (jobs !== undefined) readJobs(db, found, `${file} ${jobs}`, jobs);
  for (const table of tables.filter((name) => !known.has(name))) {
    const values = { columns: columnsOf(db, table).join(", ") };
    found.skipped.push({ area: "session", from: `${file} ${table}`, reason: { key: "import.why.table", values } });
  }
}

interface Place {
  readonly file: string;
  readonly messages: string;
  readonly conversations: string | undefined;
}

function readMessages(db: DatabaseSync, found: Source, place: Place, options: ReadOptions): void {
  const columns = columnsOf(db, place.messages);
  const from = `${place.file} ${place.messages}`;
  const [owner, time, text] = [OWNER, TIME, TEXT].map((wanted) => wanted.find((name) => columns.includes(name)));
  if (owner === undefined || text === undefined || !columns.includes("role")) {
    const values = { columns: columns.join(", ") };
    found.skipped.push({ area: "session", from, reason: { key: "import.why.table", values } });
    return;
  }
  const order = [...(time === undefined ? [] : [time]), ...(columns.includes("id") ? ["id"] : ["rowid"])];
  const rows = rowsOf(db, `SELECT * FROM ${quoted(place.messages)} ORDER BY ${order.map(quoted).join(", ")}`);
  const names = titles(db, place.conversations);
  for (const [id, group] of Map.groupBy(rows, (row) => String(row[owner]))) {
    const lines = group.map((row) =>
      JSON.stringify({
        role: row["role"] ?? null,
        content: row[text] ?? "",
        timestamp: time === undefined ? null : stampOf(row[time]),
      }),
    );
    const title = names.get(id);
    // A name of the form channel:chat is the chat's own; others are only labels.
    const key = title !== undefined && /^[a-z]+:\S+$/.test(title) ? title : id.includes(":") ? id : `countbot:${id}`;
    addSession(found, { from: `${from} ${id}`, key }, lines.join("\n"), options);
  }
}

function titles(db: DatabaseSync, table: string | undefined): ReadonlyMap<string, string> {
  if (table === undefined) return new Map();
  const columns = columnsOf(db, table);
  const name = ["key", "name", "title"].find((column) => columns.includes(column));
  if (name === undefined || !columns.includes("id")) return new Map();
  const rows = rowsOf(db, `SELECT * FROM ${quoted(table)}`);
  return new Map(rows.map((row) => [String(row["id"]), String(row[name] ?? "")]));
}

function readJobs(db: DatabaseSync, found: Source, from: string, table: string): void {
  for (const row of rowsOf(db, `SELECT * FROM ${quoted(table)}`)) {
    const id = String(row["id"] ?? "");
    const text = (...names: readonly string[]): string | undefined =>
      names.map((name) => row[name]).find((value): value is string => typeof value === "string" && value !== "");
    const message = text("message", "task", "prompt");
    const expression = text("schedule", "cron_expr", "expression");
    const name = text("name");
    const tz = text("timezone", "tz");
    if (id === "" || message === undefined || expression === undefined) {
      const values = { why: Object.keys(row).join(", ") };
      found.skipped.push({ area: "job", from: `${from} ${id}`, reason: { key: "import.why.job", values } });
      continue;
    }
    const to = { channel: text("channel") ?? "cli", chat: text("chat_id", "to") ?? "direct" };
    found.jobs.push({
      from: `${from} ${id}`,
      request: {
        id: `countbot-${id}`,
        ...(name !== undefined && { name }),
        message,
        cron_expr: expression,
        ...(tz !== undefined && { tz }),
        ...(row["enabled"] === 0 && { enabled: false }),
        to,
      },
    });
  }
}

function columnsOf(db: DatabaseSync, table: string): readonly string[] {
  return rowsOf(db, `PRAGMA table_info(${quoted(table)})`).map((row) => String(row["name"]));
}

function rowsOf(db: DatabaseSync, sql: string): readonly JsonObject[] {
  return db.prepare(sql).all() as unknown as readonly JsonObject[]; // blobs apart, cells are JSON
}

/** SQLite writes `2026-01-01 10:00:00`; a number is in seconds or milliseconds. */
function stampOf(value: Json | undefined): string | null {
  if (typeof value === "string") return value.replace(" ", "T");
  if (typeof value !== "number") return null;
  return new Date(value < 1e11 ? value * 1000 : value).toISOString();
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
