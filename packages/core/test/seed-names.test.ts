// The seeds' names over what exists: that each does what the part behind it does.
import { expect, test } from "vitest";
import * as core from "../src/index.ts";
import * as internal from "../src/internal.ts";
import type { Provider, SubagentManager } from "../src/index.ts";
import type { AgentLoopOptions } from "../src/internal.ts";
import { openSkills } from "../src/builtin.ts";
import { callsTool, fakeClock, recordingChannel, says, startMockModel } from "../src/testing.ts";
import { stalls } from "../src/internal-testing.ts";
import { startAgent, tool } from "./support/agent.ts";
import { temporaryFolder, type Folder } from "./support/folder.ts";
import { chatProvider } from "./support/wires.ts";
import { CHAT as JOB_CHAT, startCron } from "./schedule/support.ts";
import { mkdir, readFile, writeFile } from "node:fs/promises";

const never = new AbortController().signal;
const ids = () => {
  let last = 0;
  return { next: (kind: string) => `${kind}-${++last}` };
};

/** What a release may add to but not take from: removing a name breaks programs. */
const EXPORTS =
  `ERROR_CODES RuntimeError createAgent createAgentLoop createContext createCron createGreeting createHeartbeat createMemoryStore createPolicy createRegistry createSeedContextBuilder createSessionManager createSkillsLoader createSubagentManager defineTool hasCode httpProvider languageModel openMemory openSessions providerFromChat toolError withFallback`.split(
    " ",
  );

test("R289 the names that @margay/core exports are pinned", () => {
  expect(Object.keys(core).toSorted()).toEqual(EXPORTS);
});

test("R289 createAgentLoop takes the seeds' parameters and gives an async disposable over the directory named", async () => {
  await using folder = await temporaryFolder();
  const model = await startMockModel({});
  await mkdir(folder.at("workspace"));
  const options = {
    provider: chatProvider(model) satisfies Provider,
    workspace: folder.at("workspace"),
    directory: folder.at("state"),
    maxIterations: 3,
    maxRetries: 2,
    retryDelayMs: 10,
    temperature: 0.4,
    maxTokens: 99,
    memoryWindow: 20,
    tools: [tool("note")],
  } satisfies AgentLoopOptions;
  {
    await using loop = await core.createAgentLoop(options);
    const { maxIterations, maxRetries, retryDelayMs, temperature, maxTokens, memoryWindow } = options;
    expect(loop.agent.settings).toMatchObject({
      maxIterations,
      maxRetries,
      retryDelayMs,
      temperature,
      maxTokens,
      memoryWindow,
    });
    model.replies(says("hello"));
    expect(await loop.processDirect("hi")).toBe("hello");
  }
  expect(await internal.openJournalDirectory(folder.at("state/sessions")).list()).toHaveLength(1);
  await model.close();
});

test("R296 a ContextBuilder of one's own freezes, announces and projects", async (t) => {
  const called = new Set<string>();
  const { agent, model } = await startAgent(t, {
    context: {
      freeze: () => {
        called.add("freeze");
        return Promise.resolve({ system: "You are a test.", tools: [], hash: "h" });
      },
      notices: () => {
        called.add("notices");
        return Promise.resolve([]);
      },
      project: (state) => {
        called.add("project");
        return internal.project(state);
      },
    },
  });
  model.replies(says("ok"));
  await agent.send("test:1", "hi").finished;
  expect([...called].toSorted()).toEqual(["freeze", "notices", "project"]);
  expect(model.requests[0]?.system).toBe("You are a test.");
});

test("R297 a ToolRegistry holds what defineTool made; a tool registered later is offered in the next context", async (t) => {
  const tools = core.createRegistry([tool("first")]);
  const { agent, model } = await startAgent(t, { tools });
  tools.register(
    core.defineTool<{ readonly city: string }>({
      name: "weather",
      description: "The weather of a city.",
      input: { properties: { city: { type: "string" } }, required: ["city"] },
      effect: "read",
      execute: ({ city }) => Promise.resolve(`Sunny in ${city}.`),
    }),
  );
  model.replies(callsTool("weather", { city: "Bern" }), says("It is sunny."));
  expect((await agent.send("test:1", "weather?").finished).toolsUsed).toEqual(["weather"]);
  expect(model.requests[0]?.toolNames.toSorted()).toEqual(["first", "weather"]);
  expect(tools.get("weather")?.name).toBe("weather");
});

test("R298 SessionManager: getOrCreate, getHistory, save, invalidate and list agree about one session", async (t) => {
  await using folder = await temporaryFolder();
  const sessions = core.openSessions({ journals: internal.openJournalDirectory(folder.at("s")), clock: fakeClock() });
  const { agent, model } = await startAgent(t, { sessions });
  const manager = core.createSessionManager({ sessions });
  model.replies(says("one"), says("two"));
  await agent.send("test:1", "first").finished;
  await agent.send("test:1", "second").finished;
  const session = await manager.getOrCreate("test:1");
  expect(session.getHistory(2)).toMatchObject([{ content: "second" }, { content: "two" }]);
  await manager.save(session);
  manager.invalidate("test:1");
  expect(await manager.getOrCreate("test:1")).toMatchObject({ messages: session.messages });
  expect((await manager.list()).map(({ key }) => key)).toEqual(["test:1"]);
});

test("R299 MemoryStore reads and writes MEMORY.md, appends to HISTORY.md and finds both", async () => {
  await using folder = await temporaryFolder();
  const clock = fakeClock();
  const memory = core.openMemory({
    workspace: folder.path,
    versions: folder.at("versions"),
    timeZone: "UTC",
    redact: (text) => text,
  });
  using recall = internal.openRecall({
    workspace: folder.path,
    directory: folder.at("index"),
    sessions: () => Promise.resolve([]),
    commits: async function* () {},
  });
  const store = core.createMemoryStore(memory, recall, clock);
  expect(await store.readLongTerm()).toBe("");
  await store.writeLongTerm("- Lives in Bern\n");
  await store.writeLongTerm("- Lives in Basel\n");
  await store.appendHistory("Moved to Basel.");
  expect(await store.readLongTerm()).toBe("- Lives in Basel\n");
  expect(await readFile(folder.at("memory/HISTORY.md"), "utf8")).toBe("[2026-03-01 12:00] Moved to Basel.\n");
  expect((await store.search("Basel")).map(({ source }) => source).toSorted()).toEqual(["history", "memory"]);
  expect(await store.search("Bern")).toEqual([]);
});

test("R300 SkillsLoader lists, loads, names what is always on and sums up the others", async () => {
  await using folder = await temporaryFolder();
  await skill(folder, "tides", "description: When the sea comes.", "Look at the moon.");
  await skill(folder, "manners", "description: How to speak.\nalways: true", "Be kind.");
  const loader = core.createSkillsLoader(
    openSkills({
      workspace: folder.at("nowhere"),
      bundled: folder.at("skills"),
      approvals: folder.at("approvals.json"),
      disabled: () => [],
      facts: { environment: {}, tools: () => [], features: [], os: "linux" },
      log: internal.silentLog,
    }),
  );
  expect([...(await loader.list())].toSorted()).toEqual(["manners", "tides"]);
  expect(await loader.load("tides")).toContain("Look at the moon.");
  expect(await loader.load("unknown")).toBeUndefined();
  expect(await loader.alwaysOn()).toEqual(["manners"]);
  const summary = await loader.buildSummary();
  expect(summary).toContain("<name>tides</name><description>When the sea comes.</description>");
  expect(summary).not.toContain("manners");
});

test("R301 R197 SubagentManager starts a child in a chat, with the agent's model, lists it, cancels it; the result goes to the chat", async (t) => {
  const channel = recordingChannel("test");
  const { agent, model } = await startAgent(t, {
    channels: [channel],
    settings: { temperature: 0.3, maxTokens: 77 },
    subagents: {
      tools: core.createRegistry([tool("note")]),
      context: {
        freeze: () => Promise.resolve({ system: "You are a child.", tools: [], hash: "h" }),
        notices: () => Promise.resolve([]),
        project: internal.project,
      },
      maxIterations: () => 15,
      concurrency: () => 2,
      timeoutMs: () => 60_000,
    },
  });
  const manager: SubagentManager = core.createSubagentManager(agent, ids());
  model.route((request) => request.system === "You are a child.", says("Counted 3."));
  model.route(
    (request) => request.system !== "You are a child.",
    says("There are 3 of them."),
    says("It was cancelled."),
  );
  const chat = { channel: "test", chatId: "7" };
  expect(await manager.spawn("count them", { ...chat, label: "counter" })).toMatch(/^Started subagent counter/);
  await channel.received(1);
  expect(channel.sent[0]).toMatchObject({ to: { channel: "test", chat: "7" } });
  expect(channel.texts("reply")).toEqual(["There are 3 of them."]);
  const [child, parent] = model.requests.map(({ body }) => body);
  for (const name of ["model", "temperature", "max_tokens"]) expect(child?.[name]).toEqual(parent?.[name]);
  expect(parent).toMatchObject({ temperature: 0.3, max_tokens: 77 });
  await agent.idle();
  expect(await manager.list(chat)).toEqual([]);
  expect(await manager.cancel("subagent:nobody")).toBe(false);

  model.route((request) => request.system === "You are a child.", stalls());
  await manager.spawn("count for ever", { ...chat, label: "long" });
  await model.received(3);
  const running = await manager.list(chat);
  expect(running.map(({ label }) => label)).toEqual(["long"]);
  expect(await manager.cancel(running[0]!.id)).toBe(true);
  await channel.received(2);
  expect(channel.texts("reply")[1]).toBe("It was cancelled.");
});

test("R302 MessageBus: accept takes a message once, send queues one to a chat", async (t) => {
  const channel = recordingChannel("test");
  const { agent, model } = await startAgent(t, { channels: [channel] });
  model.replies(says("Hello."));
  const message = {
    key: "1",
    origin: { channel: "test", chat: "1" },
    from: { id: "ann", kind: "person" as const },
    parts: [{ type: "text" as const, text: "hi" }],
  };
  expect((await agent.bus.accept(message)).status).toBe("accepted");
  expect((await agent.bus.accept(message)).status).toBe("duplicate");
  await agent.bus.send("test:1", {
    reply: "r1",
    to: message.origin,
    kind: "message",
    parts: [{ type: "text", text: "By the way." }],
  });
  await channel.received(2);
  expect([...channel.texts()].toSorted()).toEqual(["By the way.", "Hello."]);
});

test("R303 CronService: add, list, remove and run(signal), which fires and ends when aborted", async (t) => {
  const { cron, clock, chat, go } = await startCron(t);
  const kept = await cron.add({ message: "tea", every_seconds: 3600, mode: "deliver", to: JOB_CHAT });
  const gone = await cron.add({ message: "coffee", every_seconds: 3600, mode: "deliver", to: JOB_CHAT });
  expect(await cron.remove(gone.id)).toBe(true);
  expect((await cron.list()).map(({ id }) => id)).toEqual([kept.id]);
  const stop = go();
  await clock.advance(3_600_000);
  await chat.received(1);
  expect(chat.texts()).toEqual(["tea"]);
  await stop();
});

test("R304 HeartbeatService and GreetingService: checkNow says what came of it, run(signal) ends when aborted", async (t) => {
  const { agent, clock, log, model } = await startAgent(t);
  const heartbeat = core.createHeartbeat({
    host: () => agent,
    settings: () => ({ enabled: true, intervalMs: 1_800_000, timeZone: "UTC" }),
    readTasks: () => Promise.resolve("# Tasks\n"),
    target: () => Promise.resolve({}),
    notify: () => Promise.resolve(),
    clock,
    log,
  });
  const greeting = core.createGreeting({
    host: () => agent,
    settings: () => ({
      enabled: true,
      idleMs: 1,
      maxPerDay: 1,
      quiet: internal.parseQuietHours("22-8"),
      timeZone: "UTC",
      language: "en",
      name: "margay",
    }),
    target: () => Promise.resolve({}),
    lastConversation: () => Promise.resolve(undefined),
    notify: () => Promise.resolve(),
    clock,
    log,
  });
  expect(await heartbeat.checkNow(never)).toBe("idle");
  expect(await greeting.checkNow(never)).toBe("no-target");
  const stopping = new AbortController();
  const running = [heartbeat.run(stopping.signal), greeting.run(stopping.signal)];
  stopping.abort(new Error("stop"));
  await Promise.all(running);
  expect(model.requests).toEqual([]);
});

test("R306 every RuntimeError has a code of the table, and every code is documented", async () => {
  const page = await readFile(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const codes = Object.keys(core.ERROR_CODES);
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  const error = new core.RuntimeError("state.locked", "Somebody else works here. Wait.");
  expect(error).toMatchObject({ code: "state.locked", message: "Somebody else works here. Wait." });
  expect(core.hasCode(error, "state.locked")).toBe(true);
  await using folder = await temporaryFolder();
  await mkdir(folder.at("workspace"));
  const provider: Provider = core.providerFromChat(() => Promise.reject(new Error("unused")));
  expect(() =>
    core.createAgent({
      directory: folder.at("workspace/state"),
      workspace: folder.at("workspace"),
      provider,
      model: { provider: "x", model: "x" },
    }),
  ).toThrow(expect.objectContaining({ code: "state.inside-workspace" }) as Error);
});

async function skill(folder: Folder, name: string, head: string, body: string): Promise<void> {
  await mkdir(folder.at("skills", name), { recursive: true });
  await writeFile(folder.at("skills", name, "SKILL.md"), `---\nname: ${name}\n${head}\n---\n${body}\n`);
}
