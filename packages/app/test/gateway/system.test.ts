// The process over HTTP: its state, the doctor, the log, the policy and the emergency stop.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fails, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { describe, expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import type { JsonObject } from "@margay/core";
import { MOCK_KEY, startGateway, type TestGateway } from "./support.ts";

const chat = { channel: "web", chat: "system" };

test("R283 every route of system, policy and stop asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/system", "/policy", "/estop"));
});

describe("the process", () => {
  test("says what it is, where it listens, and that commands are not confined", async (t) => {
    const gateway = await startGateway(t);
    const { body } = await operations(gateway)("getSystem");
    expect(body).toMatchObject({
      node: process.versions.node,
      profile: "default",
      workspace: gateway.workspace,
      practice: false,
      exposure: { bind: `127.0.0.1:${gateway.port}`, tls: false, public: false, plain: false },
      sandbox: { kind: "none", ok: false },
      supervised: false,
      pendingRestart: [],
    });
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(body.stateBytes).toBeGreaterThan(0);
    expect(body.rss).toBeGreaterThan(1_000_000);
  });

  test("cannot start itself anew and says what to type", async (t) => {
    const operate = operations(await startGateway(t));
    const { body } = await operate("restart", { body: { when: "idle" }, headers: { "accept-language": "zh-CN" } });
    expect(body).toMatchObject({ code: "system.no-supervisor", command: "margay gateway" });
    expect(body.remedy).toContain("Ctrl+C");
    expect((await operate("restart", { body: { when: "later" } })).body.code).toBe("request.invalid");
  });
});

describe("the doctor", () => {
  test("CF4 R287 has every check with a remedy, and asks no model unless it is told to", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    writeFileSync(join(gateway.home, "wide.txt"), "", { mode: 0o644 });
    const { body } = await operate("getDoctor");
    const states = new Map(body.map(({ id, state }: { id: string; state: string }) => [id, state]));
    for (const id of ["node", "home", "disk", "lock", "config", "clock", "workspace", "exec", "skills", "model"])
      expect(states.has(id), id).toBe(true);
    expect(states.get("modes")).toBe("fail");
    expect(body.find(({ id }: { id: string }) => id === "modes").command).toBe("margay doctor --fix");
    expect(gateway.model.requests).toEqual([]);
    const live = await operate("getDoctor", { query: { live: "true" } });
    expect(live.body.find(({ id }: { id: string }) => id === "model").state).toBe("ok");
    expect(gateway.model.requests).toHaveLength(1);
  });

  test("a configuration that was broken by hand is a finding, with the command that says where", async (t) => {
    const gateway = await startGateway(t);
    writeFileSync(join(gateway.home, "config.json"), "{ not json");
    const { body } = await operations(gateway)("getDoctor");
    expect(body.find(({ id }: { id: string }) => id === "config")).toMatchObject({
      state: "fail",
      command: "margay config check",
    });
  });

  test("CF3 a missing key is a finding with the command that repairs it", async (t) => {
    const operate = operations(await startGateway(t, { config: { model: "openai/gpt-6.1-sol" } }));
    const { body } = await operate("getDoctor", { headers: { "accept-language": "zh-CN" } });
    const model = body.find(({ id }: { id: string }) => id === "model");
    expect(model).toMatchObject({
      title: "模型",
      state: "fail",
      command: "margay config set providers.openai.apiKey -",
    });
  });
});

describe("the log", () => {
  test("CF5 is JSON lines that hold at info no word of a message and no key", async (t) => {
    const gateway = await startGateway(t, { config: { agent: { requestAttempts: 1 } } });
    gateway.model.replies(
      callsTool("write_file", { path: "walrus.txt", content: "narwhal" }),
      says("The octopus is done."),
      fails(401),
    );
    await gateway.app.agent.send("web:one", "feed the manatee", { origin: chat }).finished;
    await gateway.app.agent.send("web:one", "and the dugong", { origin: chat }).finished;
    await gateway.app.agent.idle();
    gateway.app.log.info("tried", { with: `Bearer ${MOCK_KEY}` });
    // Each line was read as JSON when it came.
    expect(gateway.logs.map(({ event }) => event)).toContain("model.failed");
    for (const { time, level, event } of gateway.logs) {
      expect([typeof time, typeof event]).toEqual(["string", "string"]);
      expect(["info", "warn", "error"]).toContain(level);
    }
    const log = JSON.stringify(gateway.logs);
    for (const word of ["walrus", "narwhal", "octopus", "manatee", "dugong", MOCK_KEY]) expect(log).not.toContain(word);
  });

  function write(gateway: TestGateway, level: string, event: string, data: object = {}): void {
    const line = JSON.stringify({ time: "2026-11-22T00:00:00.000Z", level, event, ...data });
    appendFileSync(join(gateway.home, "margay.log"), `${line}\n`);
  }

  test("R282 is read from its end, by level and by words, redacted", async (t) => {
    const config = (url: string): JsonObject => ({
      providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" } },
    });
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    expect((await operate("getLogs")).body).toEqual({ items: [], next: 0 });
    write(gateway, "info", "one", { message: "the key is test-key-for-mock" });
    write(gateway, "error", "two");
    appendFileSync(join(gateway.home, "margay.log"), "not json\n{half");
    const { body } = await operate("getLogs");
    expect(body.items.map(({ event }: { event: string }) => event)).toEqual(["one", "two"]);
    expect(JSON.stringify(body)).not.toContain("test-key-for-mock");
    expect((await operate("getLogs", { query: { level: "warn" } })).body.items).toHaveLength(1);
    expect((await operate("getLogs", { query: { level: "error" } })).body.items).toMatchObject([{ event: "two" }]);
    expect((await operate("getLogs", { query: { q: "TWO" } })).body.items).toHaveLength(1);
    expect((await operate("getLogs", { query: { limit: 1 } })).body.items).toMatchObject([{ event: "two" }]);
    expect((await operate("getLogs", { query: { level: "loud" } })).body.code).toBe("request.invalid");
  });

  test("goes on where it was left; a line that is not complete yet comes next time", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    write(gateway, "info", "one");
    const { next } = (await operate("getLogs")).body;
    write(gateway, "info", "two");
    const more = await operate("getLogs", { query: { after: next } });
    expect(more.body.items.map(({ event }: { event: string }) => event)).toEqual(["two"]);
    expect((await operate("getLogs", { query: { after: more.body.next } })).body.items).toEqual([]);
    // No more than was asked for, and the rest from there.
    for (const event of ["three", "four", "five"]) write(gateway, "info", event);
    const pages = [await operate("getLogs", { query: { after: next, limit: 2 } })];
    pages.push(await operate("getLogs", { query: { after: pages[0]?.body.next, limit: 2 } }));
    expect(pages.map(({ body }) => body.items.map(({ event }: { event: string }) => event))).toEqual([
      ["two", "three"],
      ["four", "five"],
    ]);
    // A position in front of the end of a line is gone on from as well: nobody asks for it again and again.
    const atEnd = await operate("getLogs", { query: { after: next - 1 } });
    expect(atEnd.body).toMatchObject({ items: [{ event: "two" }, {}, {}, {}], next: pages[1]?.body.next });
  });

  test("is followed as an event stream until the reader leaves", async (t) => {
    const gateway = await startGateway(t);
    write(gateway, "info", "before");
    const leave = new AbortController();
    const response = await fetch(`${gateway.url}/api/v1/system/logs`, {
      headers: { authorization: `Bearer ${gateway.token("admin")}`, accept: "text/event-stream" },
      signal: leave.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    let seen = "";
    const until = async (text: string): Promise<void> => {
      while (!seen.includes(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`ended before ${text}`);
        seen += new TextDecoder().decode(value);
      }
    };
    await until('"event":"before"');
    write(gateway, "warn", "after");
    await until('"event":"after"');
    leave.abort();
  });
});

describe("the policy", () => {
  test("R278 shows what each tool may do, with and without a person, and what decides it", async (t) => {
    const gateway = await startGateway(t, { config: { policy: { rules: [{ tool: "web_fetch", action: "deny" }] } } });
    const { body } = await operations(gateway)("getPolicy");
    const row = (tool: string, name?: string): unknown =>
      body.rows.find((one: { tool: string; case?: string }) => one.tool === tool && one.case === name);
    expect(row("read_file")).toMatchObject({ effect: "read", attended: { verdict: "allow", origin: "built-in" } });
    expect(row("exec", "plain")).toMatchObject({ attended: { verdict: "ask" }, unattended: { verdict: "deny" } });
    expect(row("write_file", "protected")).toMatchObject({ attended: { verdict: "ask" } });
    expect(row("web_fetch")).toMatchObject({ attended: { verdict: "deny", origin: "rule", rule: "rule web_fetch" } });
    expect(JSON.stringify(body)).not.toContain(gateway.home);
  });

  test("R277 a check says what would happen and runs nothing", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    const input = { command: `touch ${gateway.workspace}/made` };
    expect((await operate("checkPolicy", { body: { tool: "exec", input, source: "web" } })).body).toMatchObject({
      verdict: "ask",
    });
    expect((await operate("checkPolicy", { body: { tool: "exec", input, source: "hook" } })).body).toMatchObject({
      verdict: "deny",
      why: "It would be asked, and nobody is there to answer.",
    });
    expect((await operate("checkPolicy", { body: { tool: "nothing", input: {}, source: "web" } })).body.code).toBe(
      "tool.not-found",
    );
    expect((await operate("checkPolicy", { body: { tool: "exec", input: [], source: "web" } })).body.code).toBe(
      "request.invalid",
    );
    expect(gateway.model.requests).toEqual([]);
  });

  test("R386 a rule is taken back at once; one that protects needs the owner", async (t) => {
    const rules = [
      { tool: "web_search", action: "deny" },
      { tool: "list_dir", action: "deny", match: "secret" },
      { tool: "exec", action: "allow", match: "^ls$" },
    ];
    const gateway = await startGateway(t, { config: { policy: { rules } } });
    const operate = operations(gateway);
    const listed = (await operate("listPolicyRules")).body;
    expect(listed).toMatchObject(rules);
    const check = async (): Promise<string> =>
      (await operate("checkPolicy", { body: { tool: "exec", input: { command: "ls" }, source: "web" } })).body.verdict;
    expect(await check()).toBe("allow");
    const token = gateway.token("owner");
    expect((await operate("deletePolicyRule", { params: { id: listed[2].id }, token })).status).toBe(204);
    expect(await check()).toBe("ask");
    expect(
      (await operate("deletePolicyRule", { params: { id: listed[0].id }, token: gateway.token("admin") })).body.code,
    ).toBe("auth.scope");
    expect((await operate("deletePolicyRule", { params: { id: listed[0].id }, token })).status).toBe(204);
    expect((await operate("deletePolicyRule", { params: { id: listed[0].id }, token })).body.code).toBe(
      "request.not-found",
    );
    expect((await operate("listPolicyRules")).body).toMatchObject([rules[1]]);
  });
});

describe("the emergency stop", () => {
  test("R183 stops every turn and what it waits for, survives in the state directory, and is taken back by the owner", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    expect((await operate("getEstop")).body).toEqual({ on: false });
    gateway.model.replies(stalls({ after: "working" }));
    const turn = gateway.app.agent.send("web:system", "go", { origin: chat });
    await gateway.model.received(1);
    const stopped = await operate("putEstop", { body: { on: true } });
    expect(stopped.body).toMatchObject({ on: true, by: "test", stopped: { turns: 1 } });
    expect((await turn.finished).reason).toBe("cancelled");
    expect(gateway.app.inside.stopFlag.on).toBe(true);
    expect((await operate("getEstop")).body.since).toBeGreaterThan(0);
    expect((await operate("putEstop", { body: { on: false }, token: gateway.token("admin") })).body.code).toBe(
      "auth.scope",
    );
    expect((await operate("putEstop", { body: { on: false } })).body).toEqual({ on: false });
    expect(gateway.app.inside.stopFlag.on).toBe(false);
  });

  test("R183 a message that is being taken when it comes is refused as any later one", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    gateway.model.replies(...Array.from({ length: 9 }, () => stalls()));
    const { body: session } = await operate("createSession", { body: {} });
    // Interrupting waits for the turn to end, between the look at the stop and the taking.
    const send = (mode: "queue" | "interrupt") =>
      gateway.api(`/sessions/${session.id}/messages`, {
        method: "POST",
        body: { parts: [{ type: "text", text: "go on" }], mode },
      });
    await send("queue");
    await gateway.model.received(1);
    const early = Array.from({ length: 15 }, () => send("interrupt"));
    const stopping = operate("putEstop", { body: { on: true } });
    const late = Array.from({ length: 15 }, () => send("interrupt"));
    await stopping;
    const codes = (await Promise.all([...early, ...late])).map(({ status, body }) => (status === 202 ? "" : body.code));
    expect(new Set([...codes, ""])).toEqual(new Set(["", "system.estopped"]));
  });

  test("R183 while it is on, nothing new is taken but commands", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    const { body: session } = await operate("createSession", { body: {} });
    await operate("putEstop", { body: { on: true } });
    const say = async (text: string): Promise<number> =>
      (
        await gateway.api(`/sessions/${session.id}/messages`, {
          method: "POST",
          body: { parts: [{ type: "text", text }] },
        })
      ).status;
    expect(await say("go on")).toBe(423);
    expect(await say("/status")).toBe(202);
    expect(await say("/resume")).toBe(202);
    expect(await say("go on")).toBe(202);
  });

  test("R288 an approval that waits is over with it", async (t) => {
    const gateway = await startGateway(t);
    gateway.model.replies(callsTool("exec", { command: "echo hi" }), says("ok"));
    void gateway.app.agent.send("web:system", "go", { origin: chat }).finished;
    await expect.poll(async () => (await gateway.app.agent.approvals()).length).toBe(1);
    await operations(gateway)("putEstop", { body: { on: true } });
    expect(await gateway.app.agent.approvals()).toEqual([]);
  });
});

test("R315 refusals are in the caller's language, with what to do next", async (t) => {
  const operate = operations(await startGateway(t));
  const headers = { "accept-language": "zh-CN" };
  for (const answer of [
    await operate("getChannel", { headers }),
    await operate("putChannel", { params: { id: "pigeon" }, body: {}, headers }),
    await operate("rejectPairing", { headers }),
    await operate("deleteContact", { headers }),
    await operate("dropReply", { headers }),
    await operate("testHook", { body: {}, headers }),
    await operate("getMcpServer", { headers }),
    await operate("deleteProvider", { headers }),
    await operate("putActiveModel", { body: { model: "nobody/x" }, headers }),
    await operate("patchSettings", { body: {}, headers }),
    await operate("patchSettings", { body: { nothing: 1 }, headers: { ...headers, "if-match": "*" } }),
    await operate("importConfig", { raw: "{", headers }),
    await operate("deletePolicyRule", { headers }),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.detail).toMatch(/\p{Script=Han}/u);
    expect(answer.body.remedy ?? "无").toMatch(/\p{Script=Han}/u);
  }
});
