// What the contract says of the whole assistant as a person gets it: its tools, its subagents, chats beside each other.
import { join } from "node:path";
import { type JournalRecord, type JsonObject } from "@margay/core";
import { toSchema } from "@margay/core/internal";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { type RecordedRequest } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import type { App } from "../src/app.ts";
import { openApp } from "../src/embed.ts";
import { margay, modelConfig } from "./cli/harness.ts";

async function assistant(config: JsonObject = {}): Promise<{ readonly app: App; readonly model: MockModel }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const made = margay();
  made.configure({ ...modelConfig(model.url), workspace: join(made.directory, "workspace"), ...config });
  const app = await openApp({ home: made.home });
  onTestFinished(() => app[Symbol.asyncDispose]());
  return { app, model };
}

async function recordsOf(app: App, key: string): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  const session = await app.agent.sessions.find(key);
  if (session !== undefined) for await (const commit of session.history()) records.push(...commit.records);
  return records;
}

/** By name: the effect, and the parameters in the order of their names; those of the seeds and the promised extra ones. */
const TOOLS: Readonly<Record<string, readonly [effect: string, parameters: string]>> = {
  cron: ["idempotent", "action at cron_expr every_seconds job_id message misfire mode tz"],
  edit_file: ["write", "new_text old_text path replace_all"],
  exec: ["write", "command timeout working_dir"],
  list_dir: ["read", "path"],
  message: ["idempotent", "channel chat_id content media"],
  read_file: ["read", "limit offset path"],
  recall: ["read", "limit query"],
  remember: ["idempotent", "replaces text"],
  search_files: ["read", "glob limit path pattern"],
  spawn: ["idempotent", "label task wait"],
  use_skill: ["read", "name"],
  web_fetch: ["read", "extractMode maxChars url"],
  web_search: ["read", "count query"],
  write_file: ["idempotent", "content path"],
};

test("R95 R93 the default tools have the names, parameters and effects that are promised", async () => {
  const { app, model } = await assistant();
  const effects = new Map(app.agent.tools.list().map(({ name, effect }) => [name, effect]));
  const found = app.agent.tools.list().map((tool) => {
    const { name, parameters } = toSchema(tool).function;
    const names = Object.keys(parameters["properties"] as JsonObject).toSorted(); // every tool declares properties
    return [name, [effects.get(name), names.join(" ")]];
  });
  expect(Object.fromEntries(found)).toEqual(TOOLS);
  model.replies(says("hello"));
  await app.agent.send("cli:direct", "hi").finished;
  expect(model.requests[0]?.toolNames.toSorted()).toEqual(Object.keys(TOOLS)); // and that is what a model is offered
});

test("R197 R12 a subagent asks the same model with the same settings, also after they were changed", async () => {
  const { app, model } = await assistant({
    agent: { temperature: 0.3, maxTokens: 777, thinking: "low" },
  });
  const isChild = ({ system }: RecordedRequest): boolean => system.includes("You are a subagent");
  const settings = ({ body }: RecordedRequest): JsonObject => {
    const { messages: _messages, tools: _tools, ...rest } = body as JsonObject;
    return rest;
  };
  const compare = async (): Promise<JsonObject> => {
    const before = model.requests.length;
    model.route(isChild, says("counted"));
    model.route((request) => !isChild(request), callsTool("spawn", { task: "count", wait: true }), says("done"));
    await app.agent.send("cli:direct", "count them").finished;
    const asked = model.requests.slice(before);
    const [child, parent] = [asked.filter(isChild), asked.filter((request) => !isChild(request))].map((all) =>
      settings(all[0]!),
    );
    expect(child).toEqual(parent);
    return parent ?? {};
  };
  expect(await compare()).toMatchObject({ model: "mock-model", temperature: 0.3, max_tokens: 777 });
  app.agent.configure({ settings: { temperature: 0.9 }, model: { provider: "mock", model: "another" } });
  expect(await compare()).toMatchObject({ model: "another", temperature: 0.9, max_tokens: 777 });
});

const LISTED = "chmod 777 .";
test.each(["nanobot", "countbot"])(
  "R408 in the profile %s a listed command gets the exact text at once",
  async (profile) => {
    const { app, model } = await assistant({ profile });
    model.replies(callsTool("exec", { command: LISTED }), says("as you like"));
    await app.agent.send("cli:direct", "open it").finished;
    expect(model.requests.at(-1)?.toolResults.at(-1)?.text).toBe(
      String.raw`Error: exec refused: the command matches the deny list (\bchmod\s+777\b). Next: use a safer command or ask the operator.`,
    );
  },
);

test("R408 with the defaults a listed command waits for a person, and no process is started", async () => {
  const { app, model } = await assistant();
  model.replies(callsTool("exec", { command: LISTED }), says("as you like"));
  const turn = app.agent.send("web:one", "open it", {
    origin: { channel: "web", chat: "one" },
    attended: true,
  });
  await expect.poll(async () => (await app.agent.approvals()).length).toBe(1);
  const judged = (await recordsOf(app, "web:one")).filter((record) => record.type === "call.judged");
  expect(judged).toMatchObject([{ rule: "exec deny list", verdict: "ask" }]);
  await app.agent.control("web:one", { type: "stop", withdraw: false }, { id: "web", kind: "person" });
  await turn.finished;
  expect((await recordsOf(app, "web:one")).map(({ type }) => type)).not.toContain("tool.started");
});

test("EX14 SB9 a subagent's command has the deny list and the sandbox of its parent's, and nobody to ask", async () => {
  const { app, model } = await assistant({ tools: { exec: { sandbox: "required" } } });
  const isChild = ({ system }: RecordedRequest): boolean => system.includes("You are a subagent");
  const outside = import.meta.filename;
  model.route(
    isChild,
    callsTool("exec", { command: LISTED }),
    callsTool("exec", { command: `wc -l ${outside}` }),
    says("no"),
  );
  model.route((request) => !isChild(request), callsTool("spawn", { task: "open it", wait: true }), says("done"));
  const turn = app.agent.send("web:one", "open it", { origin: { channel: "web", chat: "one" }, attended: true });
  expect((await turn.finished).text).toBe("done");
  const results = model.requests
    .filter(isChild)
    .at(-1)
    ?.toolResults.map(({ text }) => text);
  expect(results).toEqual([
    expect.stringMatching(/^Error: exec refused: the command matches the deny list/),
    expect.stringMatching(/No such file or directory\nExit code: 1$/),
  ]);
});

test("R398 R44 two chats beside each other, fifty turns each with message, spawn and cron: neither sees a word of the other", async () => {
  const { app, model } = await assistant({ policy: { rules: [{ tool: "*", action: "allow" }] } });
  const chats = ["left", "right"] as const;
  const own = (request: RecordedRequest): readonly string[] =>
    chats.filter((chat) =>
      [...request.texts("user"), ...request.toolResults.map(({ text }) => text)].some((text) => text.includes(chat)),
    );
  const call = (chat: string, n: number): ReturnType<typeof callsTool> =>
    n % 3 === 0
      ? callsTool("message", { content: `${chat} says ${n}` })
      : n % 3 === 1
        ? callsTool("spawn", { task: `${chat} child ${n}`, wait: true })
        : callsTool("cron", { action: "add", message: `${chat} job ${n}`, every_seconds: 86_400 });
  model.route(
    () => true,
    ...Array.from({ length: 500 }, () => (request: RecordedRequest) => {
      const last = request.texts("user").at(-1) ?? "";
      const [, chat = "", n = "0"] = /I am (\w+), part (\d+)/.exec(last) ?? [];
      if (chat === "") return says(`done: ${last.slice(0, 40)}`);
      return request.messages.at(-1)?.role === "tool" ? says(`${chat} ${n}`) : call(chat, Number(n));
    }),
  );
  const talk = async (chat: string): Promise<void> => {
    for (let n = 0; n < 50; n++) {
      const turn = app.agent.send(`web:${chat}`, `I am ${chat}, part ${n}`, { origin: { channel: "web", chat } });
      expect((await turn.finished).text).toBe(`${chat} ${n}`);
    }
  };
  await Promise.all(chats.map(talk));
  // A stop of one is no stop of the other.
  const held = chats.map((chat) =>
    app.agent.send(`web:${chat}`, `I am ${chat}, part 97`, { origin: { channel: "web", chat } }),
  );
  await app.agent.control("web:left", { type: "stop", withdraw: false }, { id: "web", kind: "person" });
  expect((await held[1]?.finished)?.text).toBe("right 97");
  await held[0]?.finished;
  for (const request of model.requests) expect(own(request)).toHaveLength(1);
  for (const chat of chats) {
    const records = await recordsOf(app, `web:${chat}`);
    const queued = records.filter((record) => record.type === "reply.queued");
    expect(new Set(queued.map(({ to }) => to.chat))).toEqual(new Set([chat]));
    const said = JSON.stringify(queued);
    expect([said.includes("left"), said.includes("right")]).toEqual([chat === "left", chat === "right"]);
    expect(queued.filter(({ kind }) => kind === "message")).toHaveLength(17);
  }
  const jobs = (await app.schedule.cron?.list()) ?? [];
  expect(jobs).toHaveLength(2 * 16);
  for (const { message, to } of jobs) expect(message.startsWith(to?.chat ?? "?")).toBe(true);
});
