// Jobs over HTTP: real scheduler, real journal, scripted model.
import { fakeClock, says } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { createEvents } from "../../src/host/live/events.ts";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway } from "./support.ts";

const DAILY = { kind: "cron", expression: "30 8 * * 1-5", timeZone: "Europe/Berlin" };
const target = { channel: "web", chat: "me" };
const job = { trigger: DAILY, message: "say good morning", target };

test("R247 R283 every route of the schedule asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/cron"));
});

describe("jobs", () => {
  test("R233 R235 R247 a job is added, read, changed, switched and removed under its ETag", async (t) => {
    const operate = operations(await startGateway(t));
    const added = await operate("addJob", { body: { ...job, name: "morning" } });
    expect(added.status).toBe(201);
    const { id, hash } = added.body;
    expect(added.headers.get("etag")).toBe(`"${hash}"`);
    expect(added.body).toMatchObject({
      name: "morning",
      trigger: DAILY,
      mode: "agent",
      message: "say good morning",
      target,
      misfire: "latest_once",
      enabled: true,
      running: false,
      description: "on weekdays at 08:30 (Europe/Berlin)",
      runs: 0,
      failures: 0,
    });
    expect(added.body.nextAt).toBeGreaterThan(Date.now());

    const read = await operate("readJob", { params: { id } });
    expect(read.body).toEqual(added.body);
    expect((await operate("readJob", { params: { id }, headers: { "if-none-match": `"${hash}"` } })).status).toBe(304);
    const zh = await operate("readJob", { params: { id }, headers: { "accept-language": "zh-CN" } });
    expect(zh.body.description).toBe("每个工作日 08:30（Europe/Berlin）");

    const change = { ...job, trigger: { kind: "every", everyMs: 90_000 }, mode: "deliver", enabled: false };
    expect((await operate("changeJob", { params: { id }, body: change })).body.code).toBe("precondition.required");
    const other = { "if-match": '"other"' };
    const failed = await operate("changeJob", { params: { id }, body: change, headers: other });
    expect(failed.body).toMatchObject({ code: "precondition.failed", current: hash });
    const changed = await operate("changeJob", { params: { id }, body: change, headers: { "if-match": `"${hash}"` } });
    expect(changed.body).toMatchObject({
      id,
      trigger: { kind: "every", everyMs: 90_000 },
      mode: "deliver",
      enabled: false,
      description: "every 90 seconds",
      createdAt: added.body.createdAt,
    });
    expect(changed.body).not.toHaveProperty("name");
    expect(changed.body).not.toHaveProperty("nextAt");

    expect((await operate("resumeJob", { params: { id } })).body).toMatchObject({ enabled: true });
    const paused = await operate("pauseJob", { params: { id } });
    expect(paused.body).toMatchObject({ enabled: false });
    const list = await operate("listJobs");
    expect(list.body).toEqual({ items: [paused.body], next: null });

    expect((await operate("removeJob", { params: { id } })).body.code).toBe("precondition.required");
    const stale = await operate("removeJob", { params: { id }, headers: { "if-match": `"${hash}"` } });
    expect(stale.body.code).toBe("precondition.failed");
    const headers = { "if-match": `"${paused.body.hash}"` };
    expect((await operate("removeJob", { params: { id }, headers })).status).toBe(204);
    expect((await operate("readJob", { params: { id } })).body.code).toBe("cron.not-found");
  });

  test("CH99 a job without a sound stays so until a change says otherwise", async (t) => {
    const operate = operations(await startGateway(t));
    const { id, hash, silent } = (await operate("addJob", { body: { ...job, silent: true } })).body;
    const change = async (body: object, tag: string) =>
      (await operate("changeJob", { params: { id }, body, headers: { "if-match": `"${tag}"` } })).body;
    const kept = await change({ ...job, message: "say it" }, hash);
    const loud = await change({ ...job, silent: false }, kept.hash);
    expect([silent, kept.silent, loud.silent]).toEqual([true, true, false]);
    expect(loud.hash).not.toBe(kept.hash);
  });

  test("R234 a bad job is refused with the field named, and nothing is stored", async (t) => {
    const operate = operations(await startGateway(t));
    const refusals = [
      [{ ...job, message: " " }, "/message"],
      [{ ...job, trigger: { kind: "cron", expression: "61 * * * *" } }, "/trigger/expression"],
      [{ ...job, trigger: { ...DAILY, timeZone: "Mars/Base" } }, "/trigger/timeZone"],
      [{ ...job, trigger: { kind: "at", at: 1000 } }, "/trigger/at"],
      [{ ...job, trigger: { kind: "every", everyMs: 1 } }, "/trigger/everyMs"],
    ] as const;
    for (const [body, path] of refusals) {
      const refused = await operate("addJob", { body });
      expect([refused.status, refused.body.code, refused.body.errors?.[0]?.path]).toEqual([422, "cron.invalid", path]);
    }
    const unknown = await operate("addJob", { body: { ...job, surprise: 1 } });
    expect(unknown.body.code).toBe("request.invalid");
    expect((await operate("listJobs")).body.items).toEqual([]);
  });

  test("R232 both spellings of an expression are taken, and an interval from an anchor", async (t) => {
    const operate = operations(await startGateway(t));
    const seed = { ...job, trigger: { kind: "cron", expr: "0 9 * * MON-FRI", tz: "Asia/Tokyo" } };
    const added = await operate("addJob", { body: seed });
    expect(added.body.trigger).toEqual({ kind: "cron", expression: "0 9 * * MON-FRI", timeZone: "Asia/Tokyo" });
    const anchor = Date.now() - 3_600_000;
    const every = await operate("addJob", {
      body: { ...job, trigger: { kind: "every", everyMs: 86_400_000, anchor } },
    });
    expect(every.body).toMatchObject({ trigger: { anchor }, nextAt: anchor + 86_400_000 });
  });

  test("pages are followed by their cursor, and a strange cursor is refused", async (t) => {
    const operate = operations(await startGateway(t));
    const ids: string[] = [];
    for (let k = 0; k < 3; k++) ids.push((await operate("addJob", { body: job })).body.id);
    const first = await operate("listJobs", { query: { limit: 2 } });
    const second = await operate("listJobs", { query: { limit: 2, cursor: first.body.next } });
    expect(second.body.next).toBeNull();
    const listed = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id);
    expect(listed.toSorted()).toEqual(ids.toSorted());
    expect((await operate("listJobs", { query: { cursor: "no cursor" } })).body.code).toBe("request.invalid");
    expect((await operate("listJobs", { query: { limit: 0 } })).body.code).toBe("request.invalid");
  });

  test("R15 without the scheduler there are no jobs, and adding one says why", async (t) => {
    const operate = operations(await startGateway(t, { config: { cron: { enabled: false } } }));
    expect((await operate("listJobs")).body.items).toEqual([]);
    expect((await operate("upcomingRuns")).body).toEqual({ items: [], paused: true });
    const refused = await operate("addJob", { body: job });
    expect([refused.body.code, refused.body.remedy]).toEqual(["cron.invalid", "Set cron.enabled to true and restart."]);
  });
});

describe("runs", () => {
  test("R237 R247 a run on request is a due time of its own, with its text, cost and delivery in the history", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    const { id } = (await operate("addJob", { body: job })).body;
    expect((await operate("listRuns", { params: { id } })).body.items).toEqual([]);
    gateway.model.replies(says("Good morning!", { delayMs: 200 }));
    const started = await operate("runJob", { params: { id } });
    expect(started.status).toBe(202);
    expect(started.body).toMatchObject({ result: "running", manual: true });
    expect((await operate("runJob", { params: { id } })).body.code).toBe("cron.running");
    const during = await operate("listRuns", { params: { id } });
    expect(during.body.items).toMatchObject([{ id: started.body.id, result: "running" }]);

    const last = async (): Promise<unknown> => (await operate("readJob", { params: { id } })).body.last;
    await expect.poll(last).toMatchObject({ id: started.body.id, result: "ok", text: "Good morning!" });
    const [run] = (await operate("listRuns", { params: { id } })).body.items;
    expect(run).toMatchObject({ due: started.body.due, manual: true, result: "ok", costUsd: null });
    expect(run.endedAt).toBeGreaterThanOrEqual(run.startedAt);
    expect(run.session).toBe((await operate("readJob", { params: { id } })).body.session);
    const session = (await operate("readSession", { params: { id: run.session } })).body;
    expect(session.title).toBe(job.message); // without what margay says to the model about it
    await expect
      .poll(async () => (await operate("listRuns", { params: { id } })).body.items[0].delivered)
      .toMatchObject([{ to: target }]);
    expect((await operate("readJob", { params: { id } })).body).toMatchObject({ runs: 1, failures: 0 });
  });

  test("R238 a text that is delivered as it is costs nothing", async (t) => {
    const operate = operations(await startGateway(t));
    const { id } = (await operate("addJob", { body: { ...job, mode: "deliver" } })).body;
    await operate("runJob", { params: { id } });
    await expect
      .poll(async () => (await operate("listRuns", { params: { id } })).body.items[0])
      .toMatchObject({ result: "ok", costUsd: 0, delivered: [{ to: target }] });
  });

  test("a job that is not there has neither runs nor a run", async (t) => {
    const operate = operations(await startGateway(t));
    for (const id of ["listRuns", "runJob", "pauseJob", "resumeJob", "changeJob", "removeJob"]) {
      const given = id === "changeJob" ? { body: job } : {};
      const answer = await operate(id, { params: { id: "none" }, headers: { "if-match": "*" }, ...given });
      expect([id, answer.body.code]).toEqual([id, "cron.not-found"]);
    }
  });
});

describe("validate", () => {
  const validate = async (operate: ReturnType<typeof operations>, trigger: object): Promise<unknown> =>
    (await operate("validateTrigger", { body: { trigger } })).body;

  test("R232 R235 five coming times in the zone of the trigger, in words of both languages", async (t) => {
    const result = await validate(operations(await startGateway(t)), DAILY);
    expect(result).toMatchObject({
      ok: true,
      description: { en: "on weekdays at 08:30 (Europe/Berlin)", zh: "每个工作日 08:30（Europe/Berlin）" },
      warnings: [],
    });
    const { next } = result as { readonly next: readonly { readonly at: number; readonly local: string }[] };
    expect(next).toHaveLength(5);
    for (const { local } of next)
      expect(local).toMatch(/^\d{4}-\d\d-\d\dT08:30\+0[12]:00 (?:Mon|Tues|Wednes|Thurs|Fri)day$/);
  });

  test("R242 a time that a clock change skips or repeats is marked", async (t) => {
    const clock = fakeClock(Date.UTC(2027, 2, 26));
    const operate = operations(await startGateway(t, { clock }));
    const notes = async (expression: string): Promise<readonly unknown[]> => {
      const result = await validate(operate, { kind: "cron", expression, timeZone: "Europe/Berlin" });
      return (result as { readonly next: readonly { readonly local: string; readonly note?: string }[] }).next.map(
        ({ local, note }) => [local.slice(0, 22), note],
      );
    };
    expect((await notes("30 2 * * *")).slice(0, 3)).toEqual([
      ["2027-03-26T02:30+01:00", undefined],
      ["2027-03-27T02:30+01:00", undefined],
      ["2027-03-28T03:00+02:00", "dst-gap"],
    ]);
    expect((await notes("30 2 31 10 *"))[0]).toEqual(["2027-10-31T02:30+02:00", "dst-overlap"]);
    expect((await notes("30 3 31 10 *"))[0]).toEqual(["2027-10-31T03:30+01:00", undefined]);
  });

  test("R234 what cannot be read is named with its place", async (t) => {
    const operate = operations(await startGateway(t));
    const at = (expression: string): Promise<unknown> => validate(operate, { kind: "cron", expression });
    expect(await at("0 9 32 * *")).toMatchObject({ ok: false, errors: [{ path: "/trigger/expression", position: 4 }] });
    expect(await validate(operate, { kind: "cron", expr: "0 9 32 * *" })).toMatchObject({ errors: [{ position: 4 }] });
    expect(await at("0 9 * *")).toMatchObject({ ok: false, errors: [{ position: 7 }] });
    expect(await at("0 9 * * * *")).toMatchObject({ ok: false, errors: [{ position: 10 }] });
    expect(await at("0 0 30 2 *")).toMatchObject({ ok: false });
    const past = await validate(operate, { kind: "at", at: 1000 });
    expect(past).toMatchObject({ ok: false, errors: [{ path: "/trigger/at" }] });
    expect((past as { readonly errors: readonly object[] }).errors[0]).not.toHaveProperty("position");
  });

  test("how often a day, with a warning when that is often", async (t) => {
    const operate = operations(await startGateway(t));
    expect(await validate(operate, { kind: "cron", expression: "*/5 * * * *" })).toMatchObject({
      perDay: 288,
      description: { en: "every 5 minutes (UTC)" },
      warnings: [expect.stringContaining("288")],
    });
    expect(await validate(operate, { kind: "every", everyMs: 86_400_000 })).toMatchObject({ perDay: 1, warnings: [] });
  });
});

test("R247 coming times of all jobs are in one list, the next first", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const hourly = (
    await operate("addJob", { body: { ...job, name: "often", trigger: { kind: "every", everyMs: 3_600_000 } } })
  ).body;
  const daily = (await operate("addJob", { body: { ...job, trigger: { kind: "cron", expression: "0 12 * * *" } } }))
    .body;
  await operate("pauseJob", { params: { id: (await operate("addJob", { body: job })).body.id } });
  const { body } = await operate("upcomingRuns", { query: { to: Date.now() + 86_400_000 } });
  expect(body.paused).toBe(false);
  const jobs = body.items.map((item: { job: string }) => item.job);
  expect(jobs.filter((id: string) => id === hourly.id)).toHaveLength(24);
  expect(jobs.filter((id: string) => id === daily.id)).toHaveLength(1);
  expect(jobs).toHaveLength(25);
  const times = body.items.map(({ at }: { at: number }) => at);
  expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
  await gateway.app.inside.stopFlag.set(true);
  expect((await operate("upcomingRuns")).body.paused).toBe(true);
});

test("R272 a page that follows the schedule is told of every change, whoever made it", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const told: unknown[] = [];
  gateway.gateway.services.once(createEvents).topics.follow("cron", (data) => told.push(data));
  const { id } = (await operate("addJob", { body: job })).body;
  await gateway.app.schedule.cron?.setEnabled(id, false);
  const { headers } = await operate("getHeartbeat");
  await operate("putHeartbeat", {
    body: { enabled: true, intervalMinutes: 7 },
    headers: { "if-match": headers.get("etag") ?? "" },
  });
  expect(told).toEqual([{ job: id }, { job: id }, { changed: "heartbeat" }]);
});
