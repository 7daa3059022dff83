import { expect, test } from "vitest";
import { PLAIN } from "../../src/lib/labels.ts";
import { cronTool } from "../../src/schedule/cron-tool.ts";
import { callsTool, says } from "../../src/testing.ts";
import { CHAT } from "../support/agent.ts";
import { startCron, type WithCron } from "../schedule/support.ts";

/** What the model gets back for one call of the tool. */
async function call(scene: WithCron, args: object): Promise<string> {
  const { model, agent } = scene;
  model.replies(callsTool("cron", args), says("ok"));
  await agent.send(CHAT, "please").finished;
  return model.requests.at(-1)?.toolResults.at(-1)?.text ?? "";
}

test("R118 R44 R120 the tool adds a job for its own chat, lists it and removes it", async (t) => {
  const scene = await startCron(t, { cron: { timeZone: "UTC" } });
  const added = await call(scene, { action: "add", message: "drink water", every_seconds: 7200 });
  expect(added).toMatch(/^Added job [0-9a-f]{8}: every 2 hours; next run 2026-03-01 14:00:00 UTC\.$/);
  const id = /job (\w+)/.exec(added)?.[1] ?? "";
  expect(await scene.cron.list()).toMatchObject([{ id, to: { channel: "test", chat: "1" }, mode: "agent" }]);
  expect(await call(scene, { action: "list" })).toBe(
    `${id}: every 2 hours, agent, next 2026-03-01 14:00:00 UTC, never run`,
  );
  expect(await call(scene, { action: "remove", job_id: id })).toBe(`Removed job ${id}.`);
  expect(await call(scene, { action: "remove", job_id: id })).toBe(`Error: no job ${id}. Next: list the jobs.`);
  expect(await call(scene, { action: "list" })).toBe("No jobs.");
});

test("R119 R233 both spellings create equal jobs", async (t) => {
  const scene = await startCron(t);
  for (const args of [
    { action: "add", message: "m", every_seconds: 90 },
    { action: "add", task: "m", schedule: { kind: "every", everyMs: 90_000 } },
    { action: "add", task: "m", schedule: { kind: "every", every_seconds: "90" } },
  ])
    expect(await call(scene, args)).toContain("every 90 seconds");
  for (const args of [
    { action: "add", message: "m", cron_expr: "0 9 * * *", tz: "Europe/Berlin" },
    { action: "add", task: "m", schedule: { kind: "cron", expr: "0 9 * * *", tz: "Europe/Berlin" } },
    { action: "add", message: "m", task: "m", schedule: { cron_expr: "0 9 * * *", tz: "Europe/Berlin" } },
  ])
    expect(await call(scene, args)).toContain("cron 0 9 * * * (Europe/Berlin); next run 2026-03-02 09:00:00");
  const due = scene.clock.now() + 86_400_000;
  for (const args of [
    { action: "add", message: "m", at: new Date(due).toISOString() },
    { action: "add", task: "m", schedule: { kind: "at", atMs: due } },
    { action: "add", task: "m", schedule: { kind: "at", at: String(due) } },
  ])
    expect(await call(scene, args)).toContain("once at 2026-03-02 12:00:00 UTC");
  const triggers = (await scene.cron.list()).map(({ trigger }) => JSON.stringify(trigger));
  expect(triggers[0]).toContain('"everyMs":90000');
  expect(new Set(triggers).size).toBe(3);
  const [first] = await scene.cron.list();
  expect(await call(scene, { action: "remove", id: first?.id })).toBe(`Removed job ${first?.id ?? ""}.`);
});

test("R234 validate/MAX_EVERY_SECONDS ten years are the longest interval", async (t) => {
  const scene = await startCron(t);
  expect(await call(scene, { action: "add", message: "m", every_seconds: 315_360_000 })).toContain("Added job");
  expect(await call(scene, { action: "add", message: "m", every_seconds: 315_360_001 })).toContain("every_seconds");
});

for (const [args, refusal] of [
  [{ task: "a", message: "b", every_seconds: 60 }, "differ: give one of them"],
  [{ message: "m", every_seconds: 60, schedule: { everyMs: 61_000 } }, "differ: give one of them"],
  [{ message: "m", schedule: "every hour" }, "schedule must be an object"],
  [{ message: "m", schedule: { weekly: true } }, "schedule.weekly is not known"],
  [{ every_seconds: 60 }, "message is required"],
  [{ message: "  ", every_seconds: 60 }, "message is required"],
  [{ message: "m" }, "at, every_seconds, cron_expr are all missing"],
  [{ message: "m", every_seconds: 60, at: "2027-01-01T00:00" }, "at, every_seconds, cron_expr exclude each other"],
  [{ message: "m", every_seconds: 0 }, "every_seconds"],
  [{ message: "m", every_seconds: 315_360_001 }, "every_seconds"],
  [{ message: "m", cron_expr: "0 9 * *" }, "cron_expr cannot be read: must have five fields, not 4"],
  [{ message: "m", cron_expr: "0 0 9 * * *" }, "cron_expr cannot be read: must have five fields, not 6"],
  [{ message: "m", cron_expr: "61 * * * *" }, "cron_expr cannot be read"],
  [{ message: "m", cron_expr: "a b c d e" }, "cron_expr cannot be read"],
  [{ message: "m", cron_expr: "0 ? * * *" }, "cron_expr cannot be read: must not contain ?"],
  [{ message: "m", cron_expr: "0 0 30 2 *" }, "cron_expr has no time within the next five years"],
  [{ message: "m", cron_expr: "0 9 * * *", tz: "Mars/Olympus" }, "tz must be an IANA time zone"],
  [{ message: "m", cron_expr: "0 9 * * *", tz: "+01:00" }, "tz must be an IANA time zone"],
  [{ message: "m", every_seconds: 60, tz: "Europe/Berlin" }, "tz is only for"],
  [{ message: "m", at: "2027-01-01T00:00:00Z", tz: "Europe/Berlin" }, "tz is only for"],
  [{ message: "m", at: "tomorrow" }, "at must be a time"],
  [{ message: "m", at: "2026-03-01T11:58:59Z" }, "is in the past"],
  [{ message: "m", at: "2027-01-01T00:00", mode: "shout" }, "mode"],
] as const)
  test(`R234 R119 ${JSON.stringify(args)} is refused: ${refusal}; the store is unchanged`, async (t) => {
    const scene = await startCron(t);
    const text = await call(scene, { action: "add", ...args });
    expect(text).toMatch(/^Parameter error: /);
    expect(text).toContain(refusal);
    expect(await scene.cron.list()).toEqual([]);
  });

test("R234 CR5 an at that passed less than a minute ago is taken", async (t) => {
  const scene = await startCron(t);
  expect(await call(scene, { action: "add", message: "m", at: "2026-03-01T11:59:30Z" })).toMatch(/^Added job/);
});

test("R235 CR8 a time without a zone is read in the agent's, which is stored with the job", async (t) => {
  const zone = { timeZone: "Asia/Shanghai" };
  const scene = await startCron(t, {
    cron: {
      get timeZone() {
        return zone.timeZone;
      },
    },
  });
  await call(scene, { action: "add", message: "m", at: "2026-03-02T09:00" });
  await call(scene, { action: "add", message: "m", cron_expr: "0 9 * * *" });
  zone.timeZone = "America/New_York";
  const next = Date.parse("2026-03-02T01:00:00Z");
  expect(await scene.cron.list()).toMatchObject([
    { nextAt: next, trigger: { timeZone: "Asia/Shanghai" } },
    { nextAt: next, trigger: { timeZone: "Asia/Shanghai" } },
  ]);
});

test("R118 a call that is run again after a crash adds one job", async (t) => {
  const { cron } = await startCron(t);
  const tool = cronTool({ cron, timeZone: () => "UTC" });
  const context = {
    sessionId: "chat-1",
    callId: "r1-1",
    label: PLAIN,
    origin: { channel: "chat", chat: "42" },
  } as never; // what this tool reads of it
  const input = { action: "add", message: "m", every_seconds: 60 } as never; // as validated
  const first = await tool.execute(input, context);
  expect(await tool.execute(input, context)).toEqual(first);
  expect(await cron.list()).toHaveLength(1);
});
