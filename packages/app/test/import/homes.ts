// Homes of other systems, written by hand in their formats.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const SECRET = "sk-or-v1-0123456789abcdef0123456789abcdef";
export const TELEGRAM_TOKEN = "123456789:AAHk-abcdefghijklmnopqrstuvwxyz01234";

const SKILL = "---\nname: tea\ndescription: Makes tea when asked for it.\n---\n\nBoil water.\n";

export function nanobotHome(directory: string): string {
  const home = join(directory, "dot-nanobot");
  write(home, {
    "config.json": JSON.stringify({
      agents: {
        defaults: {
          workspace: "~/.nanobot/workspace",
          model: "anthropic/claude-opus-4-5",
          maxTokens: 8192,
          max_tool_iterations: 25,
        },
      },
      channels: {
        telegram: { enabled: true, token: TELEGRAM_TOKEN, allowFrom: ["42"], proxy: "socks5://127.0.0.1:1080" },
        discord: { enabled: false, token: "", allow_from: ["*"], gatewayUrl: "wss://example.com" },
      },
      providers: { openrouter: { apiKey: SECRET, apiBase: null }, anthropic: { apiKey: "" } },
      tools: {
        web: { search: { apiKey: "", maxResults: 5 } },
        exec: { timeout: 45 },
        restrictToWorkspace: false,
        mcpServers: {
          files: {
            command: "npx",
            args: ["-y", "some-server", "--token=ghost-in-the-args"],
            env: { TOKEN: "a-long-secret-value" },
          },
        },
      },
      gateway: { port: 18790 },
    }),
    "sessions/telegram_42.jsonl": [
      {
        _type: "metadata",
        created_at: "2026-01-15T10:00:00.000000",
        updated_at: "2026-01-15T10:05:00",
        metadata: {},
        last_consolidated: 0,
      },
      { role: "user", content: "my cat is called Miso", timestamp: "2026-01-15T10:00:01.123456" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"cats.txt"}' } }],
        timestamp: "2026-01-15T10:00:02",
      },
      { role: "tool", tool_call_id: "c1", name: "read_file", content: "Miso, grey", timestamp: "2026-01-15T10:00:03" },
      { role: "assistant", content: "Noted: Miso, grey.", timestamp: "2026-01-15T10:00:04" },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n"),
    "sessions/broken.jsonl": "not json\nat all\n",
    "cron/jobs.json": JSON.stringify({
      version: 1,
      jobs: [
        job("a1", { kind: "cron", expr: "0 9 * * MON-FRI", tz: "Asia/Shanghai" }, true),
        job("b2", { kind: "every", everyMs: 3_600_000 }, false),
        job("c3", { kind: "cron", expr: "99 9 * * *" }, true),
        job("d4", { kind: "at", atMs: 1_600_000_000_000 }, true),
      ],
    }),
    "workspace/AGENTS.md": "Be kind to cats.\n",
    "workspace/notes/cats.txt": "Miso, grey\n",
    "workspace/memory/MEMORY.md": "# Facts\n\n- The cat is called Miso.\n- Lives in Ghent.\n",
    "workspace/memory/HISTORY.md":
      "[2026-01-15 10:30] Talked about the cat.\n\n[2026-01-16 09:00] Talked about tea.\n\n",
    "workspace/skills/tea/SKILL.md": SKILL,
  });
  return home;
}

export function openclawHome(directory: string): string {
  const home = join(directory, "dot-openclaw");
  const message = (role: string, content: unknown, more: object = {}): object => ({
    type: "message",
    timestamp: "2026-02-01T08:00:00.000Z",
    message: { role, content, ...more },
  });
  write(home, {
    "openclaw.json": JSON.stringify({
      agents: { defaults: { model: { primary: "anthropic/claude-opus-4-5" } } },
      channels: {},
    }),
    "workspace/AGENTS.md": "You live in a shell.\n",
    "workspace/SOUL.md": "Calm.\n",
    "workspace/USER.md": "Ada.\n",
    "workspace/MEMORY.md": "- Ada likes oolong.\n",
    "workspace/memory/2026-02-01.md": "Bought a kettle.\n\nIt whistles.\n",
    "workspace/skills/tea/SKILL.md": SKILL,
    "agents/main/sessions/0b1c.jsonl": [
      { type: "session", version: 3, id: "0b1c", timestamp: "2026-02-01T08:00:00.000Z", cwd: "/" },
      message("user", [{ type: "text", text: "which tea do I like?" }]),
      message("assistant", [
        { type: "thinking", thinking: "hm" },
        { type: "toolCall", id: "t1", name: "read", arguments: { path: "MEMORY.md" } },
      ]),
      message("toolResult", [{ type: "text", text: "- Ada likes oolong." }], { toolCallId: "t1", toolName: "read" }),
      message("assistant", [{ type: "text", text: "Oolong." }]),
      { type: "compaction", summary: "tea" },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  });
  return home;
}

export function countbotHome(directory: string): string {
  const home = join(directory, "countbot");
  mkdirSync(join(home, "data"), { recursive: true });
  const db = new DatabaseSync(join(home, "data", "countbot.db"));
  db.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, created_at TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation_id TEXT, role TEXT, content TEXT, created_at TEXT);
    CREATE TABLE cron_jobs (id TEXT, name TEXT, schedule TEXT, message TEXT, enabled INTEGER, channel TEXT, chat_id TEXT);
    CREATE TABLE moods (day TEXT, mood TEXT);
    INSERT INTO conversations VALUES ('7', 'web chat', '2026-03-01 10:00:00');
    INSERT INTO messages VALUES (1, '7', 'user', '我的猫叫什么？', '2026-03-01 10:00:00');
    INSERT INTO messages VALUES (2, '7', 'assistant', '米索。', '2026-03-01 10:00:05');
    INSERT INTO cron_jobs VALUES ('daily-report', 'report', '0 8 * * *', 'write the report', 1, 'telegram', '42');
    INSERT INTO cron_jobs VALUES ('beat', 'beat', '0 * * * *', '__heartbeat__', 1, NULL, NULL);
  `);
  db.close();
  return home;
}

/** Every file below a folder with its content's hash and time. */
export function fingerprint(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const stat = statSync(path);
      if (stat.isDirectory()) return `${name}/ ${stat.mtimeMs}`;
      return `${name} ${stat.mtimeMs} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
    });
}

function job(id: string, schedule: object, enabled: boolean): object {
  const payload = { kind: "agent_turn", message: `do ${id}`, deliver: true, channel: "telegram", to: "42" };
  return { id, name: id, enabled, schedule, payload, state: {}, createdAtMs: 1, updatedAtMs: 1, deleteAfterRun: false };
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
