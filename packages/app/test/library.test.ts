// The package `margay` as a library: what its exports give, built and with types.
import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@margay/core";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { createAgentLoop, openAgent } from "margay";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./cli/harness.ts";

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, "..");
const TSC = join(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin/tsc");

async function mockModel(): Promise<MockModel> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  return model;
}

/** A program elsewhere that has the package installed. */
function elsewhere(program: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "margay-library-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(PACKAGE, join(folder, "node_modules/margay"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), program);
  return folder;
}

test("DF27 R3 R17 a program elsewhere opens the built assistant by its package, with types that need no other package", async () => {
  const model = await mockModel();
  model.replies(says("hello"));
  const folder = elsewhere(`
    import { openAgent, type OpenedAgent, type TurnOutcome } from "margay";
    const assistant: OpenedAgent = await openAgent({ home: "state", config: ${JSON.stringify({
      ...modelConfig(model.url),
      workspace: "workspace",
      agent: { maxTokens: 321 },
    })} });
    const outcome: TurnOutcome = await assistant.agent.send("cli:direct", "hi").finished;
    console.log(outcome.text, assistant.practice);
    await assistant[Symbol.asyncDispose]();
  `);
  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--lib",
    "es2024,esnext.disposable,dom",
  ];
  await run(process.execPath, [TSC, ...options, "program.ts"], { cwd: folder });
  expect((await run(process.execPath, ["program.ts"], { cwd: folder })).stdout).toBe("hello false\n");
  expect(model.requests[0]?.body).toMatchObject({ max_tokens: 321 });
  expect(readFileSync(join(PACKAGE, "dist/index.d.ts"), "utf8")).not.toMatch(/from "/);
});

test("DF27 R17 createAgentLoop takes the configuration of config.json: object and file give equal requests", async () => {
  const model = await mockModel();
  model.route(() => true, ...Array.from({ length: 3 }, () => says("ok")));
  const place = margay();
  const workspace = join(place.directory, "workspace");
  mkdirSync(workspace);
  const config: JsonObject = {
    ...(modelConfig(model.url) as JsonObject),
    workspace,
    language: "zh-CN",
    agent: { temperature: 0.4, maxTokens: 321 },
    tools: { exec: { enabled: false } },
  };
  place.configure(config);
  for (const options of [{ home: place.home }, { home: margay().home, config }]) {
    await using loop = await createAgentLoop(options);
    expect(await loop.processDirect("hi")).toBe("ok");
  }
  await using assistant = await openAgent({ home: margay().home, config });
  await assistant.agent.send("cli:direct", "hi").finished;
  const [file, ...objects] = model.requests.map(({ raw }) => raw.replaceAll(/time=\S+/g, "time="));
  expect(file).toContain("321");
  for (const object of objects) expect(object).toBe(file);
});

test("DF27 R17 a key that would do nothing is refused, beside the configuration and inside it", async () => {
  const { home } = margay();
  const wrong = { home, confg: {} };
  await expect(openAgent(wrong)).rejects.toMatchObject({ code: "config.invalid" });
  await expect(createAgentLoop(wrong)).rejects.toMatchObject({ code: "config.invalid" });
  const inside = { home, config: { agent: { temprature: 1 } } };
  await expect(openAgent(inside)).rejects.toMatchObject({ code: "config.invalid" });
});

test("R255 R294 the seeds' names work over the whole assistant: messages are answered until stop(), replies are taken", async () => {
  const model = await mockModel();
  model.replies(callsTool("remember", { text: "tea" }), says("noted"), says("by hand"));
  const { home } = margay();
  const config = modelConfig(model.url) as JsonObject;
  const loop = await createAgentLoop({ home, config });
  const running = loop.run();
  expect(
    await loop.publishInbound({ channel: "cli", senderId: "local", chatId: "direct", content: "I drink tea" }),
  ).toMatchObject({ status: "accepted" });
  expect(await loop.consumeOutbound()).toMatchObject({ channel: "cli", chatId: "direct", content: "noted" });
  expect(await loop.processDirect("and?")).toBe("by hand");
  loop.stop();
  await running;
  await loop[Symbol.asyncDispose]();
  expect(readdirSync(home)).not.toContain("lock"); // free for the next one, in this process or another
  await using next = await createAgentLoop({ home, config });
  model.replies(says("again"));
  expect(await next.processDirect("still there?")).toBe("again");
});
