import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { FRESH_BUDGETS } from "../../src/config/fresh.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { countbotHome, fingerprint, nanobotHome, openclawHome, SECRET, TELEGRAM_TOKEN } from "./homes.ts";

const NOBODY = 65534; // of Debian, and the kernel's overflow id

interface Report {
  readonly kind: string;
  readonly items: readonly {
    readonly area: string;
    readonly from: string;
    readonly to?: string;
    readonly status: string;
    readonly reason?: string;
  }[];
  readonly counts: Readonly<Record<string, number>>;
}

async function imported(app: Margay, path: string, ...more: readonly string[]): Promise<Report> {
  const ran = await app.run(["import", path, "--json", ...more]);
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
  return JSON.parse(ran.out) as Report;
}

function lines({ items }: Report, area: string): readonly string[] {
  return items.filter((item) => item.area === area).map(({ status, from, to }) => `${status} ${from} → ${to ?? ""}`);
}

test("R174 a nanobot home is taken over, and a session of it continues with its history", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  const home = nanobotHome(app.directory);
  const before = fingerprint(home);
  const report = await imported(app, home);
  expect(fingerprint(home)).toEqual(before);
  expect(lines(report, "session")).toEqual([
    "add sessions/telegram_42.jsonl → telegram:42",
    "skip sessions/broken.jsonl → ",
  ]);
  expect(lines(report, "workspace")).toEqual([
    "add workspace/AGENTS.md → AGENTS.md",
    "add workspace/notes/cats.txt → notes/cats.txt",
  ]);
  expect(readFileSync(join(app.home, "workspace/notes/cats.txt"), "utf8")).toBe("Miso, grey\n");

  model.replies(says("Miso."));
  const answer = await app.run(["agent", "--session", "telegram:42", "-m", "what is my cat called?"]);
  expect(answer.out).toBe("Miso.\n");
  const request = model.requests[0];
  expect(request?.texts("user")).toEqual([
    "my cat is called Miso",
    expect.stringContaining("<runtime_context>"),
    "what is my cat called?",
  ]);
  expect(request?.texts("assistant")).toContain("Noted: Miso, grey.");
  expect(request?.toolResults.map((result) => result.text)).toEqual(["Miso, grey"]);
});

test("what was repaired in a session is named by its line", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  const rows = [
    { role: "user", content: "hello" },
    { role: "system", content: "be nice" },
    { content: "who said this?" },
  ];
  writeFileSync(join(home, "sessions/cli_notes.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  const notes = ['line 2: role "system" is not part of a transcript; dropped', "line 3: no role; dropped"];
  const dry = await app.run(["import", home, "--dry-run"]);
  for (const note of notes) expect(dry.out).toContain(`\n    ${note}\n`);
  const { items } = await imported(app, home);
  expect(items.find((item) => item.to === "cli:notes")).toMatchObject({ status: "add", notes });
});

test("settings that mean the same are taken, secrets go to files of their own and are never shown", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  const ran = await app.run(["import", home]);
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
  for (const secret of [SECRET, TELEGRAM_TOKEN, "a-long-secret-value", "ghost-in-the-args"])
    expect(ran.out).not.toContain(secret);
  const config = JSON.parse(readFileSync(join(app.home, "config.json"), "utf8")) as object;
  // The only key is a router's: it serves the model under its full name.
  expect(config).toEqual({
    budgets: FRESH_BUDGETS, // PE82: the import made this home
    model: "openrouter/anthropic/claude-opus-4-5",
    agent: { maxTokens: 8192, maxIterations: 25 },
    tools: { webSearch: { count: 5 }, exec: { timeoutSeconds: 45 } },
    providers: { openrouter: { apiKey: "${file:secrets/providers.openrouter.apiKey}" } },
    mcpServers: {
      files: {
        command: "npx",
        args: ["-y", "some-server", "--token=ghost-in-the-args"],
        env: { TOKEN: "${file:secrets/mcpServers.files.env.TOKEN}" },
      },
    },
  });
  expect(readFileSync(join(app.home, "secrets/providers.openrouter.apiKey"), "utf8")).toBe(SECRET);
  expect((await app.run(["config", "check"])).code).toBe(0);
  // What would be looser, and what has no word here, is named.
  for (const text of [
    "tools.restrictToWorkspace",
    "channels.discord                   (not in use there)",
    "channels.telegram                  (settings of telegram are not taken over; they stay in the source)",
    "gateway.port",
  ])
    expect(ran.out).toContain(text);
});

test("a dry run shows the same plan and touches nothing", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  const before = fingerprint(app.directory);
  const dry = await imported(app, home, "--dry-run");
  expect(fingerprint(app.directory)).toEqual(before);
  expect(existsSync(app.home)).toBe(false);
  expect((await imported(app, home)).items).toEqual(dry.items);
});

test("a second import adds nothing", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  const first = await imported(app, home);
  const workspace = fingerprint(join(app.home, "workspace"));
  const journals = fingerprint(join(app.home, "sessions"));
  const second = await imported(app, home);
  expect(second.items.filter((item) => item.status === "conflict")).toEqual([]);
  expect(second.counts).toEqual({
    ...first.counts,
    add: 0,
    merge: 0,
    same: (first.counts["add"] ?? 0) + (first.counts["merge"] ?? 0),
  });
  expect(fingerprint(join(app.home, "workspace"))).toEqual(workspace);
  expect(fingerprint(join(app.home, "sessions"))).toEqual(journals);
  expect((await app.run(["import", home])).out).toContain("There is nothing new to take over.");
});

test("R236 PE85 jobs of nanobot's file are added, one that is off stays off, those that cannot run are listed", async () => {
  const app = margay();
  const report = await imported(app, nanobotHome(app.directory));
  const jobs = report.items.filter((item) => item.area === "job");
  expect(jobs.map(({ status, from, reason }) => ({ status, from, reason }))).toEqual([
    {
      status: "add",
      from: "cron/jobs.json a1",
      reason: expect.stringContaining("off, because the channel telegram is not set up here"),
    },
    { status: "add", from: "cron/jobs.json b2", reason: "switched off, as it was" },
    { status: "skip", from: "cron/jobs.json c3", reason: expect.stringContaining("cron_expr cannot be read") },
    { status: "skip", from: "cron/jobs.json d4", reason: expect.stringContaining("is in the past") },
  ]);
  const listed = JSON.parse((await app.run(["cron", "list", "--json"])).out) as readonly object[];
  expect(listed).toMatchObject([
    {
      id: "nanobot-a1",
      enabled: false,
      trigger: { kind: "cron", expression: "0 9 * * MON-FRI", timeZone: "Asia/Shanghai" },
      to: { channel: "telegram", chat: "42" },
      mode: "agent",
    },
    { id: "nanobot-b2", enabled: false, trigger: { kind: "every", everyMs: 3_600_000 } },
  ]);
  // PE85: nor is it switched on, or run, while that channel is off.
  const enabled = await app.run(["cron", "enable", "nanobot-a1"]);
  expect([enabled.code, enabled.err]).toEqual([2, expect.stringContaining("the channel telegram is switched off")]);
  expect((await app.run(["cron", "run", "nanobot-a1"])).out).toContain("the channel telegram is switched off");
  // Never on in between: a crash there would leave it running.
  const commits = readFileSync(join(app.home, "cron/jobs.journal"), "utf8").split("\n");
  expect(commits.filter((line) => line.includes("nanobot-b2")).length).toBe(1);
});

test("R236 a job goes to the chat its file names, in each way nanobot wrote one; without any to the terminal", async () => {
  const app = margay();
  const home = join(app.directory, "other");
  const ways: Readonly<Record<string, object>> = {
    to: { payload: { channel: "cli", to: "a" }, delivery: { channel: "cli", to: "no" } },
    origin: { payload: { originChannel: "cli", originChatId: "b", sessionKey: "cli:no" } },
    "old-origin": { payload: { origin_channel: "cli", origin_chat_id: "c" } },
    delivery: { payload: { channel: "cli", sessionKey: "cli:no" }, delivery: { channel: "cli", to: "d" } },
    session: { payload: { sessionKey: "cli:e:f" } },
    "old-session": { payload: { session_key: "cli:g" } },
    nameless: { payload: { sessionKey: ":no" } },
    none: { payload: {} },
  };
  const jobs = Object.entries(ways).map(([id, { payload, ...more }]: [string, { readonly payload?: object }]) => ({
    id,
    schedule: { kind: "every", everyMs: 3_600_000 },
    payload: { message: "do it", ...payload },
    ...more,
  }));
  mkdirSync(join(home, "cron"), { recursive: true });
  writeFileSync(join(home, "cron/jobs.json"), JSON.stringify({ version: 1, jobs }));
  await imported(app, home);
  const listed = JSON.parse((await app.run(["cron", "list", "--json"])).out) as readonly {
    readonly id: string;
    readonly to: { readonly channel: string; readonly chat: string };
  }[];
  expect(Object.fromEntries(listed.map(({ id, to }) => [id, `${to.channel}:${to.chat}`]))).toEqual({
    "nanobot-to": "cli:a",
    "nanobot-origin": "cli:b",
    "nanobot-old-origin": "cli:c",
    "nanobot-delivery": "cli:d",
    "nanobot-session": "cli:e:f",
    "nanobot-old-session": "cli:g",
    "nanobot-nameless": "cli:direct",
    "nanobot-none": "cli:direct",
  });
});

test("R236 the view of our own jobs reads back as nanobot's", async () => {
  const [before, after] = [margay(), margay()];
  const words = ["--message", "drink water", "--to", "cli:direct", "--deliver", "--name", "Water"];
  const [job] = (await before.run(["cron", "add", ...words, "--every", "1h", "--json"])).lines;
  await before.run(["cron", "disable", String(job?.["id"])]);
  const home = join(after.directory, "other");
  mkdirSync(join(home, "cron"), { recursive: true });
  copyFileSync(join(before.home, "cron/jobs.json"), join(home, "cron/jobs.json"));
  await imported(after, home);
  const listed = JSON.parse((await after.run(["cron", "list", "--json"])).out) as readonly object[];
  expect(listed).toMatchObject([
    {
      name: "Water",
      message: "drink water",
      enabled: false,
      mode: "deliver",
      trigger: { kind: "every", everyMs: 3_600_000 },
      to: { channel: "cli", chat: "direct" },
    },
  ]);
});

test("what is here stays: settings, files, sessions; memory is merged behind it", async () => {
  const app = margay();
  app.configure({ agent: { maxTokens: 1000 } });
  const workspace = join(app.home, "workspace");
  mkdirSync(join(workspace, "memory"), { recursive: true });
  writeFileSync(join(workspace, "AGENTS.md"), "Mine.\n");
  writeFileSync(join(workspace, "memory/MEMORY.md"), "- Likes rain.\n- Lives in Ghent.\n");
  writeFileSync(join(workspace, "memory/HISTORY.md"), "[2026-01-16 09:00] Talked about tea.\n");
  await app.run(["agent", "--session", "telegram:42", "-m", "hello"]);
  const report = await imported(app, nanobotHome(app.directory));
  const conflicts = report.items.filter((item) => item.status === "conflict").map((item) => item.to);
  expect(conflicts).toEqual(["agent.maxTokens", "telegram:42", "AGENTS.md"]);
  expect(JSON.parse(readFileSync(join(app.home, "config.json"), "utf8"))).toMatchObject({ agent: { maxTokens: 1000 } });
  expect(readFileSync(join(workspace, "AGENTS.md"), "utf8")).toBe("Mine.\n");
  expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toBe(
    "- Likes rain.\n- Lives in Ghent.\n\n# Facts\n- The cat is called Miso.\n",
  );
  const before = readdirSync(join(app.home, "memory")).map((name) =>
    readFileSync(join(app.home, "memory", name), "utf8"),
  );
  expect(before).toContain("- Likes rain.\n- Lives in Ghent.\n"); // where the page lists it
  expect(readFileSync(join(workspace, "memory/HISTORY.md"), "utf8")).toBe(
    "[2026-01-16 09:00] Talked about tea.\n\n[2026-01-15 10:30] Talked about the cat.\n",
  );
});

test("skills are copied and wait for approval; links are not followed", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  symlinkSync("/etc/passwd", join(home, "workspace/passwd"));
  const report = await imported(app, home);
  expect(lines(report, "skill")).toEqual(["add workspace/skills/tea → skills/tea"]);
  expect(lines(report, "workspace")).toContain("skip workspace/passwd → ");
  expect(existsSync(join(app.home, "workspace/passwd"))).toBe(false);
  expect((await app.run(["skills", "show", "tea"])).out).toContain("margay skills approve tea");
});

test("a skill that would not be installed is named with the reason, and the others are taken over", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  const skills = join(home, "workspace/skills");
  mkdirSync(join(skills, "linked"));
  copyFileSync(join(skills, "tea/SKILL.md"), join(skills, "linked/SKILL.md"));
  symlinkSync("/etc/passwd", join(skills, "linked/users"));
  mkdirSync(join(skills, "silent"));
  writeFileSync(join(skills, "silent/SKILL.md"), "---\nname: silent\n---\n\nSay nothing.\n");
  const report = await imported(app, home);
  expect(lines(report, "skill").toSorted()).toEqual([
    "add workspace/skills/tea → skills/tea",
    "skip workspace/skills/linked → skills/linked",
    "skip workspace/skills/silent → skills/silent",
  ]);
  expect(report.items.find(({ to }) => to === "skills/linked")?.reason).toContain("link");
  expect(report.items.find(({ to }) => to === "skills/silent")?.reason).toContain("description");
  expect(readdirSync(join(app.home, "workspace/skills"))).toEqual(["tea"]);
});

test("an OpenClaw home: workspace, memory by day, sessions with their calls", async () => {
  const app = margay();
  const home = openclawHome(app.directory);
  const before = fingerprint(home);
  const report = await imported(app, home);
  expect(fingerprint(home)).toEqual(before);
  expect(report.kind).toBe("openclaw");
  expect(lines(report, "workspace").map((line) => line.split(" → ")[1])).toEqual(["AGENTS.md", "SOUL.md", "USER.md"]);
  const memory = join(app.home, "workspace/memory");
  expect(readFileSync(join(memory, "MEMORY.md"), "utf8")).toBe("- Ada likes oolong.\n");
  expect(readFileSync(join(memory, "HISTORY.md"), "utf8")).toBe(
    "[2026-02-01 00:00] Bought a kettle.\n\n[2026-02-01 00:00] It whistles.\n",
  );
  const shown = (await app.run(["sessions", "show", "openclaw:0b1c"])).out;
  expect(shown).toContain('→ read {"path":"MEMORY.md"}');
  expect(shown).toContain("Oolong.");
  expect((await imported(app, home)).counts).toMatchObject({ add: 0, merge: 0 });
});

test("a CountBot database: conversations and jobs; a table that is not understood is named with its columns", async () => {
  const app = margay();
  const home = countbotHome(app.directory);
  const before = fingerprint(home);
  const report = await imported(app, home);
  expect(fingerprint(home)).toEqual(before);
  expect(lines(report, "session")).toEqual(["add data/countbot.db messages 7 → countbot:7"]);
  expect(report.items.find((item) => item.from === "data/countbot.db moods")?.reason).toContain("day, mood");
  expect((await app.run(["sessions", "show", "countbot:7"])).out).toContain("米索。");
  expect(lines(report, "job")).toEqual([
    "add data/countbot.db cron_jobs daily-report → countbot-daily-report",
    "skip data/countbot.db cron_jobs beat → ", // margay has its own: as a job it would be a paid turn each hour
  ]);
  expect((await imported(app, join(home, "data", "countbot.db"))).counts).toMatchObject({ add: 0, merge: 0 });
});

test("a damaged database is named, and nothing of it is taken", async () => {
  const app = margay();
  const home = countbotHome(app.directory);
  const file = join(home, "data", "countbot.db");
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 7)]));
  const report = await imported(app, home);
  expect(report.items).toEqual([
    { area: "session", from: "data/countbot.db", status: "skip", reason: expect.stringContaining("cannot be read") },
  ]);
});

test("what is no home of another system is refused with what to give instead", async () => {
  const app = margay();
  const ran = await app.run(["import", app.directory]);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain("config.json, openclaw.json or AGENTS.md");
  app.configure({});
  expect((await app.run(["import", app.home])).err).toContain("own state directory");
  expect(readdirSync(app.home)).toEqual(["config.json"]);
});

test("a damaged session here is a conflict of its own: everything else is taken over", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  await app.run(["agent", "-m", "hello", "--session", "telegram:42"]);
  const folder = join(app.home, "sessions");
  const path = join(folder, readdirSync(folder).find((name) => name.endsWith(".journal")) ?? "");
  const [first = "", second = "", ...rest] = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, [first, second.replace('"at":', '"At":'), ...rest].join("\n"));
  const { items, counts } = await imported(app, home);
  expect(items.find((item) => item.area === "session" && item.to === "telegram:42")).toMatchObject({
    status: "conflict",
    reason: expect.stringContaining("line 2 cannot be read") as string,
  });
  expect(counts["add"]).toBeGreaterThan(3);
});

test("memory is not written through a link, neither of the folder nor of a file", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  const outside = join(app.directory, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "HISTORY.md"), "Not yours.\n");
  mkdirSync(join(app.home, "workspace"), { recursive: true });
  symlinkSync(outside, join(app.home, "workspace/memory"));
  const report = await imported(app, home);
  expect(lines(report, "memory").map((line) => line.split(" ")[0])).toEqual(["conflict", "conflict"]);
  expect(readdirSync(outside)).toEqual(["HISTORY.md"]);
  expect(readFileSync(join(outside, "HISTORY.md"), "utf8")).toBe("Not yours.\n");
});

test("what cannot be read is named, and everything else is taken over", async () => {
  const app = margay();
  const home = nanobotHome(app.directory);
  const unreadable = ["sessions/telegram_9.jsonl", "workspace/memory/HISTORY.md", "cron/jobs.json"];
  for (const path of unreadable) {
    writeFileSync(join(home, path), "");
    chmodSync(join(home, path), 0);
  }
  const closed = join(home, "workspace/private");
  mkdirSync(closed, { mode: 0 });
  onTestFinished(() => chmodSync(closed, 0o700)); // whoever is not root can only remove what they may look into
  mkdirSync(join(home, "media"));
  writeFileSync(join(home, "media/miso.png"), "", { mode: 0 });
  const row = { role: "user", content: "this is her", media: ["media/miso.png"], timestamp: "2026-01-15T10:05:00" };
  appendFileSync(join(home, "sessions/telegram_42.jsonl"), `\n${JSON.stringify(row)}`);
  asNobody(app.directory);
  const { items, counts } = await imported(app, home);
  for (const path of [...unreadable, "workspace/private"])
    expect(items.find((item) => item.from === path)).toMatchObject({
      status: "skip",
      reason: expect.stringContaining("cannot be read") as string,
    });
  expect(items.find((item) => item.from === "media/")?.status).toBe("skip");
  expect(items.find((item) => item.to === "telegram:42")?.status).toBe("add");
  expect(counts["add"]).toBeGreaterThan(3);
});

test("settings of OpenClaw that cannot be parsed are named with the reason, and everything else is taken over", async () => {
  const app = margay();
  const home = openclawHome(app.directory);
  writeFileSync(join(home, "openclaw.json"), "{ agents: ");
  const { items } = await imported(app, home);
  expect(items.find((item) => item.from === "openclaw.json")).toMatchObject({
    status: "skip",
    reason: expect.stringContaining("JSON5: invalid end of input") as string,
  });
  expect(items.find((item) => item.to === "openclaw:0b1c")?.status).toBe("add");
});

/** Root may read everything: until the test ends, this process is somebody who may not. */
function asNobody(directory: string): void {
  if (process.geteuid?.() !== 0) return;
  const own = (path: string): void => {
    chownSync(path, NOBODY, NOBODY);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) own(join(path, name));
  };
  own(directory);
  process.seteuid?.(NOBODY);
  onTestFinished(() => process.seteuid?.(0));
}
