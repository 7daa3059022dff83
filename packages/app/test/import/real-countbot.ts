// Folders as CountBot writes them, by the version whose code they follow. The public repositories hold 0.3 to 0.4 of February
// 2026 (leow3lab/CountBot) and 0.9.0 of July 2026 (yeyang520/Countbot); 1.0 and 1.1 were not to be had, 0.9.0 is the nearest.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pixel, write } from "./tree.ts";

const SKILL = "---\nname: tea\ndescription: Makes tea when asked for it.\n---\n\nBoil water.\n";

/** February 2026: `models/*.py`; `utils/paths.py` has the workspace, and with it memory and skills, in the program's folder. */
export function countbotFebruary(directory: string): string {
  const home = join(directory, "countbot-february");
  database(home, { hasContext: false });
  write(home, {
    "memory/MEMORY.md": "2026-02-15|web-chat|The kettle is blue\n2026-02-16|telegram|Tea at four\n",
    "skills/tea/SKILL.md": SKILL,
    "start_app.py": "# the program\n",
    "backend/app.py": "# the program\n",
    "data/logs/CountBot_2026-02-15.log": "started\n",
  });
  return home;
}

/** 0.9.0: columns added by `database.py`, `message_context` with attachments, `workspace/`, settings with `persona.heartbeat`. */
export function countbotJuly(directory: string): string {
  const home = join(directory, "countbot-july");
  const db = database(home, { hasContext: true });
  write(home, {
    "workspace/memory/MEMORY.md": "2026-07-01|qq|Likes jasmine\n",
    "workspace/memory/heartbeat_state.json": {},
    "workspace/skills/tea/SKILL.md": SKILL,
    "workspace/.builtin_skills_seeded": "0.9.0",
    "workspace/temp/scratch.txt": "gone tomorrow\n",
    "workspace/uploads/cup.png": pixel("cup"),
    "workspace/report.md": "A report.\n",
    "memory/MEMORY.md": "2026-03-01|web-chat|From before the workspace moved\n",
    "data/audit_logs/audit_2026-07-01.log": "{}\n",
    "start_app.py": "# the program\n",
  });
  db("2026-07-01 02:00:00.000000", "user", "看这个杯子", {
    attachment_items: [{ path: "/app/workspace/uploads/cup.png", name: "cup.png" }],
    attachments: ["/app/workspace/uploads/cup.png"],
  });
  return home;
}

type Say = (at: string, role: string, content: string, context: object) => void;

/** @returns a function that adds a message to the chat on QQ. */
function database(home: string, { hasContext }: { readonly hasContext: boolean }): Say {
  mkdirSync(join(home, "data"), { recursive: true });
  const path = join(home, "data", "countbot.db");
  const open = (work: (db: DatabaseSync) => void): void => {
    const db = new DatabaseSync(path);
    try {
      work(db);
    } finally {
      db.close();
    }
  };
  open((db) => {
    db.exec(`
      CREATE TABLE sessions (id VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, created_at DATETIME NOT NULL,
        updated_at DATETIME NOT NULL, summary VARCHAR(200)${hasContext ? ", channel_context TEXT" : ""});
      CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id VARCHAR NOT NULL, role VARCHAR NOT NULL,
        content TEXT NOT NULL, created_at DATETIME NOT NULL${hasContext ? ", message_context TEXT" : ""});
      CREATE TABLE tool_conversations (id VARCHAR PRIMARY KEY, session_id VARCHAR NOT NULL, message_id INTEGER,
        timestamp VARCHAR NOT NULL, tool_name VARCHAR NOT NULL, arguments TEXT NOT NULL, user_message TEXT, result TEXT,
        error TEXT, duration_ms INTEGER, created_at DATETIME);
      CREATE TABLE cron_jobs (id VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, schedule VARCHAR NOT NULL, message TEXT NOT NULL,
        enabled BOOLEAN NOT NULL, channel VARCHAR, ${hasContext ? "account_id VARCHAR, " : ""}chat_id VARCHAR,
        deliver_response BOOLEAN NOT NULL, created_at DATETIME);
      CREATE TABLE settings (key VARCHAR PRIMARY KEY, value TEXT NOT NULL, updated_at DATETIME NOT NULL);
      CREATE TABLE personalities (id VARCHAR(50) PRIMARY KEY, name VARCHAR(100) NOT NULL, traits JSON NOT NULL);
      CREATE TABLE tasks (id VARCHAR PRIMARY KEY, label VARCHAR NOT NULL, status VARCHAR NOT NULL);
      INSERT INTO sessions (id, name, created_at, updated_at) VALUES
        ('11aa', 'New Chat 2026/5/20 17:20:59', '2026-05-20 09:20:59.353275', '2026-05-20 09:21:30.000000'),
        ('22bb', '${hasContext ? "qq:default:75B1:20260520_105043" : "qq:75B1:20260520_105043"}', '2026-05-20 10:50:43.477385', '2026-05-20 10:53:30.000000'),
        ('33cc', '${hasContext ? "qq:default:75B1:20260401_080000" : "qq:75B1:20260401_080000"}', '2026-04-01 08:00:00.000000', '2026-04-01 08:00:05.000000');
      INSERT INTO messages (session_id, role, content, created_at) VALUES
        ('11aa', 'user', '你是谁', '2026-05-20 09:21:00.000000'),
        ('11aa', 'assistant', '我是小 C', '2026-05-20 09:21:30.000000'),
        ('22bb', 'user', '发一封邮件', '2026-05-20 10:53:13.223629'),
        ('22bb', 'assistant', '邮件已发送', '2026-05-20 10:53:30.634762'),
        ('33cc', 'user', '早上好', '2026-04-01 08:00:00.000000'),
        ('33cc', 'assistant', '早', '2026-04-01 08:00:05.000000');
      INSERT INTO tool_conversations VALUES ('conv_1', '22bb', 4, '2026-05-20T10:53:16.404376', 'read_file',
        '{"path": "skills/email/SKILL.md"}', NULL, 'how to send', NULL, 12, '2026-05-20 10:53:16');
      INSERT INTO cron_jobs (id, name, schedule, message, enabled, channel, chat_id, deliver_response) VALUES
        ('builtin:heartbeat', '系统问候（内置）', '0 * * * *', '__heartbeat__', 1, 'qq', '75B1', 1),
        ('c0ffee', '日报', '0 8 * * *', '写日报', 1, 'qq', '75B1', 1),
        ('c0ffef', '喝水', '0 10 * * *', '喝水', 1, NULL, NULL, 0);
      INSERT INTO personalities VALUES ('grumpy', '暴躁', '[]');
    `);
    const put = db.prepare("INSERT INTO settings VALUES (?, ?, '2026-05-20 09:00:00')");
    for (const [key, value] of Object.entries(SETTINGS)) put.run(`config.${key}`, JSON.stringify(value));
  });
  return (at, role, content, context) =>
    open((db) => {
      db.prepare(
        "INSERT INTO messages (session_id, role, content, created_at, message_context) VALUES ('22bb', ?, ?, ?, ?)",
      ).run(role, content, at, JSON.stringify(context));
    });
}

const SETTINGS: Readonly<Record<string, unknown>> = {
  "providers.zhipu.api_key": "zp-test-0123456789abcdef",
  "providers.zhipu.api_keys": ["zp-test-0123456789abcdef"],
  "providers.zhipu.api_base": "https://open.bigmodel.cn/api/paas/v4",
  "providers.moonshot.api_key": "gAAAAABotestotestotest", // as 0.3 to 0.4 write it when keys are encrypted
  "providers.openai.api_key": "",
  "providers.openai.api_base": "https://api.openai.com/v1",
  "model.provider": "zhipu",
  "model.model": "glm-5",
  "model.temperature": 0,
  "model.max_tokens": 0,
  "model.max_iterations": 25,
  "workspace.path": "/app/workspace",
  "security.command_timeout": 180,
  "security.restrict_to_workspace": false,
  "channels.qq.enabled": true,
  "channels.qq.app_id": "1900",
  "channels.qq.secret": "a-secret-of-a-test",
  "channels.telegram.enabled": false,
  "channels.telegram.token": "",
  "persona.ai_name": "小C",
  "persona.user_name": "主人",
  "persona.personality": "grumpy",
  "persona.heartbeat.enabled": true,
  "persona.heartbeat.channel": "qq",
  "persona.heartbeat.chat_id": "75B1",
  "persona.heartbeat.schedule": "0 * * * *",
  "persona.heartbeat.idle_threshold_hours": 6,
  "persona.heartbeat.quiet_start": 22,
  "persona.heartbeat.quiet_end": 7,
  "persona.heartbeat.max_greets_per_day": 3,
  theme: "auto",
};
