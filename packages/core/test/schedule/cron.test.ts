import { readFile, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { callsTool, fails, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import { ofType } from "../support/agent.ts";
import { CHAT, job, startCron, textsOf, until } from "./support.ts";

const HOUR = 3_600_000;
const deliver = (rest = {}) => job({ mode: "deliver", ...rest });

test("R237 R239 SS11 a due job runs as a turn of its own session; its answer is delivered and a row of its chat", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  const { id } = await cron.add(job());
  scene.go();
  model.replies(says("Time to drink."), says("You drank."));
  await clock.advance(HOUR);
  await chat.received(1);
  expect(textsOf(chat)).toEqual(["Time to drink."]);
  expect(ofType(await scene.records(`cron:${id}`), "message.received")).toMatchObject([
    { key: `cron:${id}:${clock.now()}`, origin: { channel: "cron", chat: id }, attended: false },
  ]);
  expect(ofType(await scene.records("chat:42"), "message.posted")).toMatchObject([
    { from: { id: "cron", kind: "schedule" }, text: "Time to drink." },
  ]);
  // A reply to it is understood: the next request of the chat holds what was sent, and not the job's prompt (CR19).
  model.expectNewEpoch("the chat begins with an answer");
  await scene.agent.send("chat:42", "done").finished;
  const sent = JSON.stringify(model.requests[1]?.messages);
  expect(sent).toContain("Time to drink.");
  expect(sent).not.toContain("drink water");
  // The same system prompt as in a chat (R394).
  expect(model.requests[0]?.raw.length).toBeGreaterThan(0);
  const prefix = async (key: string): Promise<string | undefined> =>
    ofType(await scene.records(key), "prefix.frozen")[0]?.prefix.hash;
  expect(await prefix(`cron:${id}`)).toBe(await prefix("chat:42"));
});

test("R238 CR11 CR13 CR14 deliver sends the text byte for byte without a model, and it enters nowhere as a message", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  const message = "喝水 💧  two  spaces\nand a line";
  await cron.add(deliver({ message, name: "Water" }));
  scene.go();
  await clock.advance(HOUR);
  await chat.received(1);
  expect(textsOf(chat)).toEqual([message]);
  expect(chat.sent[0]?.to).toEqual(CHAT);
  expect(model.requests).toHaveLength(0);
  expect(ofType(await scene.records("chat:42"), "message.received")).toEqual([]);
});

test("CH99 what a job sends comes without a sound where its job says so, an answer of the model as well", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  for (const silent of [true, false]) {
    await cron.add(deliver({ message: silent ? "quiet" : "loud", silent }));
    await cron.add(job({ message: "look", silent }));
  }
  model.replies(says("I saw."), says("I saw."));
  scene.go();
  await clock.advance(HOUR);
  await chat.received(4);
  const sounds = chat.sent.map(
    ({ silent }, index) => `${textsOf(chat)[index]} ${silent === true ? "quietly" : "aloud"}`,
  );
  const all = ["I saw. aloud", "I saw. quietly", "loud aloud", "quiet quietly"];
  expect(new Set(sounds)).toEqual(new Set(all));
});

test("CR12 an answer of (nothing) is recorded as silent and not delivered", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  const { id } = await cron.add(job());
  scene.go();
  model.replies(says("(nothing)\n"));
  await clock.advance(HOUR);
  await until(async () => (await cron.list())[0]?.last !== undefined);
  await scene.agent.idle();
  expect(await cron.list()).toMatchObject([{ id, last: { status: "silent" } }]);
  expect(chat.sent).toEqual([]);
});

for (const [misfire, runs] of [
  ["skip", 0],
  ["latest_once", 1],
  ["all", 3],
] as const)
  for (const how of ["restart", "suspend"] as const)
    test(`R240 CR4 CR6 three times missed by a ${how} are ${runs} runs with ${misfire}, and the rest is recorded`, async (t) => {
      const first = await startCron(t);
      const start = first.clock.now();
      const { id } = await first.cron.add(deliver({ misfire }));
      let scene = first;
      if (how === "suspend") {
        scene.go();
        await scene.clock.advance(60_000);
        scene.clock.jump(3 * HOUR + 600_000);
        await scene.clock.advance(61_000);
      } else {
        await scene.clock.advance(3 * HOUR + 600_000);
        scene = await scene.again();
        scene.go();
        await scene.clock.advance(1);
      }
      const { cron, clock, chat } = scene;
      await until(async () => duesOf(await cron.runs(id), start).length === 3);
      await scene.agent.idle();
      expect(textsOf(chat)).toHaveLength(runs);
      const last = misfire === "skip" ? [] : [start + 3 * HOUR];
      expect((await cron.runs(id)).flatMap((run) => ("due" in run ? [run.due] : []))).toEqual(
        misfire === "all" ? [1, 2, 3].map((k) => start + k * HOUR) : last,
      );
      // The schedule goes on where it would have been.
      expect((await cron.list())[0]?.nextAt).toBe(start + 4 * HOUR);
      expect(clock.now()).toBeLessThan(start + 4 * HOUR);
    });

/** Due times of hourly runs that were run or skipped. */
function duesOf(runs: Awaited<ReturnType<Awaited<ReturnType<typeof startCron>>["cron"]["runs"]>>, start: number) {
  return runs
    .flatMap((run) => {
      if ("due" in run) return [run.due];
      const dues: number[] = [];
      for (let due = run.first; due <= run.last; due += HOUR) dues.push(due);
      return dues;
    })
    .filter((due) => due > start);
}

test("R240 all makes up for at most cron.maxCatchUp and records the rest", async (t) => {
  const first = await startCron(t, { cron: { maxCatchUp: 2 } });
  const start = first.clock.now();
  const { id } = await first.cron.add(deliver({ misfire: "all" }));
  await first.clock.advance(5 * HOUR + 1);
  const scene = await first.again();
  scene.go();
  await until(async () => (await scene.cron.runs(id)).length === 3);
  expect(await scene.cron.runs(id)).toMatchObject([
    { first: start + HOUR, last: start + 3 * HOUR, reason: "limit" },
    { due: start + 4 * HOUR },
    { due: start + 5 * HOUR },
  ]);
});

test("R241 CR3 a hundred runs with slow turns keep the exact times of their anchor", async (t) => {
  const scene = await startCron(t, { settings: { memoryWindow: 1000 } });
  const { cron, clock, model } = scene;
  const start = clock.now();
  const { id } = await cron.add(job({ every_seconds: 60 }));
  scene.go();
  model.replies(...Array.from({ length: 100 }, () => says("(nothing)")));
  for (let k = 1; k <= 100; k++) {
    await clock.advance(60_000);
    await until(async () => (await cron.list())[0]?.last?.due === start + k * 60_000);
    await clock.advance(0);
  }
  const dues = (await cron.runs(id)).map((run) => ("due" in run ? run.due : 0));
  expect(dues).toEqual(Array.from({ length: 100 }, (_, k) => start + (k + 1) * 60_000));
});

test("R243 CR7 an at in 60 days neither fires early nor spins", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat } = scene;
  const due = clock.now() + 60 * 24 * HOUR;
  await cron.add(deliver({ at: due }));
  scene.go();
  await clock.waitForSleep();
  // Steps of a minute: the wall clock may be set meanwhile.
  expect(clock.pending()).toEqual([60_000]);
  clock.jump(59 * 24 * HOUR);
  await clock.advance(60_000);
  expect(chat.sent).toEqual([]);
  await clock.advance(24 * HOUR - 120_000);
  expect(chat.sent).toEqual([]);
  await clock.advance(60_000);
  await chat.received(1);
  expect(clock.now()).toBe(due);
});

test("R244 CR2 a slow job delays no other, and its own time during its run follows the policy", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  const start = clock.now();
  const slow = await cron.add(job({ every_seconds: 3600, misfire: "skip", message: "slow" }));
  await cron.add(deliver({ message: "fast" }));
  scene.go();
  model.replies(stalls());
  await clock.advance(HOUR);
  await chat.received(1);
  expect(textsOf(chat)).toEqual(["fast"]);
  await clock.advance(1_200_000); // its time is up
  await until(async () => (await cron.list())[0]?.last !== undefined);
  expect((await cron.list())[0]).toMatchObject({ id: slow.id, last: { status: "timeout", due: start + HOUR } });
});

test("R244 CR4 not more than cron.concurrency jobs run at once; the others wait and then run", async (t) => {
  const scene = await startCron(t, { cron: { concurrency: 2 }, settings: { concurrency: 8 } });
  const { cron, clock, model, agent } = scene;
  for (let n = 0; n < 4; n++) await cron.add(job({ message: `job ${n}` }));
  scene.go();
  const gates = Array.from({ length: 4 }, () => stalls());
  model.replies(...gates);
  await clock.advance(HOUR);
  await until(async () => model.requests.length === 2);
  expect((await cron.list()).filter((each) => each.running)).toHaveLength(2);
  const [first] = (await cron.list()).filter((each) => each.running);
  await agent.control(`cron:${first?.id ?? ""}`, { type: "stop", withdraw: true }, { id: "ann", kind: "person" });
  await until(async () => model.requests.length === 3);
  expect((await cron.list()).filter((each) => each.running)).toHaveLength(2);
});

test("R245 CR5 an at disappears after its run, a failed one too, and its history stays", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  const { id } = await cron.add(job({ at: clock.now() - 30_000 })); // it became past while the model answered
  model.replies(fails(400, { message: "no" }));
  scene.go();
  await until(async () => (await cron.list()).length === 0);
  expect(await cron.runs(id)).toMatchObject([{ status: "error", manual: false }]);
  expect((await cron.runs(id))[0]).toHaveProperty("error");
  await chat.received(1); // the person is told (R247)
  expect(chat.sent[0]?.kind).toBe("error");
});

test("R247 a job that is not let in, or whose words cannot be queued, is a failed run that says why", async (t) => {
  const scene = await startCron(t, {
    agent: {
      policy: {
        admit: () => Promise.resolve({ ok: false, reason: "Nobody is let in." }),
        judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
      },
    },
  });
  const { cron, model } = scene;
  const { id } = await cron.add(job({}));
  scene.go();
  const run = await cron.runNow(id, t.signal);
  expect(run).toMatchObject({ status: "error", error: expect.stringContaining("Nobody is let in.") as string });
  expect(model.requests).toEqual([]);
});

test("R246 CR15 a job may not add jobs", async (t) => {
  const policy = createPolicy({
    approvalTimeoutMs: () => 1000,
    sandboxed: () => false,
    rules: [{ tool: "*", action: "allow" }],
  });
  const scene = await startCron(t, { agent: { policy } });
  const { cron, clock, model } = scene;
  await cron.add(job());
  scene.go();
  model.replies(callsTool("cron", { action: "add", message: "again", every_seconds: 60 }), says("I may not."));
  await clock.advance(HOUR);
  await until(async () => (await cron.list())[0]?.last !== undefined);
  expect(model.requests[1]?.toolResults[0]?.text).toMatch(/^Denied: /);
  expect(await cron.list()).toHaveLength(1);
});

test("R246 a run ends after cron.jobTimeoutSeconds", async (t) => {
  const scene = await startCron(t, { cron: { jobTimeoutMs: 90_000 } });
  const { cron, clock, model } = scene;
  await cron.add(job());
  scene.go();
  model.replies(stalls());
  await clock.advance(HOUR);
  await until(async () => model.requests.length === 1);
  await clock.advance(90_000);
  await until(async () => (await cron.list())[0]?.last !== undefined);
  expect(await cron.list()).toMatchObject([{ running: false, last: { status: "timeout" } }]);
});

test("CR17 R247 a manual run is a due time of its own and moves nothing", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat } = scene;
  const { id, nextAt } = await cron.add(deliver());
  const run = await cron.runNow(id, AbortSignal.timeout(10_000));
  expect(run).toMatchObject({ manual: true, status: "ok" });
  await chat.received(1);
  expect((await cron.list())[0]).toMatchObject({ nextAt, last: { manual: true } });
  scene.go();
  await clock.advance(HOUR);
  await chat.received(2);
  expect(await cron.runNow("nobody", AbortSignal.timeout(10_000))).toBe("unknown");
});

test("R244 CR4 who has waited longest runs first when there is not room for all", async (t) => {
  const { cron, clock, chat, go } = await startCron(t, { cron: { concurrency: 1 } });
  await cron.add(deliver({ cron_expr: "30 * * * *", message: "half past" }));
  const { id } = await cron.add(deliver({ message: "switched off" }));
  await cron.setEnabled(id, false);
  await cron.add(deliver({ cron_expr: "10 * * * *", message: "ten past" }));
  await clock.advance(HOUR);
  go();
  await chat.received(2);
  expect(textsOf(chat)).toEqual(["ten past", "half past"]);
});

test("CR18 a job removed during its run ends that run, delivers it and has no next", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  const { id } = await cron.add(job());
  scene.go();
  const held = stalls({ rest: says("late answer") });
  model.replies(held);
  await clock.advance(HOUR);
  await until(async () => (await cron.list())[0]?.running === true);
  expect(await cron.remove(id)).toBe(true);
  held.release();
  await chat.received(1);
  expect(textsOf(chat)).toEqual(["late answer"]);
  expect(await cron.list()).toEqual([]);
  await clock.advance(3 * HOUR);
  expect(chat.sent).toHaveLength(1);
});

test("R236 CR10 a store that cannot be read stops the scheduler and stays as it is", async (t) => {
  const first = await startCron(t);
  await first.cron.add(deliver({ message: "first one" }));
  const path = `${first.home}/cron/jobs.journal`;
  const damaged = (await readFile(path, "utf8")).replace("first one", "other one");
  await writeFile(path, damaged);
  const { cron } = await first.again();
  await expect(cron.run(new AbortController().signal)).rejects.toMatchObject({ code: "journal.damaged" });
  await expect(cron.add(deliver())).rejects.toMatchObject({ code: "journal.damaged" });
  expect(await readFile(path, "utf8")).toBe(damaged);
});

test("CR9 CR16 a job this machine cannot read is listed as invalid and the others run", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat } = scene;
  await cron.add(deliver({ cron_expr: "0 * * * *", tz: "Europe/Berlin", message: "broken" }));
  await cron.add(deliver({ message: "whole" }));
  await cron[Symbol.asyncDispose]();
  const path = `${scene.home}/cron/jobs.journal`;
  await writeFile(path, rewritten(await readFile(path, "utf8"), "Europe/Berlin", "Europe/Bonn!!"));
  const again = await scene.again();
  again.go();
  await clock.advance(HOUR);
  await again.chat.received(1);
  expect(textsOf(again.chat)).toEqual(["whole"]);
  expect((await again.cron.list())[0]).toMatchObject({ message: "broken", invalid: expect.any(String) as string });
  expect(chat.sent).toEqual([]);
});

test("disabled jobs do not run and what passed meanwhile is not made up for (R240)", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat } = scene;
  const { id } = await cron.add(deliver({ misfire: "all" }));
  scene.go();
  await cron.setEnabled(id, false);
  expect((await cron.list())[0]).not.toHaveProperty("nextAt");
  await clock.advance(3 * HOUR + 60_000);
  await cron.setEnabled(id, true);
  await clock.advance(60_000);
  expect(chat.sent).toEqual([]);
  await clock.advance(HOUR);
  await chat.received(1);
  expect(chat.sent).toHaveLength(1);
});

/** The journal with a word changed, its checksums made again: as an older margay might have left it. */
function rewritten(text: string, from: string, to: string): string {
  return text
    .split("\n")
    .map((line) => {
      if (!line.includes(from)) return line;
      const body = line.slice('{"crc":"xxxxxxxx",'.length).replaceAll(from, to);
      return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}`;
    })
    .join("\n");
}

test("R239 R243 a clock that was a year ahead and is put right stops no job: it goes on, and no due time fires twice", async (t) => {
  const { cron, clock, chat, go, cronLog } = await startCron(t);
  await cron.add(job({ mode: "deliver", message: "water" }));
  go();
  await clock.advance(HOUR + 60_000);
  await chat.received(1);
  clock.jump(365 * 24 * HOUR);
  await clock.advance(60_000);
  await chat.received(2);
  clock.jump(-365 * 24 * HOUR);
  await clock.advance(60_000);
  await until(async () => ((await cron.list())[0]?.nextAt ?? Infinity) < clock.now() + HOUR);
  await clock.advance(HOUR);
  await chat.received(3);
  await clock.advance(HOUR);
  await chat.received(4);
  expect(new Set(chat.sent.map(({ reply }) => reply)).size).toBe(4);
  expect(chat.sent).toHaveLength(4);
  expect(cronLog.lines.filter(({ event }) => event === "cron.clock")).toHaveLength(1);
});

test("DF19 a clock that is set back by minutes holds no job, it is said once, and what ran today does not run again", async (t) => {
  const { cron, clock, chat, go, cronLog } = await startCron(t);
  await cron.add(job({ mode: "deliver", every_seconds: 60, misfire: "skip", message: "interval" }));
  await cron.add(job({ mode: "deliver", cron_expr: "* * * * *", message: "minute" }));
  await cron.add(job({ mode: "deliver", cron_expr: "2 12 * * *", message: "daily" })); // in two minutes
  go();
  const counts = (): readonly number[] =>
    ["interval", "minute", "daily", "young"].map((name) => textsOf(chat).filter((text) => text === name).length);
  const busy = new Set<string>(); // until its end is on disk
  cron.watch(
    (id, { type }) => void (type === "run.started" ? busy.add(id) : type === "run.finished" && busy.delete(id)),
  );
  const isIdle = async (): Promise<boolean> =>
    (await cron.list()).every((one) => !one.running && (one.nextAt ?? 0) > clock.now()) && busy.size === 0;
  const minutes = async (number: number): Promise<void> => {
    for (let minute = 1; minute <= number; minute++) {
      await clock.advance(60_000);
      await until(isIdle);
    }
  };
  await minutes(5);
  await until(async () => Promise.resolve(chat.sent.length === 11));
  expect(counts()).toEqual([5, 5, 1, 0]);
  const { id } = await cron.add(job({ mode: "deliver", every_seconds: 60, message: "young" })); // it lies ahead, too

  clock.jump(-600_000);
  await cron.setEnabled(id, true); // so that it is noticed now, and not within a minute
  const said = (): readonly object[] => cronLog.lines.filter(({ event }) => event === "cron.clock");
  const near = async (): Promise<number> =>
    (await cron.list()).filter(({ nextAt }) => (nextAt ?? 0) === clock.now() + 60_000).length;
  await until(async () => (await near()) === 3);
  await minutes(5);
  await until(async () => Promise.resolve(chat.sent.length === 26));
  expect(counts()).toEqual([10, 10, 1, 5]);
  // Past the times that ran before: the last of each is not repeated.
  await minutes(6);
  await until(async () => Promise.resolve(chat.sent.length === 42));
  expect(counts()).toEqual([15, 15, 1, 11]);
  expect(said()).toMatchObject([{ level: "warn", data: { backMs: 600_000, jobs: { length: 4 } } }]);
});

test("R237 a run says how long it took", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, model } = scene;
  await cron.add(job());
  scene.go();
  const held = stalls({ rest: says("Time to drink.") });
  model.replies(held);
  await clock.advance(HOUR);
  await model.received(1);
  await clock.advance(7000);
  held.release();
  await until(async () => (await cron.list())[0]?.last !== undefined);
  expect((await cron.list())[0]?.last?.durationMs).toBe(7000);
});
