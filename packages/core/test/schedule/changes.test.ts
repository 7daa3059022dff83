// Jobs that are changed, paused or cannot be stored while others run.
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { job, startCron, textsOf, until } from "./support.ts";

const HOUR = 3_600_000;
const deliver = (rest = {}) => job({ mode: "deliver", ...rest });

test("R236 after a write that failed the next one opens the store anew, and the scheduler goes on with it", async (t) => {
  const disk = { full: false };
  const scene = await startCron(t, {
    writing: () => {
      if (disk.full) throw new Error("no space left");
    },
  });
  const { cron, clock, chat } = scene;
  await cron.add(deliver({ message: "before" }));
  scene.go();
  await clock.advance(1000);
  disk.full = true;
  await expect(cron.add(deliver({ message: "lost" }))).rejects.toThrow("no space left");
  disk.full = false;
  await cron.add(deliver({ message: "after" }));
  expect((await cron.list()).map(({ message }) => message)).toEqual(["before", "after"]);
  await clock.advance(HOUR);
  await chat.received(2);
  expect(textsOf(chat).toSorted()).toEqual(["after", "before"]);
});

test("R236 a run whose store broke meanwhile is recorded in the one that was opened anew", async (t) => {
  const disk = { full: false };
  const scene = await startCron(t, {
    writing: () => {
      if (disk.full) throw new Error("no space left");
    },
  });
  const { cron, clock, chat, model } = scene;
  const held = stalls({ rest: says("late answer") });
  const { id } = await cron.add(job());
  scene.go();
  model.replies(held);
  await clock.advance(HOUR);
  await until(async () => (await cron.list())[0]?.running === true);
  disk.full = true;
  await expect(cron.add(deliver())).rejects.toThrow("no space left");
  disk.full = false;
  held.release();
  await chat.received(1);
  await until(async () => (await cron.list())[0]?.running === false);
  expect(await cron.list()).toMatchObject([{ id, last: { status: "ok" } }]);
  expect(model.requests).toHaveLength(1);
});

for (const [misfire, runs] of [
  ["skip", ["in time"]],
  ["latest_once", ["missed", "in time"]],
] as const)
  test(`R183 what is due after /resume runs at its time, what was due before it is missed: ${misfire}`, async (t) => {
    const pause = { on: false };
    const scene = await startCron(t, { stopped: () => pause.on });
    const { cron, clock, chat } = scene;
    await cron.add(deliver({ message: "missed", every_seconds: 70, misfire }));
    await cron.add(deliver({ message: "in time", every_seconds: 100, misfire }));
    pause.on = true;
    scene.go();
    await clock.advance(80_000); // in the middle of a step
    pause.on = false;
    cron.resumed();
    const resumed = clock.now();
    await clock.advance(20_000);
    await chat.received(runs.length);
    expect(textsOf(chat)).toEqual(runs);
    expect(clock.now() - resumed).toBe(20_000);
  });

test.each(["removed", "switched off"])("a job %s while others are begun is not begun any more", async (how) => {
  const change = { now: () => {} };
  const scene = await startCron(
    { onTestFinished },
    {
      writing: ({ records }) => {
        if (records[0]?.type === "run.started") change.now();
      },
    },
  );
  const { cron, clock, chat } = scene;
  await cron.add(deliver({ message: "first" }));
  const { id } = await cron.add(deliver({ message: "second" }));
  const changed = Promise.withResolvers<boolean>();
  change.now = () => changed.resolve(how === "removed" ? cron.remove(id) : cron.setEnabled(id, false));
  scene.go();
  await clock.advance(HOUR);
  await chat.received(1);
  expect(await changed.promise).toBe(true);
  await clock.advance(1000);
  await scene.agent.idle();
  expect(textsOf(chat)).toEqual(["first"]);
  expect((await cron.runs(id)).length).toBe(0);
});

test("a job that is added switched off is one commit: nothing that happens between can leave it on", async (t) => {
  const { cron, clock, chat, go, home } = await startCron(t);
  expect(await cron.add(deliver({ enabled: false }))).toMatchObject({ enabled: false });
  go();
  await clock.advance(3 * HOUR);
  expect(chat.sent).toEqual([]);
  const lines = (await readFile(`${home}/cron/jobs.journal`, "utf8")).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { records: { type: string }[] }).records)).toMatchObject([
    [{ type: "job.added" }, { type: "job.switched", enabled: false }],
  ]);
});

test("a changed job keeps its id, its history and its switch, and runs at its new time only, also after a restart", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat } = scene;
  const { id } = await cron.add(deliver({ message: "old" }));
  scene.go();
  await clock.advance(HOUR);
  await chat.received(1);
  await until(async () => (await cron.list())[0]?.runs === 1);
  await cron.setEnabled(id, false);
  const { every_seconds: _hourly, ...rest } = deliver({ message: "new" });
  const at = clock.now() + 5 * HOUR;
  expect(await cron.change(id, { ...rest, at })).toMatchObject({ id, message: "new", enabled: false, runs: 1 });
  expect(await cron.change(id, { ...rest, at, enabled: true })).toMatchObject({ enabled: true, nextAt: at });
  await expect(cron.change(id, { ...rest, message: " ", at })).rejects.toMatchObject({ code: "cron.invalid" });
  expect(await cron.change("other", { ...rest, at })).toBeUndefined();

  const later = await scene.again();
  expect(await later.cron.list()).toMatchObject([{ id, message: "new", nextAt: at, runs: 1, failures: 0 }]);
  later.go();
  await later.clock.advance(5 * HOUR); // no further: an answer that is delivered later says when it was written
  await later.chat.received(1);
  expect(textsOf(later.chat)).toEqual(["new"]);
  await until(async () => (await later.cron.list()).length === 0);
  expect(await later.cron.runs(id)).toHaveLength(2);
});

test("times of a changed job that lie before the change are not made up for", async (t) => {
  const { cron, clock, chat, go } = await startCron(t, { cron: { misfire: "all" } });
  const { every_seconds: _hourly, ...rest } = deliver({ message: "new" });
  const { id } = await cron.add(deliver());
  await clock.advance(10 * HOUR);
  const anchor = clock.now() - 10 * HOUR;
  const changed = await cron.change(id, { ...rest, every_seconds: 3600, anchor });
  expect(changed?.nextAt).toBe(anchor + 11 * HOUR);
  go();
  await clock.advance(HOUR);
  await chat.received(1);
  await clock.advance(1000);
  expect(textsOf(chat)).toEqual(["new"]);
});

test("a run that was begun is known by its due time before it ends", async (t) => {
  const { cron, clock, model } = await startCron(t);
  const held = stalls({ rest: says("done") });
  model.replies(held);
  const { id } = await cron.add(job());
  const begun = await cron.begin(id, new AbortController().signal);
  if (typeof begun === "string") throw new Error(begun);
  expect(begun).toMatchObject({ due: clock.now(), startedAt: clock.now() });
  expect(await cron.list()).toMatchObject([{ running: true, run: { due: begun.due, manual: true } }]);
  expect(await cron.begin(id, new AbortController().signal)).toBe("running");
  held.release();
  expect(await begun.ended).toMatchObject({ status: "ok", due: begun.due });
  expect(await cron.begin("other", new AbortController().signal)).toBe("unknown");
});
