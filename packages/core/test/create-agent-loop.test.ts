// createAgentLoop with nothing but a provider and a workspace, and with parts of one's own.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import type { AgentLoop, ContextBuilder, Memory, Provider } from "../src/index.ts";
import type { AgentLoopOptions, Recall } from "../src/internal.ts";
import type { Skills } from "../src/internal.ts";
import { createAgentLoop, createRegistry, openSessions } from "../src/index.ts";
import { openJournalDirectory, systemClock } from "../src/internal.ts";
import { callsTool, says, startMockModel, type MockModel } from "../src/testing.ts";
import { callsTools, stalls } from "../src/internal-testing.ts";
import { tool } from "./support/agent.ts";
import { temporaryFolder, type Folder } from "./support/folder.ts";
import { startCron } from "./schedule/support.ts";
import { chatProvider } from "./support/wires.ts";

interface Scene {
  readonly loop: AgentLoop;
  readonly model: MockModel;
  readonly folder: Folder;
}

async function scene(
  options: Partial<AgentLoopOptions> | ((folder: Folder) => Partial<AgentLoopOptions>) = {},
): Promise<Scene> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const model = await startMockModel();
  onTestFinished(() => model.close());
  await mkdir(folder.at("workspace"));
  const loop = await createAgentLoop({
    provider: chatProvider(model),
    workspace: folder.at("workspace"),
    directory: folder.at("home"),
    ...(typeof options === "function" ? options(folder) : options),
  });
  onTestFinished(() => loop[Symbol.asyncDispose]());
  return { loop, model, folder };
}

const ALL =
  "edit_file exec list_dir message read_file recall remember search_files spawn use_skill web_fetch web_search write_file";

test("DF27 R3 R6 a provider and a workspace give every tool whose service can be made, and they work", async () => {
  const { loop, model, folder } = await scene();
  model.route((request) => request.system.includes("You are a subagent"), says("counted"));
  model.replies(
    callsTool("remember", { text: "Ada lives in Lisbon." }),
    callsTools([
      { name: "recall", args: { query: "Lisbon" } },
      { name: "write_file", args: { path: "a.txt", content: "hi" } },
      { name: "spawn", args: { task: "count", wait: true } },
    ]),
    says("all done"),
  );
  expect(await loop.processDirect("go")).toBe("all done");
  expect(model.requests[0]?.toolNames.join(" ")).toBe(ALL);
  expect(await readFile(folder.at("workspace", "memory", "MEMORY.md"), "utf8")).toContain("Lisbon");
  expect(await readFile(folder.at("workspace", "a.txt"), "utf8")).toBe("hi");
  const results = model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
  expect(results[1]).toContain("Ada lives in Lisbon.");
  expect(results[3]).toContain("counted");
  const child = model.requests.find((request) => request.system.includes("You are a subagent"));
  expect(child?.toolNames.join(" ")).toBe(ALL.replace(/message |remember |spawn /g, ""));
});

test("R3 a service that is missing takes its own tools away, and one that is there brings them", async (t) => {
  const { cron } = await startCron(t);
  const withCron = await scene({ cron });
  await withCron.loop.processDirect("hi");
  expect(withCron.model.requests[0]?.toolNames.toSorted().join(" ")).toBe(`cron ${ALL}`);
  const withoutRecall = await scene((folder) => ({
    sessions: openSessions({
      journals: openJournalDirectory(folder.at("elsewhere")),
      clock: systemClock(),
      observers: [],
    }),
  }));
  await withoutRecall.loop.processDirect("hi");
  expect(withoutRecall.model.requests[0]?.toolNames.join(" ")).toBe(ALL.replace("recall ", ""));
  expect(await openJournalDirectory(withoutRecall.folder.at("elsewhere")).list()).toHaveLength(1);
});

test("R6 R95 an injected registry with one tool is all there is in the request, and what is registered later joins it", async () => {
  const registry = createRegistry([tool("only")]);
  const { loop, model } = await scene({ tools: registry });
  model.replies(callsTool("only"), says("done"));
  expect(await loop.processDirect("go")).toBe("done");
  expect(model.requests.map(({ toolNames }) => toolNames)).toEqual([["only"], ["only"]]);
  registry.register(tool("later"));
  model.expectNewEpoch("a tool was registered");
  await loop.processDirect("and now");
  expect(model.requests.at(-1)?.toolNames).toEqual(["later", "only"]);
});

test("R6 injected memory, search, skills and context are the ones that are used", async () => {
  const remembered: string[] = [];
  const memory: Memory = {
    facts: () => Promise.resolve("- the injected fact"),
    hash: (text) => text,
    rewrite: () => Promise.resolve(),
    log: () => Promise.resolve(),
    remember: (text) => {
      remembered.push(text);
      return Promise.resolve("remembered");
    },
  };
  const recall: Recall = {
    search: (query) => Promise.resolve([{ source: "elsewhere", line: 1, text: `found ${query}`, untrusted: false }]),
  };
  const context: ContextBuilder = {
    freeze: () => Promise.resolve({ hash: "h", system: "The prompt of the test.", tools: [] }),
    notices: () => Promise.resolve([]),
    project: ({ messages }) => messages,
  };
  const skill = { body: "Boil the water first.", directory: "/kitchen", location: "skills/tea/SKILL.md" };
  const tea = { name: "tea", description: "Makes tea.", always: false, missing: [], ...skill };
  const own: Skills = {
    all: () => Promise.resolve([]),
    list: () => Promise.resolve([tea]),
    read: () => Promise.resolve(tea.body),
    load: () => Promise.resolve(undefined),
    names: () => Promise.resolve([tea.name]),
    find: () => Promise.resolve(undefined),
    isUntrusted: () => Promise.resolve(false),
  };
  const { loop, model } = await scene({ memory, recall, context });
  await loop.executeTool("remember", { text: "tea" });
  expect(remembered.join()).toContain("tea");
  expect(await loop.executeTool("recall", { query: "needle" })).toContain("found needle");
  await loop.processDirect("hi");
  expect(model.requests[0]?.system).toBe("The prompt of the test.");
  const skilled = await scene({ memory, skills: own });
  await skilled.loop.processDirect("hi");
  expect(skilled.model.requests[0]?.system).toContain("Makes tea.");
});

const DIG = { name: "dig", description: "Digs.", inputSchema: { type: "object" } };

test("R6 R193 injected subagents get their own tools and prompt", async () => {
  const tools = createRegistry([tool("dig")]);
  const context: ContextBuilder = {
    freeze: () => Promise.resolve({ hash: "h", system: "You dig.", tools: [DIG] }),
    notices: () => Promise.resolve([]),
    project: ({ messages }) => messages,
  };
  const limits = { maxIterations: () => 2, concurrency: () => 1, timeoutMs: () => 60_000 };
  const { loop, model } = await scene({ subagents: { tools, context, ...limits } });
  model.route((request) => request.system === "You dig.", says("dug"));
  model.replies(callsTool("spawn", { task: "dig", wait: true }), says("done"));
  expect(await loop.processDirect("go")).toBe("done");
  const child = model.requests.find((request) => request.system === "You dig.");
  expect(child?.toolNames).toEqual(["dig"]);
  expect(model.requests.at(-1)?.toolResults[0]?.text).toContain("dug");
});

test("DF27 R17 an option that would do nothing is refused by name", async () => {
  const refused = async (options: object): Promise<unknown> =>
    scene(options).then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(await refused({ config: { agent: { temperature: 0.3 } } })).toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining("margay") as string,
  });
  expect(await refused({ maxIteration: 3 })).toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining("Did you mean maxIterations?") as string,
  });
  expect(await refused({ settings: { maxTokenz: 3 } })).toMatchObject({
    message: expect.stringContaining("settings.maxTokens") as string,
  });
});

test("R27 tools, prompt, media and provider are extended from outside of the loop", async () => {
  const asked: string[] = [];
  const provider: Provider = {
    id: "own",
    async *stream({ prefix, messages }) {
      asked.push(prefix.system);
      const media = messages
        .flatMap((message) => (message.role === "user" ? message.parts : []))
        .map(({ type }) => type);
      await Promise.resolve();
      yield { type: "part", index: 0, part: { type: "text", text: media.join(" ") } };
      yield { type: "done", finish: "stop", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };
    },
  };
  const { loop, folder } = await scene({ provider });
  await writeFile(folder.at("workspace", "SOUL.md"), "Speak like a pirate.");
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await writeFile(folder.at("workspace", "dot.png"), Buffer.from(png, "base64"));
  const running = loop.run();
  const message = { channel: "chat", senderId: "ann", chatId: "1", content: "look", metadata: { of: "the sender" } };
  expect(await loop.publishInbound({ ...message, media: ["dot.png"] })).toMatchObject({ status: "accepted" });
  expect(await loop.consumeOutbound()).toMatchObject({ content: "media text" });
  expect(asked[0]).toContain("Speak like a pirate.");
  loop.stop();
  await running;
});

test("R18 a loop that is closed has ended what was in hand before what it uses is released", async () => {
  const { loop, model } = await scene();
  model.replies(stalls());
  let ended = false;
  const direct = loop.processDirect("go").catch(() => (ended = true));
  await model.received(1);
  await loop[Symbol.asyncDispose]();
  expect(ended).toBe(true);
  await direct;
});
