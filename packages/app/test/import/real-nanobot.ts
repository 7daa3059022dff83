// Homes as nanobot writes them, by the version whose code they follow (HKUDS/nanobot). Formats only: no line of it is here.
import { join } from "node:path";
import { pixel, write } from "./tree.ts";

const SKILL = "---\nname: tea\ndescription: Makes tea when asked for it.\n---\n\nBoil water.\n";
const SPACE = "0123456789abcdef0123456789abcdef";

/** `session/manager.py` of v0.1.3.post4: beside the configuration, the key only in the name of the file. */
export function nanobot013(directory: string): string {
  const home = join(directory, "nanobot-013");
  write(home, {
    "config.json": {
      agents: { defaults: { workspace: "~/.nanobot/workspace", model: "anthropic/claude-opus-4-5", maxTokens: 8192 } },
      channels: { telegram: { enabled: true, token: "123456:old-token-of-a-test", allowFrom: ["42"] } },
      providers: { anthropic: { apiKey: "sk-ant-test-0123456789abcdef" } },
    },
    "sessions/telegram_42.jsonl": [
      { _type: "metadata", created_at: "2026-02-05T09:00:00.000001", updated_at: "2026-02-05T09:00:02", metadata: {} },
      { role: "user", content: "my boat is red", timestamp: "2026-02-05T09:00:01" },
      { role: "assistant", content: "Noted.", timestamp: "2026-02-05T09:00:02" },
    ],
    "cron/jobs.json": { version: 1, jobs: [job("old1", { channel: "telegram", to: "42" })] },
    "workspace/AGENTS.md": "Be kind.\n",
    "workspace/memory/MEMORY.md": "- The boat is red.\n",
    "workspace/memory/2026-02-05.md": "A day of boats.\n",
    "history/cli_history": "hello\n",
  });
  return home;
}

/** v0.1.4.post3: sessions in the workspace with their key in line 1; history in HISTORY.md. */
export function nanobot014(directory: string): string {
  const home = join(directory, "nanobot-014");
  write(home, {
    "config.json": {
      agents: { defaults: { model: "gpt-5", provider: "openai" } },
      providers: { openai: { apiKey: "" } },
    },
    "workspace/sessions/discord_9.jsonl": [
      meta("discord:9", "2026-03-01T08:00:00", {}),
      { role: "user", content: "ping", timestamp: "2026-03-01T08:00:01" },
      { role: "assistant", content: "pong", timestamp: "2026-03-01T08:00:02" },
    ],
    "workspace/memory/HISTORY.md": "[2026-03-01 08:00] Ping and pong.\n\n",
    "workspace/HEARTBEAT.md": "# Heartbeat\n",
  });
  return home;
}

/**
 * The main branch on 23 August 2026, after v0.3.0: `session/manager.py` (a folder for each workspace, names in base64),
 * `agent/memory.py` (history.jsonl), `cron/service.py` and `cron/types.py` (action.jsonl, origins), `config/schema.py` (presets).
 */
export function nanobotToday(directory: string): string {
  const home = join(directory, "nanobot-today");
  const encoded = (key: string): string => Buffer.from(key).toString("base64url");
  const spoken = (key: string, words: string, at: string, metadata: object = {}): readonly object[] => [
    meta(key, at, metadata),
    { _type: "provider_state", state: { version: 1, opaque: "AAAA" } },
    { role: "user", content: words, timestamp: `${at}.100000` },
    { role: "assistant", content: `You said: ${words}`, timestamp: `${at}.200000` },
  ];
  write(home, {
    "config.json": {
      agents: {
        defaults: {
          workspace: join(home, "workspace"),
          modelPreset: "fast",
          model: "anthropic/claude-opus-4-5",
          provider: "auto",
          maxTokens: 8192,
          temperature: 0.1,
          fallbackModels: ["careful", { model: "gpt-5", provider: "openai" }],
          timezone: "Europe/Ghent",
          timezoneMode: "auto",
        },
      },
      modelPresets: {
        fast: { model: "gemini-3-flash", provider: "gemini", maxTokens: 4096, temperature: 0.3 },
        careful: { model: "claude-opus-4-5", provider: "anthropic", maxTokens: 8192, temperature: 0.1 },
      },
      providers: {
        anthropic: { apiKey: "${NANOBOT_TEST_KEY}", apiBase: null },
        gemini: { apiKey: "gm-test-0123456789abcdef" },
        openai: { apiKey: "sk-test-0123456789abcdef" },
      },
      channels: { sendProgress: true, telegram: { enabled: true, token: "123456:token-of-a-test", allowFrom: ["42"] } },
      tools: { mcpServers: { files: { command: "npx", args: ["files"], enabledTools: ["*"] } } },
    },
    [`sessions/${SPACE}/.workspace`]: `${join(home, "workspace")}\n`,
    [`sessions/${SPACE}/.session-files.lock`]: "",
    [`sessions/${SPACE}/${encoded("cli:direct")}.jsonl`]: spoken("cli:direct", "one", "2026-08-01T10:00:00"),
    [`sessions/${SPACE}/${encoded("telegram:42")}.jsonl`]: [
      ...spoken("telegram:42", "two", "2026-08-02T10:00:00", { title: "About two" }),
      {
        role: "user",
        content: "look",
        media: [join(home, "media/telegram/cat.png")],
        timestamp: "2026-08-02T10:01:00",
      },
    ],
    [`sessions/${SPACE}/${encoded("websocket:7f3a")}.jsonl`]: spoken("websocket:7f3a", "three", "2026-08-03T10:00:00"),
    // An older version's copy, which the migration leaves where it was.
    "workspace/sessions/cli_direct.jsonl": spoken("cli:direct", "one", "2026-08-01T10:00:00"),
    "media/telegram/cat.png": pixel("cat"),
    "media/telegram/unused.png": pixel("unused"),
    "cron/jobs.json": {
      version: 1,
      jobs: [
        { ...job("a1", { sessionKey: "telegram:42", originChannel: "telegram", originChatId: "42" }), name: "Tea" },
        job("b2", { sessionKey: "cli:direct", originChannel: "cli", originChatId: "direct" }),
        job("gone", { sessionKey: "cli:direct", originChannel: "cli", originChatId: "direct" }),
        { ...job("dream", {}), payload: { kind: "system_event", message: "" } },
      ],
    },
    "cron/action.jsonl": [
      { action: "update", params: asdict("b2", "stretch, and drink") },
      { action: "del", params: { job_id: "gone" } },
      { action: "add", params: asdict("c3", "call the harbour") },
    ],
    "cron/runs/a1-1.json": { status: "ok" },
    "logs/nanobot.log": "started\n",
    "webui/threads/7f3a.jsonl": [{ text: "three" }],
    "whatsapp-auth/creds.json": { me: "not taken" },
    "workspace/.nanobot/workspace-id": `${SPACE}\n`,
    "workspace/AGENTS.md": "Be kind.\n",
    "workspace/notes/plan.txt": "sail\n",
    "workspace/memory/MEMORY.md": "- Sails on Sundays.\n",
    "workspace/memory/history.jsonl": [
      { cursor: 1, timestamp: "2026-07-30 09:00", content: "Talked about knots." },
      { cursor: 2, timestamp: "2026-07-31 09:00", content: "Talked about tea.", session_key: "telegram:42" },
    ],
    "workspace/memory/HISTORY.md.bak":
      "[2026-01-10 09:00] Talked about ropes.\n\n[2026-07-30 09:00] Talked about knots.\n",
    "workspace/memory/.cursor": "2",
    "workspace/memory/.dream_cursor": "1",
    "workspace/skills/tea/SKILL.md": SKILL,
  });
  return home;
}

function meta(key: string, at: string, metadata: object): object {
  return { _type: "metadata", key, created_at: at, updated_at: at, metadata, last_consolidated: 0 };
}

function job(id: string, payload: object): object {
  return {
    id,
    name: id,
    enabled: true,
    schedule: { kind: "cron", atMs: null, everyMs: null, expr: "0 9 * * *", tz: "Europe/Brussels" },
    payload: { kind: "agent_turn", message: `do ${id}`, deliver: false, channel: null, to: null, ...payload },
    state: { nextRunAtMs: 1, lastRunAtMs: null, lastStatus: null, lastError: null, runHistory: [] },
    createdAtMs: 1,
    updatedAtMs: 1,
    deleteAfterRun: false,
  };
}

/** Python's names, as an action has them. */
function asdict(id: string, message: string): object {
  return {
    id,
    name: id,
    enabled: true,
    schedule: { kind: "every", at_ms: null, every_ms: 7_200_000, expr: null, tz: null },
    payload: {
      kind: "agent_turn",
      message,
      deliver: false,
      channel: null,
      to: null,
      channel_meta: {},
      session_key: "cli:direct",
      origin_channel: "cli",
      origin_chat_id: "direct",
      origin_metadata: {},
    },
    state: { next_run_at_ms: 1, last_run_at_ms: null, last_status: null, last_error: null, run_history: [] },
    created_at_ms: 1,
    updated_at_ms: 1,
    delete_after_run: false,
  };
}
