// Homes as OpenClaw writes them, by the version whose code they follow.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { pixel, write } from "./tree.ts";

const SKILL = "---\nname: tea\ndescription: Makes tea when asked for it.\n---\n\nBoil water.\n";
export const MAIN = "0b1c0000-0000-4000-8000-000000000001";
const GROUP = "0b1c0000-0000-4000-8000-000000000002";
const OLD = "0b1c0000-0000-4000-8000-000000000003";

/**
 * 2026.1.27, still called Moltbot and in `~/.clawdbot` (clawdbot/clawdbot): `config/paths.ts`, `config/sessions/*.ts`,
 * `cron/types.ts`, `agents/auth-profiles/types.ts`; transcripts with ids and parents, by docs/reference/session-management.
 */
export function moltbot(directory: string): string {
  const home = join(directory, "dot-clawdbot");
  write(home, {
    "moltbot.json": `// written by a person
{
  agents: {
    defaults: {
      workspace: "${join(directory, "clawd")}", // not beside this file
      model: { primary: 'openrouter/anthropic/claude-opus-4-5', fallbacks: ["anthropic/claude-sonnet-4-5"] },
      userTimezone: "Europe/Brussels",
    },
  },
  channels: { telegram: { botToken: "123456:token-of-a-test", allowFrom: [42], }, },
  env: { OPENROUTER_API_KEY: "\${OPENCLAW_TEST_KEY}" },
}
`,
    "agents/main/sessions/sessions.json": {
      "agent:main:main": { sessionId: MAIN, updatedAt: 1_769_600_000_000, lastChannel: "telegram", lastTo: "42" },
      "agent:main:telegram:group:-100": { sessionId: GROUP, updatedAt: 1_769_600_000_000, subject: "Harbour" },
    },
    [`agents/main/sessions/${MAIN}.jsonl`]: tree(MAIN),
    [`agents/main/sessions/${GROUP}.jsonl`]: straight(GROUP, "who sails?", "Ada."),
    [`agents/main/sessions/${OLD}.jsonl.reset.2026-01-20T04-00-00.000Z`]: straight(OLD, "before the reset", "Yes."),
    [`agents/main/sessions/dead.jsonl.deleted.2026-01-20T04-00-00.000Z`]: straight("dead", "deleted", "Gone."),
    "agents/main/sessions/packed.jsonl.reset.2026-01-21T04-00-00.000Z.zst": new Uint8Array(
      zstdCompressSync(
        straight("packed", "packed away", "Found.")
          .map((line) => JSON.stringify(line))
          .join("\n"),
      ),
    ),
    "agents/main/agent/auth-profiles.json": {
      version: 1,
      profiles: {
        "anthropic:default": { type: "api_key", provider: "anthropic", key: "sk-ant-test-0123456789abcdef" },
        "openai-codex:default": { type: "oauth", provider: "openai-codex", access: "a", refresh: "b", expires: 1 },
      },
    },
    "cron/jobs.json": { version: 1, jobs: [CRON] },
    "credentials/whatsapp/default/creds.json": {},
    "memory/main.sqlite": "an index",
    "workspace-work/AGENTS.md": "Another agent.\n",
  });
  write(join(directory, "clawd"), {
    "AGENTS.md": "You live in a shell.\n",
    "HEARTBEAT.md": "# Keep this file empty to skip heartbeat\n",
    "MEMORY.md": "- Ada likes oolong.\n",
    "memory/2026-01-20.md": "Bought a kettle.\n",
    "skills/tea/SKILL.md": SKILL,
  });
  return home;
}

/**
 * 2026.9: `src/state/openclaw-agent-schema.sql` and `openclaw-state-schema.sql` of openclaw/openclaw; `event_json` is the line
 * that stood in the file before. The tables that matter here, with the columns that are read.
 */
export function openclawSeptember(directory: string): string {
  const home = join(directory, "dot-openclaw");
  write(home, {
    "openclaw.json": { agents: { defaults: { model: { primary: "anthropic/claude-opus-4-5" } } } },
    "workspace/AGENTS.md": "You live in a shell.\n",
    "state/.keep": "",
  });
  database(join(home, "agents/main/agent/openclaw-agent.sqlite"), (db) => {
    db.exec(`
      CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
        updated_at INTEGER NOT NULL, label TEXT) STRICT;
      CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
      CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL,
        created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq)) STRICT;
      CREATE TABLE auth_profile_store (store_key TEXT PRIMARY KEY, store_json TEXT NOT NULL) STRICT;
    `);
    db.prepare("INSERT INTO session_nodes VALUES (?, ?, ?, 1, NULL)").run(
      "agent:main:telegram:direct:42",
      MAIN,
      JSON.stringify({ sessionId: MAIN, displayName: "Ada" }),
    );
    const put = db.prepare("INSERT INTO transcript_events VALUES (?, ?, ?, 1)");
    tree(MAIN).forEach((event, seq) => put.run(MAIN, seq, JSON.stringify(event)));
    straight(OLD, "an earlier window", "Kept.").forEach((event, seq) => put.run(OLD, seq, JSON.stringify(event)));
    db.prepare("INSERT INTO auth_profile_store VALUES ('primary', ?)").run(
      JSON.stringify({
        profiles: {
          "anthropic:default": { type: "api_key", provider: "anthropic", key: "sk-ant-test-fedcba9876543210" },
        },
      }),
    );
  });
  database(join(home, "state/openclaw.sqlite"), (db) => {
    db.exec(`CREATE TABLE cron_jobs (store_key TEXT NOT NULL, job_id TEXT NOT NULL, name TEXT NOT NULL, enabled INTEGER NOT NULL,
      job_json TEXT NOT NULL, sort_order INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (store_key, job_id)) STRICT`);
    db.prepare("INSERT INTO cron_jobs VALUES ('main', 'j1', 'Report', 0, ?, 0)").run(JSON.stringify(CRON));
  });
  return home;
}

const CRON = {
  id: "j1",
  name: "Report",
  enabled: true,
  createdAtMs: 1,
  updatedAtMs: 1,
  schedule: { kind: "cron", expr: "0 7 * * *", tz: "Europe/Brussels" },
  sessionTarget: "isolated",
  wakeMode: "now",
  payload: { kind: "agentTurn", message: "write the report" },
  delivery: { mode: "announce", channel: "telegram", to: "42" },
  state: {},
};

function database(path: string, fill: (db: DatabaseSync) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA journal_mode = WAL");
    fill(db);
  } finally {
    db.close();
  }
}

function header(id: string): object {
  return { type: "session", version: 3, id, timestamp: "2026-01-27T08:00:00.000Z", cwd: "/" };
}

function message(id: string, parentId: string | null, role: string, content: unknown, more: object = {}): object {
  const timestamp = `2026-01-27T08:00:0${String(id.length % 10)}.000Z`;
  return { type: "message", id, parentId, timestamp, message: { role, content, ...more } };
}

function straight(id: string, asked: string, answered: string): readonly object[] {
  return [
    header(id),
    message("e1", null, "user", asked),
    message("e2", "e1", "assistant", [{ type: "text", text: answered }]),
  ];
}

/** A question, an answer that was thrown away, and the one that took its place; a picture and a call. */
function tree(id: string): readonly object[] {
  const image = { type: "image", data: Buffer.from(pixel("kettle")).toString("base64"), mimeType: "image/png" };
  return [
    header(id),
    {
      type: "model_change",
      id: "m0",
      parentId: null,
      timestamp: "2026-01-27T08:00:00.000Z",
      provider: "anthropic",
      modelId: "x",
    },
    message("u1", "m0", "user", [{ type: "text", text: "which tea do I like?" }, image]),
    message("a1x", "u1", "assistant", [{ type: "text", text: "Coffee." }]),
    message("a1yy", "u1", "assistant", [
      { type: "thinking", thinking: "hm" },
      { type: "toolCall", id: "t1", name: "read", arguments: { path: "MEMORY.md" } },
    ]),
    message("r1zzz", "a1yy", "toolResult", [{ type: "text", text: "- Ada likes oolong." }], {
      toolCallId: "t1",
      toolName: "read",
    }),
    message("a2zzzz", "r1zzz", "assistant", [{ type: "text", text: "Oolong." }]),
    {
      type: "compaction",
      id: "c1zzzzz",
      parentId: "a2zzzz",
      summary: "tea",
      firstKeptEntryId: "a2zzzz",
      tokensBefore: 9,
    },
  ];
}
