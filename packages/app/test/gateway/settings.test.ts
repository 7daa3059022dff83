// Settings over HTTP: what is shown, what a patch does, and that no secret ever comes back.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { test } from "vitest";
import { SettingsChange, SettingsSchema, ProfileChange } from "../../src/features/settings/schema.ts";
import { startGateway, type ApiAnswer } from "./support.ts";

const KEY = "sk-planted-7f3a9c51e2d84b60";

function file(home: string): JsonObject {
  return JSON.parse(readFileSync(join(home, "config.json"), "utf8")) as JsonObject;
}

function tag(answer: ApiAnswer): string {
  return answer.headers.get("etag") ?? "";
}

test("R314 settings show every key with its value, where it comes from, and a schema", async (t) => {
  const { api, token } = await startGateway(t, { config: { profile: "nanobot", agent: { maxIterations: 7 } } });
  const answer = await api("/settings", { token: token("read") });
  t.expect(answer.status).toBe(200);
  const view = SettingsSchema.parse(answer.body);
  t.expect(tag(answer)).toBe(`"${view.hash}"`);
  t.expect(view.profile).toBe("nanobot");
  t.expect(view.values["agent"]).toMatchObject({ maxIterations: 7, temperature: 0.1 });
  t.expect(view.fields["agent.maxIterations"]).toMatchObject({ source: "file", restart: false, locked: false });
  t.expect(view.fields["agent.temperature"]).toMatchObject({ source: "profile", name: "nanobot" });
  t.expect(view.fields["gateway.host"]).toMatchObject({ source: "default", restart: true, safety: true });
  const DENY = { type: "array", items: { type: "string", format: "regex" } };
  t.expect(view.schema).toMatchObject({
    type: "object",
    properties: {
      agent: { type: "object" },
      timeZone: { type: "string", format: "margay-time-zone" },
      tools: { properties: { exec: { properties: { denyPatterns: DENY } } } },
    },
  });
  const again = await api("/settings", { headers: { "if-none-match": tag(answer) } });
  t.expect(again.status).toBe(304);
});

test("settings speak the caller's language", async (t) => {
  const { api } = await startGateway(t);
  const { body } = await api("/settings", { headers: { "accept-language": "zh-CN" } });
  t.expect(body.fields["agent.maxIterations"].help).toMatch(/[\u4e00-\u9fff]/);
});

test("R12 R313 UI7 a patch holds from the next turn on and keeps what it does not name", async (t) => {
  const { api, app, home, model } = await startGateway(t, { config: { agent: { maxIterations: 9 } } });
  const before = await api("/settings");
  const patch = { agent: { temperature: 0.7 } };
  const answer = await api("/settings", { method: "PATCH", body: patch, headers: { "if-match": tag(before) } });
  t.expect(answer.status).toBe(200);
  t.expect(SettingsChange.parse(answer.body)).toMatchObject({ applied: ["agent.temperature"], restart: [] });
  t.expect(file(home)["agent"]).toEqual({ maxIterations: 9, temperature: 0.7 });
  await app.agent.send("web:settings", "hi", { origin: { channel: "web", chat: "settings" } }).finished;
  t.expect(model.requests.at(-1)?.body).toMatchObject({ temperature: 0.7 });
  t.expect((await api("/settings")).headers.get("etag")).toBe(`"${answer.body.hash}"`);
});

test("null takes a key back to its default; a dry run writes nothing", async (t) => {
  const { api, home } = await startGateway(t, { config: { agent: { maxIterations: 9 } } });
  const dry = await api("/settings?dryRun=true", { method: "PATCH", body: { agent: { maxIterations: null } } });
  t.expect(dry.body).toMatchObject({ applied: ["agent.maxIterations"] });
  t.expect(file(home)["agent"]).toEqual({ maxIterations: 9 });
  const headers = { "if-match": tag(await api("/settings")) };
  await api("/settings", { method: "PATCH", body: { agent: { maxIterations: null } }, headers });
  t.expect(file(home)).not.toHaveProperty("agent");
});

test("a value that is the default anyway is written when it is set", async (t) => {
  const { api, app, home } = await startGateway(t);
  const { maxIterations } = app.inside.loaded().config.agent;
  const headers = { "if-match": "*" };
  const answer = await api("/settings", { method: "PATCH", body: { agent: { maxIterations } }, headers });
  t.expect(answer.body.applied).toEqual(["agent.maxIterations"]);
  t.expect(file(home)["agent"]).toEqual({ maxIterations });
});

test("a change names what it was made from: 428 without, 412 with the current hash", async (t) => {
  const { api } = await startGateway(t);
  const body = { agent: { temperature: 0.5 } };
  t.expect((await api("/settings", { method: "PATCH", body })).body).toMatchObject({
    code: "precondition.required",
    status: 428,
  });
  const before = await api("/settings");
  const stale = await api("/settings", { method: "PATCH", body, headers: { "if-match": '"other"' } });
  t.expect(stale.body).toMatchObject({ code: "precondition.failed", status: 412, current: before.body.hash });
});

test("R310 every fault of a patch is named, and nothing of it is written", async (t) => {
  const { api, home } = await startGateway(t);
  const before = file(home);
  const answer = await api("/settings", {
    method: "PATCH",
    body: { agent: { max_iterations: 3, temperature: "warm" }, language: "fr" },
    headers: { "if-match": "*" },
  });
  t.expect(answer.status).toBe(422);
  t.expect(answer.body.code).toBe("settings.invalid");
  const wrong = await api("/settings", {
    method: "PATCH",
    body: { agent: { temperature: "warm" }, language: "fr" },
    headers: { "if-match": "*" },
  });
  t.expect(wrong.body.errors.map((one: { path: string }) => one.path).toSorted()).toEqual([
    "/agent/temperature",
    "/language",
  ]);
  t.expect(answer.body.detail).toContain("maxIterations");
  t.expect(file(home)).toEqual(before);
});

test.for([
  ["a list", []],
  ["a text", "x"],
  ["nothing", null],
] as const)("a patch that is %s is refused", async ([, body], t) => {
  const { api } = await startGateway(t);
  const answer = await api("/settings", { method: "PATCH", body, headers: { "if-match": "*" } });
  t.expect([400, 422]).toContain(answer.status);
});

test("R402 R282 a written secret is used, stored apart, and never read again", async (t) => {
  const { api, home, model, app } = await startGateway(t);
  const written = await api("/settings", {
    method: "PATCH",
    body: { providers: { mock: { apiKey: { $secret: KEY } } } },
    headers: { "if-match": "*" },
  });
  t.expect(written.status).toBe(200);
  t.expect(readFileSync(join(home, "config.json"), "utf8")).not.toContain(KEY);
  const { body } = await api("/settings");
  t.expect(body.values.providers.mock.apiKey).toMatchObject({ $secret: { set: true, source: "file" } });
  // The form that was read means "unchanged".
  const same = await api("/settings", {
    method: "PATCH",
    body: { providers: { mock: { apiKey: body.values.providers.mock.apiKey } } },
    headers: { "if-match": "*" },
  });
  t.expect(same.body.applied).toEqual([]);
  await app.agent.send("web:key", "hi", { origin: { channel: "web", chat: "key" } }).finished;
  t.expect(model.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  const removed = await api("/settings", {
    method: "PATCH",
    body: { providers: { mock: { apiKey: null } } },
    headers: { "if-match": "*" },
  });
  t.expect(removed.body.applied).toEqual(["providers.mock.apiKey"]);
  t.expect((await api("/settings")).body.values.providers.mock).not.toHaveProperty("apiKey");
});

test("R402 planted secrets are in no answer, raw or encoded", async (t) => {
  const plant = (name: string): string => `${KEY}-${name}`;
  const { api, logs } = await startGateway(t, {
    env: { OPENAI_API_KEY: plant("env") },
    config: {
      providers: {
        mock: {
          api: "openai-chat",
          baseUrl: "http://127.0.0.1:9/v1",
          apiKey: plant("one"),
          apiKeys: [plant("two")],
          headers: { "x-key": plant("three") },
        },
      },
      tools: { webSearch: { apiKey: plant("four") }, exec: { sandbox: "none" } },
      channels: {
        webhook: { enabled: false, secret: plant("five"), token: plant("six"), options: { url: plant("seven") } },
      },
      mcpServers: { one: { command: "true", env: { TOKEN: plant("eight") }, disabled: true } },
      gateway: {
        token: plant("nine-0123456789012345678901234567890123456789"),
        hooks: { h: { secret: plant("ten") } },
      },
    },
  });
  const paths = [
    "/settings",
    "/providers",
    "/providers/detect",
    "/models",
    "/models/active",
    "/channels",
    "/channels/webhook",
    "/hooks",
    "/policy",
    "/policy/rules",
    "/system",
    "/system/doctor",
    "/system/logs",
    "/outbox",
    "/contacts",
    "/pairings",
    "/mcp/servers",
    "/mcp/servers/one",
    "/mcp/servers/one/log",
    "/mcp/export",
    "/estop",
    "/providers/mock/models",
    "/nothing-here",
  ];
  const seen: string[] = [];
  for (const path of paths) {
    const { status, body, headers } = await api(path);
    t.expect(status, path).toBeLessThan(503);
    seen.push(JSON.stringify(body), JSON.stringify([...headers]));
  }
  const wrong = { agent: { temperature: plant("value") } };
  const refused = await api("/settings", {
    method: "PATCH",
    body: { providers: { mock: { apiKey: 5, baseUrl: "no" } } },
    headers: { "if-match": "*" },
  });
  seen.push(JSON.stringify(refused.body));
  t.expect(wrong).toBeDefined();
  seen.push(JSON.stringify((await api("/providers/test", { method: "POST", body: { id: "mock" } })).body));
  seen.push(JSON.stringify((await api("/channels/webhook/test", { method: "POST", body: {} })).body));
  const sections = ["settings", "memory", "schedule"];
  seen.push(JSON.stringify((await api("/config/export", { method: "POST", body: { sections } })).body));
  seen.push(JSON.stringify(logs));
  const all = seen.join("\n");
  for (const form of [
    KEY,
    Buffer.from(KEY).toString("base64").slice(0, 30),
    Buffer.from(KEY).toString("hex"),
    encodeURIComponent(KEY),
  ])
    t.expect(all).not.toContain(form);
});

test("◆ a safety key needs the owner; other keys do not", async (t) => {
  const { api, token } = await startGateway(t);
  const admin = token("admin");
  const headers = { "if-match": "*" };
  const body = { tools: { restrictToWorkspace: false } };
  const refused = await api("/settings", { method: "PATCH", body, headers, token: admin });
  t.expect(refused.status).toBe(403);
  t.expect(refused.body.code).toBe("auth.scope");
  t.expect((await api("/settings", { method: "PATCH", body, headers })).status).toBe(200);
  const harmless = await api("/settings", {
    method: "PATCH",
    body: { agent: { temperature: 0.2 } },
    headers,
    token: admin,
  });
  t.expect(harmless.status).toBe(200);
  for (const one of [
    { workspace: "/elsewhere" },
    { policy: { approvalTimeoutSeconds: 60 } },
    { gateway: { limits: { streams: 9 } } },
    { mcpServers: { x: { command: "x" } } },
    { channels: { webhook: { secret: "another" } } },
    { tools: { exec: { timeoutSeconds: 9 } } },
    { tools: { webFetch: { allowHosts: ["10.0.0.1"] } } },
    { tools: { webSearch: { baseUrl: "https://search.example" } } },
    { providers: { mock: { baseUrl: "https://other.example" } } },
    { providers: { mock: { headers: { "x-one": "1" } } } },
    { budgets: [] },
    { agents: { small: { budget: { tokensPerDay: 9 } } } },
    { agents: { small: { tools: ["*"] } } },
    { bindings: [{ person: "owner", agent: "main" }] },
  ]) {
    const answer = await api("/settings", { method: "PATCH", body: one, headers, token: admin });
    t.expect([answer.status, answer.body.code], JSON.stringify(one)).toEqual([403, "auth.scope"]);
  }
});

test("scopes: nobody without a credential, read may not write", async (t) => {
  const { api, token } = await startGateway(t);
  t.expect((await api("/settings", { token: null })).status).toBe(401);
  const answer = await api("/settings", {
    method: "PATCH",
    body: {},
    headers: { "if-match": "*" },
    token: token("read"),
  });
  t.expect(answer.status).toBe(403);
  t.expect((await api("/settings", { token: token("chat") })).status).toBe(403);
});

test("R311 a value from the environment stays a reference when it is sent back unchanged", async (t) => {
  const { api, home } = await startGateway(t, { env: { ZONE: "Europe/Berlin" }, config: { timeZone: "${ZONE}" } });
  t.expect((await api("/settings")).body.values.timeZone).toBe("Europe/Berlin");
  const answer = await api("/settings", {
    method: "PATCH",
    body: { timeZone: "Europe/Berlin", agent: { temperature: 0.3 } },
    headers: { "if-match": "*" },
  });
  t.expect(answer.body.applied).toEqual(["agent.temperature"]);
  t.expect(file(home)["timeZone"]).toBe("${ZONE}");
});

test("R313 keys that are read at the start say so and wait visibly", async (t) => {
  const { api } = await startGateway(t);
  const answer = await api("/settings", { method: "PATCH", body: { language: "zh-CN" }, headers: { "if-match": "*" } });
  t.expect(answer.body.restart).toEqual(["language"]);
  t.expect((await api("/settings")).body.pendingRestart).toEqual(["language"]);
  t.expect((await api("/system")).body.pendingRestart).toEqual(["language"]);
});

test("R28 a profile: the dry run lists what changes, and security keys are not among it", async (t) => {
  const { api, home } = await startGateway(t);
  const dry = await api("/settings/profile?dryRun=true", { method: "PUT", body: { profile: "countbot" } });
  const { changes } = ProfileChange.parse(dry.body);
  t.expect(changes.map(({ path }) => path)).toContain("agent.temperature");
  t.expect(changes.map(({ path }) => path).filter((path) => path.startsWith("gateway."))).toEqual([]);
  t.expect(file(home)).not.toHaveProperty("profile");
  const chosen = await api("/settings/profile", {
    method: "PUT",
    body: { profile: "countbot" },
    headers: { "if-match": "*" },
  });
  t.expect(chosen.status).toBe(200);
  t.expect(file(home)["profile"]).toBe("countbot");
  t.expect((await api("/settings/profile", { method: "PUT", body: { profile: "own" } })).status).toBe(422);
});

test("R312 a file that was broken by hand is not written over", async (t) => {
  const { api, home } = await startGateway(t);
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(home, "config.json"), "{ not json");
  const answer = await api("/settings", {
    method: "PATCH",
    body: { agent: { temperature: 0.1 } },
    headers: { "if-match": "*" },
  });
  t.expect(answer.status).toBe(409);
  t.expect(answer.body.code).toBe("settings.unreadable-file");
  t.expect(answer.body.detail).not.toContain(home);
  t.expect(readFileSync(join(home, "config.json"), "utf8")).toBe("{ not json");
});

test("UI7 names with dots are names, and names that reach a prototype are refused", async (t) => {
  const { api, home } = await startGateway(t);
  const answer = await api("/settings", {
    method: "PATCH",
    body: { models: { "mock/gpt-4.1": { contextWindow: 32000 } } },
    headers: { "if-match": "*" },
  });
  t.expect(answer.status).toBe(200);
  t.expect(file(home)["models"]).toEqual({ "mock/gpt-4.1": { contextWindow: 32000 } });
  const raw = '{"providers":{"__proto__":{"apiKey":"x"}}}';
  const proto = await api("/settings", {
    method: "PATCH",
    raw,
    headers: { "if-match": "*", "content-type": "application/json" },
  });
  t.expect([400, 422]).toContain(proto.status);
});

test.for([
  ["a bind beyond loopback in plain text", { host: "0.0.0.0" }],
  ["a weak token", { token: { $secret: "changeme" } }],
  ["a secret of two hooks", { hooks: { b: { secret: { $secret: "5f1c0a9e7b3d4826a1f0c9e8d7b6a594" } } } }],
] as const)("R285 %s, which the next start would refuse, is refused now", async ([, gateway], t) => {
  const { api, home } = await startGateway(t, {
    config: { gateway: { hooks: { a: { secret: "5f1c0a9e7b3d4826a1f0c9e8d7b6a594" } } } },
  });
  const before = file(home);
  const answer = await api("/settings", { method: "PATCH", body: { gateway }, headers: { "if-match": "*" } });
  t.expect(answer.body).toMatchObject({ code: "settings.invalid", errors: [{ path: "/gateway" }] });
  t.expect(file(home)).toEqual(before);
});

test("who changed which settings is in the audit log, without their values", async (t) => {
  const { api, app } = await startGateway(t);
  const body = { providers: { mock: { apiKey: { $secret: KEY } } } };
  await api("/settings", { method: "PATCH", body, headers: { "if-match": "*" } });
  await app.audit.flush();
  const entries = JSON.stringify(await app.audit.list());
  t.expect(entries).toContain("providers.mock.apiKey");
  t.expect(entries).not.toContain(KEY);
});
