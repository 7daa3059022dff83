/**
 * A CountBot folder: one database, and beside it memory and skills, until 0.5 in the folder of the program itself, later in
 * `workspace/`. Its times of messages are UTC without saying so, those of its jobs are China's.
 */
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { countbotSettings } from "./countbot-config.ts";
import { isFile, isFolder, nameTheRest, readSkills, readWorkspace } from "../folder.ts";
import { listOf, objectOf, parseJson, textOf, valueAt } from "../json.ts";
import { readOrSkip } from "../read-or-skip.ts";
import { addSession, marked, MEDIA, picturesOf, type Pictures } from "../sessions.ts";
import { shown } from "../shown.ts";
import { emptySource, type Reason, type ReadOptions, type Source } from "../source.ts";
import { readJobs } from "./jobs.ts";
import { type Conversation, isChatName, keysOf } from "./session-keys.ts";
import { columnsOf, quoted, readDatabase, rowsOf, tablesOf } from "./sqlite.ts";
import { readFileSync } from "node:fs";

const CONVERSATIONS = ["sessions", "conversations", "chats"];
const MESSAGES = ["messages", "conversation_messages", "session_messages"];
const CALLS = ["tool_conversations"];
const OWNER = ["session_id", "conversation_id", "chat_id"];
const TIME = ["created_at", "timestamp", "time"];
const TEXT = ["content", "text", "message"];
const JOBS = ["cron_jobs", "jobs"];
const SETTINGS = ["settings"];
const MEMORY = { "memory/MEMORY.md": "MEMORY.md", "memory/HISTORY.md": "HISTORY.md" } as const;

export async function readCountbot(
  root: string,
  database: string,
  options: ReadOptions & { readonly path: string },
): Promise<Source> {
  const found = emptySource("countbot", root);
  let workspace = join(root, "workspace");
  await readDatabase(found, "session", database, (db) => {
    const configured = readTables(db, found, { file: shown(found, database), workspace }, options);
    if (configured !== undefined && isFolder(resolve(root, configured))) workspace = resolve(root, configured);
  });
  // The database alone was named: what lies around it is not meant.
  if (options.path === database) return found;
  for (const [path, to] of Object.entries(MEMORY)) {
    const file = join(root, path);
    const text = isFile(file) ? readOrSkip(found, "memory", file, () => readFileSync(file, "utf8")) : undefined;
    if (text !== undefined) found.memories.push({ from: shown(found, file), to, text });
  }
  readSkills(join(root, "skills"), found);
  if (isFolder(workspace)) readWorkspace(workspace, found, { memory: MEMORY, leave: LEFT });
  for (const folder of new Set([root, workspace])) if (isFolder(folder)) nameTheRest(found, folder, whyLeft);
  return found;
}

/** Of the workspace: what is no file of the person. */
const LEFT = ["temp", ".git", ".builtin_skills_seeded", ".ai_quick_reference_seeded", "memory/heartbeat_state.json"];

function whyLeft(path: string): Reason["key"] | undefined {
  if (/(?:^|\/)(?:logs|audit_logs|temp)(?:\/|$)/.test(path)) return "import.why.view";
  if (/_seeded$|heartbeat_state\.json$/.test(path)) return "import.why.marker";
  if (/^(?:backend|frontend|resources|docs|scripts|tests|\.git|\.github|\.idea)\/$/.test(path))
    return "import.why.program";
  if (
    /^(?:start_[a-z]+\.py|requirements.*\.txt|README.*|LICENSE|Dockerfile|CONTRIBUTING\.md|\.flake8|\.gitignore)$/.test(
      path,
    )
  )
    return "import.why.program";
  return undefined;
}

interface Tables {
  /** The database as it is shown. */
  readonly file: string;
  readonly workspace: string;
}

/** @returns the workspace it names. */
function readTables(
  db: DatabaseSync,
  found: Source,
  { file, workspace }: Tables,
  options: ReadOptions,
): string | undefined {
  const tables = tablesOf(db);
  const known = new Set<string>();
  const pick = (wanted: readonly string[]): string | undefined => {
    const table = wanted.find((name) => tables.includes(name));
    if (table !== undefined) known.add(table);
    return table;
  };
  const messages = pick(MESSAGES);
  const place = { file, workspace, conversations: pick(CONVERSATIONS), calls: pick(CALLS) };
  const [jobs, settings] = [pick(JOBS), pick(SETTINGS)];
  const config = settings === undefined ? {} : settingsIn(db, settings);
  countbotSettings(found, file, config, options);
  if (messages !== undefined) readMessages(db, found, { ...place, messages });
  if (jobs !== undefined) readJobs(db, found, `${file} ${jobs}`, jobs);
  for (const table of tables.filter((name) => !known.has(name))) {
    const [{ rows = 0 } = {}] = rowsOf(db, `SELECT count(*) AS rows FROM ${quoted(table)}`);
    const values = { columns: columnsOf(db, table).join(", "), rows: Number(rows) };
    found.skipped.push({ area: "other", from: `${file} ${table}`, reason: { key: "import.why.table", values } });
  }
  return textOf(valueAt(config, ["workspace", "path"]));
}

/** `config.model.provider` → a value in JSON. */
function settingsIn(db: DatabaseSync, table: string): JsonObject {
  const config: Record<string, Json> = {};
  for (const { key, value } of rowsOf(db, `SELECT * FROM ${quoted(table)} ORDER BY key`)) {
    const names = String(key)
      .replace(/^config\./, "")
      .split(".");
    let at = config;
    for (const name of names.slice(0, -1)) {
      if (!isRecord(at[name])) at[name] = {};
      at = at[name] as Record<string, Json>; // made just before
    }
    at[names.at(-1) ?? ""] = parseJson(String(value)) ?? null;
  }
  return config;
}

interface Place extends Tables {
  readonly messages: string;
  readonly conversations: string | undefined;
  readonly calls: string | undefined;
}

function readMessages(db: DatabaseSync, found: Source, place: Place): void {
  const columns = columnsOf(db, place.messages);
  const from = `${place.file} ${place.messages}`;
  const [owner, time, text] = [OWNER, TIME, TEXT].map((wanted) => wanted.find((name) => columns.includes(name)));
  if (owner === undefined || text === undefined || !columns.includes("role")) {
    const values = { columns: columns.join(", "), rows: 0 };
    found.skipped.push({ area: "session", from, reason: { key: "import.why.table", values } });
    return;
  }
  const order = [...(time === undefined ? [] : [time]), ...(columns.includes("id") ? ["id"] : ["rowid"])];
  const rows = rowsOf(db, `SELECT * FROM ${quoted(place.messages)} ORDER BY ${order.map(quoted).join(", ")}`);
  const conversations = conversationsIn(db, place.conversations);
  const calls = callsIn(db, place.calls);
  const groups = Map.groupBy(rows, (row) => String(row[owner]));
  for (const [id, key] of keysOf(groups, conversations, time)) {
    const pictures = picturesOf(found);
    const { name, createdAt } = conversations.get(id) ?? {};
    const head = createdAt === undefined ? [] : [JSON.stringify({ created_at: createdAt })];
    const lines = (groups.get(id) ?? []).flatMap((row) => {
      const stamp = time === undefined ? null : stampOf(row[time]);
      const media = attachments(row["message_context"], pictures, [found.root, place.workspace]);
      const said = { role: row["role"] ?? null, content: marked(row[text], media), timestamp: stamp };
      return [
        ...callRows(calls.get(String(row["id"])) ?? [], stamp),
        JSON.stringify({ ...said, ...(media.length > 0 && { [MEDIA]: media }) }),
      ];
    });
    const title = name === undefined || isChatName(name) ? undefined : name;
    // Its times are UTC, whatever zone this machine is in.
    addSession(
      found,
      { from: `${from} ${id}`, key, title },
      [...head, ...lines].join("\n"),
      { timeZone: "UTC" },
      pictures,
    );
  }
}

function conversationsIn(db: DatabaseSync, table: string | undefined): ReadonlyMap<string, Conversation> {
  if (table === undefined || !columnsOf(db, table).includes("id")) return new Map();
  return new Map(
    rowsOf(db, `SELECT * FROM ${quoted(table)}`).map((row) => {
      const name = textOf(row["key"]) ?? textOf(row["name"]) ?? textOf(row["title"]);
      const createdAt = stampOf(row["created_at"]);
      return [String(row["id"]), { ...(name !== undefined && { name }), ...(createdAt !== null && { createdAt }) }];
    }),
  );
}

/** What tools did, by the message it was done for. */
function callsIn(db: DatabaseSync, table: string | undefined): ReadonlyMap<string, readonly JsonObject[]> {
  if (table === undefined) return new Map();
  return Map.groupBy(rowsOf(db, `SELECT * FROM ${quoted(table)} ORDER BY timestamp`), (row) =>
    String(row["message_id"]),
  );
}

function callRows(calls: readonly JsonObject[], timestamp: string | null): readonly string[] {
  if (calls.length === 0) return [];
  const asked = calls.map((call) => {
    const body = { name: call["tool_name"] ?? "tool", arguments: String(call["arguments"] ?? "{}") };
    return { id: String(call["id"]), type: "function", function: body };
  });
  const answered = calls.map((call) => ({
    role: "tool",
    tool_call_id: String(call["id"]),
    name: call["tool_name"] ?? "tool",
    content: textOf(call["result"]) ?? textOf(call["error"]) ?? "",
    timestamp,
  }));
  return [{ role: "assistant", content: "", tool_calls: asked, timestamp }, ...answered].map((row) =>
    JSON.stringify(row),
  );
}

/** Files that came with a message; their paths are the program's or the workspace's. */
function attachments(context: Json | undefined, pictures: Pictures, roots: readonly string[]): readonly Json[] {
  const { attachment_items: items, attachments: paths } = objectOf(parseJson(String(context ?? "")));
  const named = [...listOf(items).map((item) => objectOf(item)["path"]), ...listOf(paths)].flatMap(
    (path) => textOf(path) ?? [],
  );
  return [...new Set(named)].flatMap((path) => {
    const below = /(?:^|\/)workspace\/(.+)$/.exec(path)?.[1] ?? path;
    const places = roots.flatMap((root) => [resolve(root, path), join(root, below), join(root, "workspace", below)]);
    const place = places.find((each) => roots.some((root) => each.startsWith(`${root}/`)) && isFile(each));
    return (place === undefined ? undefined : pictures.ofFile(place)) ?? [];
  });
}

/** SQLite writes `2026-01-01 10:00:00`; a number is in seconds or milliseconds. */
function stampOf(value: Json | undefined): string | null {
  if (typeof value === "string") return value.replace(" ", "T");
  if (typeof value !== "number") return null;
  return new Date(value < 1e11 ? value * 1000 : value).toISOString();
}
