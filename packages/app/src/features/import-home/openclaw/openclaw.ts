/**
 * An OpenClaw home, also of the time when it was called Clawdbot or Moltbot, or its workspace alone. Its settings are JSON5;
 * sessions and jobs stand in files until 2026.7, and in databases after it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { isFile, isFolder, nameTheRest, readSkills, readWorkspace, stem } from "../folder.ts";
import { objectOf, parseJson, textOf, valueAt } from "../json.ts";
import { addJob, nanobotJobs } from "../nanobot/nanobot-jobs.ts";
import { loginKeys, openclawSettings, parseJson5 } from "./openclaw-config.ts";
import { branchesOf, notesOf } from "./openclaw-session.ts";
import { readOrSkip } from "../read-or-skip.ts";
import { addSession, picturesOf } from "../sessions.ts";
import { shown } from "../shown.ts";
import { emptySource, type Reason, type ReadOptions, type Source } from "../source.ts";
import { columnsOf, readDatabase, rowsOf, tablesOf } from "../countbot/sqlite.ts";
import type { JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";

/** The newest name first. */
export const CONFIGS = ["openclaw.json", "moltbot.json", "clawdbot.json"];
const DAY = /^memory\/(\d{4}-\d{2}-\d{2})[^/]*\.md$/;
const MEMORY = {
  "MEMORY.md": "MEMORY.md",
  "memory.md": "MEMORY.md",
  "memory/MEMORY.md": "MEMORY.md",
  "memory/HISTORY.md": "HISTORY.md",
} as const;
/** Of the workspace: what is no file of the person. */
const LEFT = ["sessions", ".git", ".openclaw"];

export async function readOpenclaw(root: string, options: ReadOptions): Promise<Source> {
  const found = emptySource("openclaw", root);
  const isHome = CONFIGS.some((name) => existsSync(join(root, name))) || isFolder(join(root, "agents"));
  const config = isHome ? await readConfig(found, options) : {};
  const workspace = isHome ? workspaceOf(root, config, options) : root;
  if (isHome) {
    readSkills(join(root, "skills"), found);
    await readJobs(found);
    for (const agent of agentsOf(found)) await readAgent(found, agent, options);
  }
  readFiles(found, join(workspace, "sessions"), "main", options);
  if (isFolder(workspace)) {
    readWorkspace(workspace, found, { memory: MEMORY, leave: LEFT });
    takeDays(found);
  }
  for (const folder of new Set([root, workspace])) if (isFolder(folder)) nameTheRest(found, folder, whyLeft);
  return found;
}

function whyLeft(path: string): Reason["key"] | undefined {
  if (/^workspace-[^/]+\/$/.test(path)) return "import.why.otherAgent";
  if (/\.deleted\.[^/]*$/.test(path)) return "import.why.deleted";
  if (/\.(?:bak[^/]*|tmp|migrated[^/]*)$|\.last-good$|\.checkpoint\.[^/]*$/.test(path)) return "import.why.copy";
  if (
    /(?:^|\/)(?:credentials|identity|devices|nodes|oauth|secrets)(?:\/|\.json)|auth-profiles\.json$|\/auth\.json$/.test(
      path,
    )
  )
    return "import.why.login";
  if (
    /(?:^|\/)(?:logs|runs|trajectory|delivery-queue|canvas|browser|completions|tasks|subagents)\/|\.log$|\.trajectory/.test(
      path,
    )
  )
    return "import.why.view";
  if (/\.sqlite(?:-wal|-shm)?$/.test(path)) return "import.why.index";
  if (/(?:^|\/)\.git\/$/.test(path)) return "import.why.versions";
  if (/\.lock$|update-check\.json$|(?:^|\/)\.openclaw\/$/.test(path)) return "import.why.marker";
  if (/(?:^|\/)media\//.test(path)) return "import.why.media";
  return undefined;
}

/** The one it uses; of a home that was copied, the one beside the settings. */
function workspaceOf(root: string, config: JsonObject, { userHome }: ReadOptions): string {
  const configured =
    textOf(valueAt(config, ["agents", "defaults", "workspace"])) ??
    textOf(valueAt(config, ["agents", "workspace"])) ??
    textOf(valueAt(config, ["agent", "workspace"]));
  const place = configured === undefined ? undefined : resolve(root, configured.replace(/^~(?=\/|$)/, userHome));
  if (place !== undefined && isFolder(place)) return place;
  const copied = place === undefined ? undefined : join(root, place.split("/").at(-1) ?? "");
  return copied !== undefined && isFolder(copied) ? copied : join(root, "workspace");
}

function agentsOf({ root }: Source): readonly string[] {
  const agents = join(root, "agents");
  const names = isFolder(agents) ? readdirSync(agents).toSorted() : [];
  return [...names.filter((name) => name === "main"), ...names.filter((name) => name !== "main")];
}

async function readAgent(found: Source, agent: string, options: ReadOptions): Promise<void> {
  const folder = join(found.root, "agents", agent);
  const database = join(folder, "agent", "openclaw-agent.sqlite");
  if (isFile(database))
    await readDatabase(found, "session", database, (db) => {
      const tables = tablesOf(db);
      if (!tables.includes("transcript_events")) return;
      const [nodes, id] = tables.includes("session_nodes")
        ? ["session_nodes", "current_session_id"]
        : ["session_entries", "session_id"];
      const keys = new Map<string, Entry>();
      for (const row of tables.includes(nodes) ? rowsOf(db, `SELECT * FROM ${nodes}`) : [])
        keys.set(String(row[id]), entryOf(String(row["session_key"]), objectOf(parseJson(String(row["entry_json"])))));
      const events = rowsOf(db, "SELECT session_id, event_json FROM transcript_events ORDER BY session_id, seq");
      for (const [session, lines] of Map.groupBy(events, (row) => String(row["session_id"]))) {
        const text = lines.map((row) => String(row["event_json"])).join("\n");
        readTree(
          found,
          { from: `${shown(found, database)} ${session}`, agent, session },
          text,
          keys.get(session),
          options,
        );
      }
      const logins = tables.filter((name) => name.startsWith("auth_profile_store"));
      for (const table of logins)
        if (columnsOf(db, table).includes("store_json"))
          for (const row of rowsOf(db, `SELECT store_json FROM ${table}`))
            loginKeys(found, `${shown(found, database)} ${table}`, String(row["store_json"]), options);
    });
  readFiles(found, join(folder, "sessions"), agent, options);
  const logins = join(folder, "agent", "auth-profiles.json");
  const text = isFile(logins) ? readOrSkip(found, "config", logins, () => readFileSync(logins, "utf8")) : undefined;
  if (text !== undefined) loginKeys(found, shown(found, logins), text, options);
}

/** What the store says about a transcript. */
interface Entry {
  readonly key: string;
  readonly title?: string;
  /** The chat of the last message, where the key names none. */
  readonly chat?: string;
}

function entryOf(key: string, entry: JsonObject): Entry {
  const title = textOf(entry["label"]) ?? textOf(entry["displayName"]) ?? textOf(entry["subject"]);
  const [channel, to] = [textOf(entry["lastChannel"]), textOf(entry["lastTo"])];
  const chat = channel === undefined || to === undefined ? undefined : `${channel}:${to.replace(/^[a-z]+:/, "")}`;
  return { key, ...(title !== undefined && { title }), ...(chat !== undefined && { chat }) };
}

const TRANSCRIPT = /^(.+?)\.jsonl(?:\.(reset)\.[^/]*?)?(\.zst)?$/;

/** `sessions.json` says which transcript belongs to which key; archives of `/new` stand beside it. */
function readFiles(found: Source, folder: string, agent: string, options: ReadOptions): void {
  if (!isFolder(folder)) return;
  const store = join(folder, "sessions.json");
  const text = isFile(store) ? readOrSkip(found, "session", store, () => readFileSync(store, "utf8")) : undefined;
  const entries = new Map<string, Entry>();
  const parsed = text === undefined ? {} : parseJson(text);
  if (!isRecord(parsed)) {
    const reason = { key: "import.why.unreadable", values: { why: "JSON" } } as const;
    found.skipped.push({ area: "session", from: shown(found, store), reason });
  } else if (text !== undefined)
    found.skipped.push({ area: "other", from: shown(found, store), reason: { key: "import.why.names" } });
  for (const [key, value] of Object.entries(objectOf(parsed))) {
    const entry = objectOf(value);
    const file = textOf(entry["sessionFile"]);
    const id = textOf(entry["sessionId"]);
    if (file !== undefined) entries.set(stem(file, ".jsonl"), entryOf(key, entry));
    if (id !== undefined) entries.set(id, entryOf(key, entry));
  }
  const names = readOrSkip(found, "session", folder, () => readdirSync(folder)) ?? [];
  found.seen.delete(folder); // each of its files is looked at by itself
  for (const name of names.toSorted()) {
    const [, session, reset, packed] = TRANSCRIPT.exec(name) ?? [];
    const file = join(folder, name);
    if (session === undefined || !isFile(file)) continue;
    const read = readOrSkip(found, "session", file, () => {
      const bytes = readFileSync(file);
      return (packed === undefined ? bytes : zstdDecompressSync(bytes)).toString("utf8");
    });
    const place = { from: shown(found, file), agent, session: reset === undefined ? session : name };
    if (read !== undefined)
      readTree(found, place, read, reset === undefined ? entries.get(session) : undefined, options);
  }
}

interface Place {
  readonly from: string;
  readonly agent: string;
  readonly session: string;
}

function readTree(
  found: Source,
  { from, agent, session }: Place,
  text: string,
  entry: Entry | undefined,
  options: ReadOptions,
): void {
  const key = entry === undefined ? `openclaw:${session}` : keyOf(agent, entry);
  for (const { leaf, text: rows, pictures } of branchesOf(text, () => picturesOf(found))) {
    const place = leaf === undefined ? { from, key } : { from: `${from} ${leaf}`, key: `openclaw:${session}/${leaf}` };
    addSession(
      found,
      { ...place, title: entry?.title },
      rows,
      options,
      pictures,
      leaf === undefined ? notesOf(text) : [],
    );
  }
}

/** `agent:main:telegram:group:-100` → `telegram:-100`; of another agent, and of no chat, the key stays below `openclaw:`. */
function keyOf(agent: string, { key, chat }: Entry): string {
  const [, own, rest = key] = /^agent:([^:]+):(.+)$/.exec(key) ?? [];
  const [, channel, peer] = /^([a-z]+):(?:dm|direct|group|channel|room):(.+)$/.exec(rest) ?? [];
  if ((own ?? agent) !== "main") return `openclaw:${own ?? agent}:${rest}`;
  if (channel !== undefined && peer !== undefined) return `${channel}:${peer}`;
  return rest === "main" && chat !== undefined ? chat : `openclaw:${rest}`;
}

async function readJobs(found: Source): Promise<void> {
  const file = join(found.root, "cron", "jobs.json");
  const text = isFile(file) ? readOrSkip(found, "job", file, () => readFileSync(file, "utf8")) : undefined;
  if (text !== undefined) nanobotJobs(found, shown(found, file), text);
  const database = join(found.root, "state", "openclaw.sqlite");
  if (!isFile(database)) return;
  await readDatabase(found, "job", database, (db) => {
    if (!tablesOf(db).includes("cron_jobs")) return;
    for (const row of rowsOf(db, "SELECT * FROM cron_jobs ORDER BY sort_order, job_id")) {
      const id = String(row["job_id"]);
      const job = objectOf(parseJson(String(row["job_json"])));
      addJob(found, `${shown(found, database)} cron_jobs ${id}`, { ...job, enabled: row["enabled"] !== 0 }, id);
    }
  });
}

/** A note of a day becomes history: each of its paragraphs with the date, so that it is found like our own. */
function takeDays(found: Source): void {
  for (const file of found.files.splice(0)) {
    const day = DAY.exec(file.to)?.[1];
    if (day === undefined) {
      found.files.push(file);
      continue;
    }
    const text = readOrSkip(found, "memory", file.file, () => readFileSync(file.file, "utf8"));
    if (text === undefined) continue;
    const paragraphs = text.split(/\n\s*\n/);
    const entries = paragraphs.filter((each) => each.trim() !== "").map((each) => `[${day} 00:00] ${each.trim()}`);
    found.memories.push({ from: file.from, to: "HISTORY.md", text: entries.join("\n\n") });
  }
}

async function readConfig(found: Source, options: ReadOptions): Promise<JsonObject> {
  const name = CONFIGS.find((each) => isFile(join(found.root, each)));
  if (name === undefined) return {};
  const file = join(found.root, name);
  const text = readOrSkip(found, "config", file, () => readFileSync(file, "utf8"));
  if (text === undefined) return {};
  const config = await parseJson5(text);
  if (typeof config === "string") {
    const reason = { key: "import.why.unreadable", values: { why: config } } as const;
    found.skipped.push({ area: "config", from: shown(found, file), reason });
    return {};
  }
  openclawSettings(found, name, config, options);
  return config;
}
