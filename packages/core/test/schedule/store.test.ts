import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readJobs } from "../../src/schedule/job-store.ts";
import { job, startCron, until } from "./support.ts";

test("R236 R247 the view shows the jobs as they stand, in nanobot's words", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, home } = scene;
  const { id } = await cron.add(job({ mode: "deliver", name: "Water" }));
  scene.go();
  await clock.advance(3_600_000);
  await until(async () => (await cron.list())[0]?.last !== undefined);
  expect(await readJobs(`${home}/cron`)).toMatchObject([{ job: { id, name: "Water" }, runs: 1 }]); // while it runs
  await cron[Symbol.asyncDispose]();
  expect(JSON.parse(await readFile(`${home}/cron/jobs.json`, "utf8"))).toMatchObject({
    version: 1,
    jobs: [
      {
        id,
        name: "Water",
        enabled: true,
        schedule: { kind: "every", everyMs: 3_600_000 },
        payload: { message: "drink water", channel: "chat", to: "42" },
        state: { lastStatus: "ok", nextRunAtMs: clock.now() + 3_600_000 },
      },
    ],
  });
});

test("R247 a job that has nothing before it says so in the view, as nanobot does", async (t) => {
  const scene = await startCron(t);
  const { cron, home } = scene;
  const { id } = await cron.add(job({}));
  await cron.setEnabled(id, false);
  await cron[Symbol.asyncDispose]();
  const { jobs } = JSON.parse(await readFile(`${home}/cron/jobs.json`, "utf8")) as { jobs: { state: object }[] };
  expect(jobs.map(({ state }) => state)).toEqual([
    { nextRunAtMs: null, lastRunAtMs: null, lastStatus: null, lastError: null, lastDurationMs: null },
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
