import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parseNanobotJobs } from "../../src/schedule/nanobot-jobs.ts";
import { job, startCron, until } from "./support.ts";

const NANOBOT = {
  version: 1,
  jobs: [
    {
      id: "a1b2c3d4",
      name: "stretch",
      enabled: true,
      schedule: { kind: "every", atMs: null, everyMs: 5_400_000, expr: null, tz: null },
      payload: { kind: "agent_turn", message: "Tell me to stretch", deliver: true, channel: "telegram", to: "42" },
      state: { nextRunAtMs: 1, lastRunAtMs: null, lastStatus: null, lastError: null },
      createdAtMs: 1,
      updatedAtMs: 1,
      deleteAfterRun: false,
    },
    {
      id: "e5",
      name: "",
      enabled: false,
      schedule: { kind: "cron", expr: "0 9 * * 1-5", tz: "Asia/Shanghai" },
      payload: { kind: "agent_turn", message: "站会" },
    },
    { id: "old", schedule: { kind: "at", atMs: 1000 }, payload: { message: "past" } },
    { id: "odd", schedule: { kind: "moon" }, payload: { message: "x" } },
    "no job",
  ],
};

test("R236 nanobot's jobs.json is read into jobs of ours; what cannot be run is refused with a reason", async (t) => {
  const { cron } = await startCron(t);
  const fallback = { channel: "cli", chat: "direct" };
  const { jobs, refused } = parseNanobotJobs(JSON.stringify(NANOBOT), fallback);
  expect(refused).toMatchObject([{ id: "odd" }, { id: "job 5" }]);
  const past: string[] = [];
  for (const { request, enabled } of jobs) {
    await cron.add(request).catch((error: Error) => past.push(error.message));
    if (!enabled) await cron.setEnabled(request.id ?? "", false);
  }
  expect(past).toEqual([expect.stringMatching(/^at .* is in the past\.$/)]);
  expect(await cron.list()).toMatchObject([
    { id: "a1b2c3d4", name: "stretch", trigger: { everyMs: 5_400_000 }, to: { channel: "telegram", chat: "42" } },
    { id: "e5", enabled: false, trigger: { expression: "0 9 * * 1-5", timeZone: "Asia/Shanghai" }, to: fallback },
  ]);
});

test("R236 R247 the view shows the jobs as they stand, and reads back as nanobot's", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, home } = scene;
  const { id } = await cron.add(job({ mode: "deliver", name: "Water" }));
  scene.go();
  await clock.advance(3_600_000);
  await until(async () => (await cron.list())[0]?.last !== undefined);
  await cron[Symbol.asyncDispose]();
  const text = await readFile(`${home}/cron/jobs.json`, "utf8");
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    jobs: [{ id, name: "Water", enabled: true, state: { lastStatus: "ok", nextRunAtMs: clock.now() + 3_600_000 } }],
  });
  expect(parseNanobotJobs(text, { channel: "cli", chat: "x" }).jobs).toMatchObject([
    {
      enabled: true,
      request: { id, message: "drink water", every_seconds: 3600, to: { channel: "chat", chat: "42" } },
    },
  ]);
});

test("R245 R118 an id that was used once is never added again", async (t) => {
  const scene = await startCron(t);
  const { cron } = scene;
  await cron.add(job({ id: "x" }));
  await cron.remove("x");
  await cron.add(job({ id: "x", message: "again" }));
  expect(await cron.list()).toEqual([]);
});
