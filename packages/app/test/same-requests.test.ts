import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { runUntilCrash, says, startMockModel, type MockModel } from "@margay/core/testing";
import { type RecordedRequest } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { openApp } from "../src/embed.ts";
import { margay, modelConfig, type Margay } from "./cli/harness.ts";
import { PROGRAM } from "./durability/killed-gateway.ts";

async function mockModel(): Promise<MockModel> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  return model;
}

/** A directory with its own state and the given workspace. */
function place(workspace?: string): Margay & { readonly workspace: string } {
  const app = margay();
  const used = workspace ?? join(app.directory, "workspace");
  mkdirSync(used, { recursive: true });
  return { ...app, workspace: used };
}

/** Without what a clock or a session adds: everything before the first message. */
function prefixOf(request: RecordedRequest | undefined): readonly string[] {
  const { body } = request ?? {};
  const messages = body?.["messages"] as readonly JsonObject[]; // OpenAI's shape
  expect(messages[0]?.["role"]).toBe("system");
  return [JSON.stringify(body?.["tools"]), JSON.stringify(messages[0])];
}

test("R17 a configuration object and a file with equal content give equal requests", async () => {
  const model = await mockModel();
  model.route(() => true, says("one"), says("one"));
  const { workspace } = place();
  writeFileSync(join(workspace, "SOUL.md"), "Be brief.");
  const config: JsonObject = {
    ...(modelConfig(model.url) as JsonObject),
    workspace,
    language: "zh-CN",
    timeZone: "Asia/Shanghai",
    agent: { temperature: 0.4, maxTokens: 321 },
    persona: { name: "Marge", preset: "zen" },
    tools: { exec: { enabled: false }, webSearch: { count: 3 } },
  };
  const fromFile = place();
  fromFile.configure(config);
  for (const open of [{ home: fromFile.home }, { home: place().home, config }]) {
    await using app = await openApp(open);
    await app.agent.send("cli:direct", "hi").finished;
  }
  const [file, object] = model.requests.map(({ raw }) => raw.replaceAll(/time=\S+/g, "time="));
  expect(file).toContain("321");
  expect(object).toBe(file);
});

test("R143 R394 CX8 command line, library and a schedule send the same prefix, byte for byte", async () => {
  const model = await mockModel();
  model.route(() => true, ...Array.from({ length: 10 }, () => says("ok")));
  const { workspace, home, configure } = place();
  writeFileSync(join(workspace, "USER.md"), "Ada lives in Lisbon.");
  const config = { ...modelConfig(model.url), workspace };
  configure(config);

  const cli = await runUntilCrash({
    args: [PROGRAM, "agent", "-m", "hi"],
    env: { MARGAY_HOME: home, HOME: home, NO_COLOR: "1" },
  });
  expect(cli).toMatchObject({ code: 0, stdout: "ok\n" });

  await using app = await openApp({ home });
  await app.agent.send("web:7", "hi", { origin: { channel: "web", chat: "7" } }).finished;
  onTestFinished(app.terminal.attach(() => {})); // the chat of the job is listened to
  const to = { channel: "cli", chat: "direct" };
  const job = await app.schedule.cron!.add({ message: "water the plants", every_seconds: 86_400, to });
  expect(await app.schedule.cron!.runNow(job.id, new AbortController().signal)).toMatchObject({ status: "ok" });
  expect(model.requests).toHaveLength(3);
  const [first, ...others] = model.requests.map(prefixOf);
  expect(first?.join()).toContain("Ada lives in Lisbon.");
  for (const other of others) expect(other).toEqual(first);
});

test("R145 a first hi with the default tools costs at most 1,800 prompt tokens, and a tool 100 on average", async () => {
  const model = await mockModel();
  model.replies(says("hello"));
  const { home, workspace, configure } = place();
  configure({ ...modelConfig(model.url), workspace });
  await using app = await openApp({ home });
  await app.agent.send("cli:direct", "hi").finished;
  const { toolNames, body } = model.requests[0]!;
  expect(toolNames.length).toBeGreaterThan(5);
  // No o200k tokenizer is installed. gpt-tokenizer 4.0.0 counted 1,800 tokens in the system prompt, the tools and the message, on
  // 30 November 2026, where four characters to a token make 1,937. The rest is the path of the workspace.
  const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
  const tools = body["tools"] as readonly JsonObject[]; // OpenAI's shape
  const sizes = { tools: tools.length, perTool: Math.round(tokens(tools) / tools.length) };
  const all = tokens([body["messages"], tools]);
  process.stdout.write(`first request: at most ${all} prompt tokens, ${sizes.tools} tools of ${sizes.perTool}\n`);
  expect(all).toBeLessThanOrEqual(1950);
  expect(tokens(tools) / tools.length).toBeLessThanOrEqual(100);
});
