// Backups over HTTP: what is in the file, what an import would change, and that it does just that.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const KEY = "sk-planted-a61be0c3d94f4e27";
const PASSPHRASE = "correct horse battery staple";
const ALL = ["settings", "memory", "schedule"];

async function full(t: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  const gateway = await startGateway(t, {
    env: { FROM_ENV: KEY },
    config: {
      providers: {
        mock: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: KEY },
        openai: { apiKey: "${FROM_ENV}" },
      },
      agent: { maxIterations: 11 },
      people: { eva: { name: "Eva", ids: ["telegram:77"] } },
      mcpServers: { tool: { command: "true", env: { TOKEN: `${KEY}-2`, MODE: "fast" }, disabled: true } },
    },
    prepare: ({ workspace, home }) => {
      mkdirSync(join(home, "spaces", "p-eva", "memory"), { recursive: true });
      writeFileSync(join(home, "spaces", "p-eva", "memory", "MEMORY.md"), "- a red bicycle\n");
      mkdirSync(join(workspace, "memory"));
      writeFileSync(join(workspace, "memory", "MEMORY.md"), "- likes tea\n");
      writeFileSync(join(workspace, "USER.md"), "Ada\n");
    },
  });
  await gateway.app.schedule.cron?.add({
    id: "tea",
    name: "tea",
    message: "drink tea",
    cron_expr: "0 9 * * *",
    tz: "Europe/Berlin",
    to: { channel: "web", chat: "me" },
  });
  await gateway.app.schedule.cron?.add({
    id: "gift",
    message: "the gift",
    cron_expr: "0 9 * * *",
    by: "eva",
    to: { channel: "web", chat: "eva" },
  });
  return gateway;
}

test("R283 every route asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/config"));
});

test("R402 an export holds every section and no secret", async (t) => {
  const gateway = await full(t);
  const answer = await operations(gateway)("exportConfig", { body: { sections: ALL } });
  expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="margay-/);
  const { sections } = answer.body;
  expect(sections.settings.config).toMatchObject({
    agent: { maxIterations: 11 },
    providers: { openai: { apiKey: "${FROM_ENV}" } },
  });
  expect(sections.settings.secrets.toSorted()).toEqual([
    "/mcpServers/tool/env/MODE",
    "/mcpServers/tool/env/TOKEN",
    "/providers/mock/apiKey",
  ]);
  expect(sections.memory.files).toEqual({
    "MEMORY.md": "- likes tea\n",
    "USER.md": "Ada\n",
    "people/eva/memory/MEMORY.md": "- a red bicycle\n",
  });
  expect(sections.schedule.jobs).toMatchObject([
    { id: "tea", cron_expr: "0 9 * * *", tz: "Europe/Berlin", enabled: true },
    { id: "gift", by: "eva" },
  ]);
  expect(JSON.stringify(answer.body)).not.toContain(KEY);
});

test("a dry run shows the difference, and the import with its token makes a fresh install equal", async (t) => {
  const [from, to] = [operations(await full(t)), await startGateway(t)];
  const operate = operations(to);
  const raw = JSON.stringify((await from("exportConfig", { body: { sections: ALL } })).body);
  const dry = await operate("importConfig", { raw, query: { dryRun: "true" } });
  expect(dry.body).toMatchObject({ format: "margay", applied: false });
  const [settings, memory, schedule] = dry.body.sections;
  expect(settings.adds).toContain("agent.maxIterations");
  expect(settings.secretsNeeded).toContain("/mcpServers/tool/env/TOKEN");
  expect(memory).toMatchObject({ name: "memory", adds: ["MEMORY.md", "USER.md", "people/eva/memory/MEMORY.md"] });
  expect(schedule).toMatchObject({ adds: ["tea", "gift"] });
  expect(to.app.inside.loaded().config.agent.maxIterations).not.toBe(11);
  expect(settings.secretsNeeded).toContain("/providers/openai/apiKey"); // a variable of the other machine
  expect((await operate("importConfig", { raw, query: { token: "other" } })).body.code).toBe("import.conflict");
  const done = await operate("importConfig", { raw, query: { token: dry.body.token } });
  expect(done.body.applied).toBe(true);
  const { config } = to.app.inside.loaded();
  expect(config.agent.maxIterations).toBe(11);
  expect(config.mcpServers["tool"]).toMatchObject({ command: "true", disabled: true });
  expect(readFileSync(join(to.workspace, "memory", "MEMORY.md"), "utf8")).toBe("- likes tea\n");
  expect(readFileSync(join(to.home, "spaces", "p-eva", "memory", "MEMORY.md"), "utf8")).toBe("- a red bicycle\n");
  expect(await to.app.schedule.cron?.list()).toMatchObject([
    { id: "tea", message: "drink tea" },
    { id: "gift", by: "eva" }, // whose it is, also there
  ]);
});

test("the same settings on a machine that has the variables: applied, then nothing is left to do", async (t) => {
  const gateway = await full(t);
  const operate = operations(gateway);
  const raw = JSON.stringify((await operate("exportConfig", { body: { sections: ALL } })).body);
  await operate("patchSettings", {
    body: { agent: { maxIterations: 5, temperature: 0.4 } },
    headers: { "if-match": "*" },
  });
  writeFileSync(join(gateway.workspace, "USER.md"), "somebody else\n");
  const dry = await operate("importConfig", { raw });
  expect(dry.body.sections[0]).toMatchObject({
    changes: ["agent.maxIterations"],
    removes: ["agent.temperature"],
    secretsNeeded: [],
  });
  expect(dry.body.sections[1]).toMatchObject({ changes: ["USER.md"] });
  const done = await operate("importConfig", { raw, query: { token: dry.body.token } });
  expect(done.body.applied).toBe(true);
  const { config } = gateway.app.inside.loaded();
  expect([config.agent.maxIterations, config.agent.temperature]).toEqual([11, null]);
  expect(config.providers["mock"]?.apiKey).toBe(KEY);
  expect(readFileSync(join(gateway.workspace, "USER.md"), "utf8")).toBe("Ada\n");
  const again = await operate("importConfig", { raw });
  expect(
    again.body.sections.every(
      ({ adds, changes, removes }: Record<string, string[]>) =>
        adds?.length === 0 && changes?.length === 0 && removes?.length === 0,
    ),
  ).toBe(true);
});

test("R282 ◆ sealed secrets travel under a passphrase, and only the owner seals", async (t) => {
  const gateway = await full(t);
  const operate = operations(gateway);
  const body = { sections: ["settings"], secrets: "encrypted", passphrase: PASSPHRASE };
  expect((await operate("exportConfig", { body, token: gateway.token("admin") })).body.code).toBe("auth.scope");
  const sealed = await operate("exportConfig", { body });
  const raw = JSON.stringify(sealed.body);
  expect(raw).not.toContain(KEY);
  await operate("patchSettings", { body: { providers: { mock: { apiKey: null } } }, headers: { "if-match": "*" } });
  const needed = await operate("importConfig", { raw });
  expect(needed.body.sections[0].secretsNeeded).toEqual(["/providers/mock/apiKey"]);
  const header = (text: string): JsonObject & Record<string, string> => ({
    "margay-passphrase": Buffer.from(text).toString("base64"),
  });
  expect((await operate("importConfig", { raw, headers: header("another passphrase") })).body.code).toBe(
    "import.invalid",
  );
  const dry = await operate("importConfig", { raw, headers: header(PASSPHRASE) });
  expect(dry.body.sections[0]).toMatchObject({ adds: ["providers.mock.apiKey"], secretsNeeded: [] });
  await operate("importConfig", { raw, headers: header(PASSPHRASE), query: { token: dry.body.token } });
  expect(gateway.app.inside.loaded().config.providers["mock"]?.apiKey).toBe(KEY);
  expect(readFileSync(join(gateway.home, "config.json"), "utf8")).not.toContain(`"${KEY}"`);
  expect((await operate("exportConfig", { body: { sections: ["settings"], passphrase: PASSPHRASE } })).body.code).toBe(
    "request.invalid",
  );
});

test("a nanobot config.json brings its settings; what has no place is named", async (t) => {
  const operate = operations(await startGateway(t));
  const raw = JSON.stringify({
    agents: { defaults: { max_tokens: 4000, temperature: 0.1 } },
    tools: { restrict_to_workspace: false },
  });
  const dry = await operate("importConfig", { raw, query: { dryRun: "" } });
  expect(dry.body).toMatchObject({
    format: "nanobot",
    sections: [{ name: "settings", adds: ["agent.maxTokens", "agent.temperature"], removes: [] }],
  });
  expect(dry.body.skipped.join()).toContain("restrictToWorkspace");
});

test.for<readonly [string, string, string]>([
  ["no JSON", "{", "import.invalid"],
  ["a list", "[]", "import.invalid"],
  ["something else", '{"a":1}', "import.invalid"],
  ["a later version", '{"format":"margay","version":99}', "import.version"],
  [
    "a torn file",
    '{"format":"margay","version":1,"exportedAt":1,"sections":{"memory":{"files":{}}},"hash":"x"}',
    "import.invalid",
  ],
  [
    "unknown fields",
    '{"format":"margay","version":1,"exportedAt":1,"sections":{},"hash":"x","more":1}',
    "import.invalid",
  ],
])("%s is refused", async ([, raw, code], t) => {
  expect((await operations(await startGateway(t))("importConfig", { raw })).body.code).toBe(code);
});

test("settings that do not fit are refused before anything is written", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const before = readFileSync(join(gateway.home, "config.json"), "utf8");
  const raw = JSON.stringify({ agents: { defaults: { temperature: "hot" } } });
  expect((await operate("importConfig", { raw })).body.code).toBe("settings.invalid");
  expect(readFileSync(join(gateway.home, "config.json"), "utf8")).toBe(before);
});
