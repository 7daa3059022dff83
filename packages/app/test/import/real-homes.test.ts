// DF47, R425: homes as the real programs write them at several versions. What is in them is taken, or named with the reason.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FRESH_BUDGETS } from "../../src/config/fresh.ts";
import { margay, type Margay } from "../cli/harness.ts";
import { fingerprint } from "./homes.ts";
import { countbotFebruary, countbotJuly } from "./real-countbot.ts";
import { nanobot013, nanobot014, nanobotToday } from "./real-nanobot.ts";
import { MAIN, moltbot, openclawSeptember } from "./real-openclaw.ts";
import { blobPath, pixel, unnamed, type Item } from "./tree.ts";

const ENV = { NANOBOT_TEST_KEY: "sk-ant-test-0123456789abcdef", OPENCLAW_TEST_KEY: "sk-or-test-0123456789abcdef" };

async function imported(
  app: Margay,
  path: string,
  env: Readonly<Record<string, string>> = ENV,
): Promise<readonly Item[]> {
  const ran = await app.run(["import", path, "--json"], { env });
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
  return (JSON.parse(ran.out) as { items: readonly Item[] }).items;
}

function of(items: readonly Item[], area: string): readonly string[] {
  return items.filter((item) => item.area === area).map(({ status, from, to }) => `${status} ${from} → ${to ?? ""}`);
}

function reasonOf(items: readonly Item[], from: string): string | undefined {
  return items.find((item) => item.from === from)?.reason;
}

async function listed(app: Margay, ...words: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await app.run([...words, "--json"], { env: ENV })).out) as readonly Record<string, unknown>[];
}

test.each([
  ["nanobot 0.1.3", nanobot013],
  ["nanobot 0.1.4", nanobot014],
  ["nanobot of August 2026", nanobotToday],
  ["CountBot of February 2026", countbotFebruary],
  ["CountBot 0.9", countbotJuly],
  ["Moltbot of January 2026", moltbot],
  ["OpenClaw of September 2026", openclawSeptember],
])(
  "DF47 R425 every file of %s is imported, copied, or named as left out and why; a dry run says the same",
  async (_, make) => {
    const app = margay();
    const home = make(app.directory);
    const before = fingerprint(home);
    const dry = await app.run(["import", home, "--json", "--dry-run"], { env: ENV });
    expect(existsSync(app.home)).toBe(false);
    const items = await imported(app, home);
    expect((JSON.parse(dry.out) as { items: unknown }).items).toEqual(items);
    expect(fingerprint(home)).toEqual(before);
    expect(unnamed(home, items, app.home)).toEqual([]);
    expect(items.filter(({ status, reason }) => status === "skip" && (reason ?? "") === "")).toEqual([]);
    expect((await app.run(["config", "check"], { env: ENV })).code).toBe(0);
    const again = await imported(app, home);
    expect(again.filter(({ status }) => status === "add" || status === "merge" || status === "conflict")).toEqual([]);
  },
);

test("DF47 all sessions of today's nanobot: under their keys, with their dates, titles and pictures", async () => {
  const app = margay();
  const items = await imported(app, nanobotToday(app.directory));
  const space = "sessions/0123456789abcdef0123456789abcdef";
  expect(items.filter(({ area, status }) => area === "session" && status === "add").map(({ to }) => to)).toEqual([
    "cli:direct",
    "websocket:7f3a",
    "telegram:42",
  ]);
  expect(reasonOf(items, "workspace/sessions/cli_direct.jsonl")).toContain(`all of it is in ${space}/`);
  const sessions = await listed(app, "sessions", "list");
  const telegram = sessions.find(({ key }) => key === "telegram:42");
  expect(telegram).toMatchObject({
    createdAt: Date.parse("2026-08-02T10:00:00Z"),
    updatedAt: Date.parse("2026-08-02T10:01:00Z"),
  });
  const marks = JSON.parse(readFileSync(join(app.home, "gateway/sessions.json"), "utf8")) as object;
  expect(Object.values(marks)).toEqual([{ title: "About two" }]);
  expect(existsSync(blobPath(app.home, pixel("cat")))).toBe(true);
  expect(reasonOf(items, "media/telegram/unused.png")).toContain("no conversation that is taken names it");
  expect((await app.run(["sessions", "show", "telegram:42"], { env: ENV })).out).toContain("[cat.png]");
});

test("DF47 nanobot's history.jsonl and its older copies become history, each entry once", async () => {
  const app = margay();
  await imported(app, nanobotToday(app.directory));
  const history = readFileSync(join(app.home, "workspace/memory/HISTORY.md"), "utf8");
  expect(history.trim().split("\n\n").toSorted()).toEqual([
    "[2026-01-10 09:00] Talked about ropes.",
    "[2026-07-30 09:00] Talked about knots.",
    "[2026-07-31 09:00] Talked about tea.",
  ]);
});

test("DF47 nanobot's pending actions are what its jobs are now; each job goes to the chat it was made in", async () => {
  const app = margay();
  const items = await imported(app, nanobotToday(app.directory));
  expect(of(items, "job")).toEqual([
    "add cron/jobs.json a1 → nanobot-a1",
    "add cron/action.jsonl b2 → nanobot-b2",
    "add cron/action.jsonl c3 → nanobot-c3",
    "skip cron/jobs.json gone → ",
    "skip cron/jobs.json dream → ",
  ]);
  expect(await listed(app, "cron", "list")).toMatchObject([
    { id: "nanobot-a1", enabled: false, to: { channel: "telegram", chat: "42" } },
    { id: "nanobot-b2", enabled: true, message: "stretch, and drink", to: { channel: "cli", chat: "direct" } },
    { id: "nanobot-c3", enabled: true, trigger: { kind: "every", everyMs: 7_200_000 }, to: { channel: "cli" } },
  ]);
});

test("DF47 nanobot's presets: the one in use is the model, those after it are tried next", async () => {
  const app = margay();
  const items = await imported(app, nanobotToday(app.directory));
  const config = JSON.parse(readFileSync(join(app.home, "config.json"), "utf8")) as object;
  expect(config).toMatchObject({
    model: "google/gemini-3-flash",
    fallbackModels: ["anthropic/claude-opus-4-5", "openai/gpt-5"],
    agent: { maxTokens: 4096, temperature: 0.3 },
    providers: { anthropic: { apiKey: "${NANOBOT_TEST_KEY}" } },
  });
  expect(config).not.toHaveProperty("channels.telegram");
  expect(config).not.toHaveProperty("timeZone");
  expect(reasonOf(items, "config.json channels.telegram")).toContain("settings of telegram are not taken over");
});

test("DF47 of nanobot's settings only what has no place here is named: no field that was read, or means the same unsaid", async () => {
  const app = margay();
  const home = nanobotToday(app.directory);
  const file = join(home, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { readonly agents: object; readonly gateway?: object };
  writeFileSync(
    file,
    JSON.stringify({
      ...config,
      gateway: { port: 18_790, heartbeat: { enabled: true, intervalS: 1800 } }, // 1800: taken, in minutes
      api: { host: null, tags: [], note: "" }, // says nothing
    }),
  );
  const items = await imported(app, home);
  expect(of(items, "config").filter((line) => line.startsWith("skip"))).toEqual([
    "skip config.json channels.telegram → ",
    "skip config.json agents.defaults.model → ", // the preset's is in use
    "skip config.json agents.defaults.provider → ",
    "skip config.json modelPresets.careful.maxTokens → ",
    "skip config.json modelPresets.careful.temperature → ",
    "skip config.json gateway.port → ",
  ]);
  expect(reasonOf(items, "config.json gateway.port")).toBe("has no counterpart here");
});

test.each([
  ["CountBot of February 2026", countbotFebruary],
  ["CountBot 0.9", countbotJuly],
])("DF47 %s: memory and skills wherever they are, times as they were, and no paid turn every hour", async (_, make) => {
  const app = margay();
  app.configure({ timeZone: "America/New_York" }); // neither theirs nor UTC
  const items = await imported(app, make(app.directory));
  const facts = readFileSync(join(app.home, "workspace/memory/MEMORY.md"), "utf8");
  expect(facts).toContain(make === countbotJuly ? "From before the workspace moved" : "Tea at four");
  expect(existsSync(join(app.home, "workspace/skills/tea/SKILL.md"))).toBe(true);
  const sessions = await listed(app, "sessions", "list");
  expect(new Set(sessions.map(({ key }) => key))).toEqual(new Set(["countbot:11aa", "countbot:33cc", "qq:75B1"]));
  expect(sessions.find(({ key }) => key === "countbot:11aa")).toMatchObject({
    createdAt: Date.parse("2026-05-20T09:20:59.353Z"),
    updatedAt: Date.parse("2026-05-20T09:21:30Z"),
  });
  expect((await app.run(["sessions", "show", "qq:75B1"])).out).toContain(
    '→ read_file {"path":"skills/email/SKILL.md"}',
  );
  const jobs = await listed(app, "cron", "list");
  expect(jobs).toMatchObject([
    { id: "countbot-c0ffee", enabled: false, trigger: { expression: "0 8 * * *", timeZone: "Asia/Shanghai" } },
    { id: "countbot-c0ffef", enabled: true, trigger: { timeZone: "Asia/Shanghai" }, to: { channel: "cli" } },
  ]);
  expect(reasonOf(items, "data/countbot.db cron_jobs builtin:heartbeat")).toContain("greeting.*");
  expect(reasonOf(items, "data/countbot.db settings config.providers.moonshot.api_key")).toContain("sign in anew");
  expect(JSON.parse(readFileSync(join(app.home, "config.json"), "utf8"))).toMatchObject({
    model: "zhipu/glm-5",
    greeting: { enabled: true, idleHours: 6, maxPerDay: 3, quietHours: "22-07" },
    persona: { name: "小C", userName: "主人", preset: "grumpy" },
    providers: { zhipu: { apiKey: "${file:secrets/providers.zhipu.apiKey}" } },
  });
});

test("DF47 a picture that was sent to CountBot is kept", async () => {
  const app = margay();
  await imported(app, countbotJuly(app.directory));
  expect(existsSync(blobPath(app.home, pixel("cup")))).toBe(true);
});

test("DF47 an OpenClaw home from before its name: the configured workspace, JSON5, keys, branches, archives", async () => {
  const app = margay();
  const items = await imported(app, moltbot(app.directory));
  expect(of(items, "workspace").map((line) => line.split(" → ")[1])).toEqual(["AGENTS.md", "HEARTBEAT.md"]);
  const sessions = items.filter(({ area, status }) => area === "session" && status === "add");
  expect(new Set(sessions.map(({ to }) => to))).toEqual(
    new Set([
      `openclaw:${MAIN}/a1x`,
      "openclaw:0b1c0000-0000-4000-8000-000000000003.jsonl.reset.2026-01-20T04-00-00.000Z",
      "openclaw:packed.jsonl.reset.2026-01-21T04-00-00.000Z.zst",
      "telegram:-100",
      "telegram:42",
    ]),
  );
  const shown = (await app.run(["sessions", "show", "telegram:42"], { env: ENV })).out;
  expect(shown).toContain("Oolong.");
  expect(shown).not.toContain("Coffee.");
  expect((await app.run(["sessions", "show", `openclaw:${MAIN}/a1x`], { env: ENV })).out).toContain("Coffee.");
  expect(sessions.find(({ to }) => to === "telegram:42")?.notes).toContain("line 8: compaction; left out");
  expect(existsSync(blobPath(app.home, pixel("kettle")))).toBe(true);
  expect(reasonOf(items, "agents/main/sessions/dead.jsonl.deleted.2026-01-20T04-00-00.000Z")).toContain(
    "deleted there",
  );
  expect(reasonOf(items, "workspace-work/")).toContain("another agent");
  expect(JSON.parse(readFileSync(join(app.home, "config.json"), "utf8"))).toEqual({
    budgets: FRESH_BUDGETS, // PE82: the import made this home
    model: "openrouter/anthropic/claude-opus-4-5",
    fallbackModels: ["anthropic/claude-sonnet-4-5"],
    timeZone: "Europe/Brussels",
    providers: {
      openrouter: { apiKey: "${OPENCLAW_TEST_KEY}" },
      anthropic: { apiKey: "${file:secrets/providers.anthropic.apiKey}" },
    },
  });
  const marks = JSON.parse(readFileSync(join(app.home, "gateway/sessions.json"), "utf8")) as object;
  expect(Object.values(marks)).toEqual([{ title: "Harbour" }]);
});

test("DF47 OpenClaw of September 2026: sessions, jobs and keys out of its databases", async () => {
  const app = margay();
  const items = await imported(app, openclawSeptember(app.directory));
  expect(new Set(of(items, "session").map((line) => line.split(" → ")[1]))).toEqual(
    new Set([`openclaw:${MAIN}/a1x`, "openclaw:0b1c0000-0000-4000-8000-000000000003", "telegram:42"]),
  );
  expect(await listed(app, "cron", "list")).toMatchObject([
    { id: "openclaw-j1", enabled: false, to: { channel: "telegram", chat: "42" } },
  ]);
  expect(existsSync(join(app.home, "secrets/providers.anthropic.apiKey"))).toBe(true);
});

test("DF47 a variable that is not set: its setting is named, in the dry run too, and everything else is taken", async () => {
  const app = margay();
  const home = nanobotToday(app.directory);
  const dry = await app.run(["import", home, "--dry-run"]);
  expect(dry.out).toContain("names the variable NANOBOT_TEST_KEY, which is not set here");
  const items = await imported(app, home, {});
  expect(reasonOf(items, "config.json providers.anthropic.apiKey")).toContain("NANOBOT_TEST_KEY");
  const config = JSON.parse(readFileSync(join(app.home, "config.json"), "utf8")) as object;
  expect(config).toMatchObject({ model: "google/gemini-3-flash", agent: { maxTokens: 4096 } });
  expect(config).not.toHaveProperty("providers.anthropic");
  expect((await app.run(["config", "check"])).code).toBe(0);
  // Set, it is taken the next time.
  const later = await imported(app, home);
  expect(later.filter(({ status }) => status === "add").map(({ to }) => to)).toEqual(["providers.anthropic.apiKey"]);
});
