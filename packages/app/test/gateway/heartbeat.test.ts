// Heartbeat and greeting over HTTP: what they would do, without doing it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fails, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const CHANNELS = { webhook: { enabled: true, secret: "webhook-secret-of-a-test", allowFrom: ["user"] } };
const CHAT = { channel: "webhook", chat: "42" };
const signal = AbortSignal.timeout(60_000);

async function talk(gateway: TestGateway): Promise<void> {
  const { pairing } = gateway.app.inside;
  await pairing.accept((await pairing.offer("webhook", "user")) ?? "", "operator"); // what nobody asked for goes to no guest
  gateway.model.replies(says("hello"));
  await gateway.app.agent.send("webhook:42", "hi there", { origin: CHAT }).finished;
}

function tasks({ workspace }: Pick<TestGateway, "workspace">, text: string): void {
  writeFileSync(join(workspace, "HEARTBEAT.md"), text);
}

test("R283 every route of heartbeat and greeting asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/heartbeat", "/greeting"));
});

test("R224 an empty list would call no model, and says why", async (t) => {
  const gateway = await startGateway(t, { config: { heartbeat: { enabled: true } } });
  const operate = operations(gateway);
  const check = async (): Promise<unknown> => (await operate("checkHeartbeat")).body;
  expect(await check()).toEqual({
    wouldCall: false,
    reason: "no-tasks",
    because: "HEARTBEAT.md has no open task.",
  });
  tasks(gateway, "# Tasks\n- [x] done\n- [ ] water the plants\n- [ ] feed the cat\n");
  expect(await check()).toEqual({ wouldCall: true, reason: "open-tasks", because: "HEARTBEAT.md has 2 open tasks." });
  expect((await operate("getHeartbeat")).body.openTasks).toBe(2);
  await gateway.app.inside.stopFlag.set(true);
  expect(await check()).toMatchObject({ wouldCall: false, reason: "paused" });
  expect((await operate("getHeartbeat")).body.nextAt).toBeNull();
  expect(gateway.model.requests).toHaveLength(0);
});

test("R220 the heartbeat is switched and timed under its ETag, from the next check on", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const off = await operate("getHeartbeat");
  expect(off.body).toMatchObject({
    enabled: false,
    intervalMinutes: 30,
    nextAt: null,
    target: "last",
    chat: null,
    runs: [],
  });
  expect((await operate("checkHeartbeat")).body.reason).toBe("off");
  const body = { enabled: true, intervalMinutes: 5, target: "web" };
  expect((await operate("putHeartbeat", { body })).body.code).toBe("precondition.required");
  const headers = { "if-match": off.headers.get("etag") ?? "" };
  const on = await operate("putHeartbeat", { body, headers });
  expect(on.body).toMatchObject(body);
  expect(on.body.nextAt % 300_000).toBe(0);
  expect(on.body.nextAt - Date.now()).toBeLessThanOrEqual(300_000);
  expect((await operate("putHeartbeat", { body, headers })).body).toMatchObject({
    code: "precondition.failed",
    current: on.body.hash,
  });
  const again = { "if-match": on.headers.get("etag") ?? "" };
  const wrong = await operate("putHeartbeat", { body: { ...body, intervalMinutes: 0 }, headers: again });
  expect(wrong.body.code).toBe("request.invalid");
});

test("R222 R223 past checks say whether they skipped, and what a turn of theirs told", async (t) => {
  const gateway = await startGateway(t, { config: { channels: CHANNELS } });
  const operate = operations(gateway);
  await talk(gateway);
  tasks(gateway, "- [ ] water the plants\n");
  gateway.model.replies(
    callsTool("heartbeat", { action: "skip" }),
    callsTool("heartbeat", { action: "run", task: "remind them to water the plants" }),
    says("Please water the plants."),
  );
  const { heartbeat } = gateway.app.schedule;
  expect([await heartbeat.checkNow(signal), await heartbeat.checkNow(signal)]).toEqual(["skip", "ran"]);
  const { body } = await operate("getHeartbeat");
  expect(body).toMatchObject({ target: "last", chat: CHAT });
  expect(body.runs).toMatchObject([{ result: "ok", text: "Please water the plants." }, { result: "skip" }]);
  expect(body.runs[1]).not.toHaveProperty("turn");
});

test("R226 R227 the greeting is bounded under its ETag and says whom and when", async (t) => {
  const gateway = await startGateway(t, { config: { channels: CHANNELS } });
  const operate = operations(gateway);
  const first = await operate("getGreeting");
  expect(first.body).toMatchObject({
    enabled: false,
    idleHours: 4,
    maxPerDay: 2,
    quietHours: "21-08",
    target: "last",
    chat: null,
    sentToday: 0,
    nextSlot: null,
  });
  await talk(gateway);
  const body = { enabled: true, idleHours: 1, maxPerDay: 1, quietHours: "22-07", target: "last" };
  const headers = { "if-match": first.headers.get("etag") ?? "" };
  const on = await operate("putGreeting", { body, headers });
  expect(on.body).toMatchObject({ ...body, chat: CHAT });
  expect(on.body.nextSlot).toBeGreaterThan(Date.now());
  expect((await operate("putGreeting", { body })).body.code).toBe("precondition.required");
  expect((await operate("putGreeting", { body, headers })).body.code).toBe("precondition.failed");
  const again = { "if-match": on.headers.get("etag") ?? "" };
  const wrong = await operate("putGreeting", { body: { ...body, quietHours: "25-99" }, headers: again });
  expect(wrong.body.code).toBe("settings.invalid");
});

test("R231 a preview is one request whose text is shown and not sent", async (t) => {
  const gateway = await startGateway(t, { config: { channels: CHANNELS } });
  const operate = operations(gateway);
  expect((await operate("previewGreeting")).body.code).toBe("session.not-found");
  await talk(gateway);
  const before = (await gateway.app.agent.sessions.find("webhook:42"))?.state.seq;
  gateway.model.replies(says("How are the plants?"), says("x".repeat(300)), fails(401));
  expect((await operate("previewGreeting")).body).toEqual({
    text: "How are the plants?",
    dropped: false,
    costUsd: null,
  });
  expect((await operate("previewGreeting")).body.dropped).toBe(true);
  expect((await operate("previewGreeting")).body.code).toBe("provider.auth");
  expect((await gateway.app.agent.sessions.find("webhook:42"))?.state.seq).toBe(before);
});

test("a preview that no budget has room for is refused before the model is asked", async (t) => {
  const gateway = await startGateway(t, {
    config: { channels: CHANNELS, budgets: [{ scope: "source", source: "greeting", tokens: 10 }] },
  });
  await talk(gateway);
  const refused = await operations(gateway)("previewGreeting");
  expect([refused.status, refused.body.code, gateway.model.requests.length]).toEqual([402, "budget.exhausted", 1]);
});

test("PE85 PE86 R223 where results go is saved, and refused where nobody would get them or somebody else reads along", async (t) => {
  const gateway = await startGateway(t, { config: { channels: CHANNELS } });
  const operate = operations(gateway);
  const put = async (target: string) => {
    const { headers } = await operate("getHeartbeat");
    const body = { enabled: true, intervalMinutes: 30, target };
    return (await operate("putHeartbeat", { body, headers: { "if-match": headers.get("etag") ?? "" } })).body;
  };
  await talk(gateway);
  expect(await put("webhook:ops")).toMatchObject({ target: "webhook:ops", chat: { channel: "webhook", chat: "ops" } });
  expect(await put("web")).toMatchObject({ target: "web", chat: null });
  for (const target of ["telegram:1", "cron:job"])
    expect(await put(target)).toMatchObject({ code: "settings.invalid", errors: [{ path: "/heartbeat/target" }] });
  gateway.model.replies(says("hello Ann"));
  const { pairing } = gateway.app.inside;
  await pairing.accept((await pairing.offer("webhook", "ann")) ?? "");
  const guest = { origin: { channel: "webhook", chat: "both" }, from: { id: "ann", kind: "person" as const } };
  await gateway.app.agent.send("webhook:both", "hi", guest).finished;
  expect(await put("webhook:both")).toMatchObject({
    code: "settings.invalid",
    detail: expect.stringContaining("reads along"),
  });
  expect((await operate("getHeartbeat")).body.target).toBe("web");
});
