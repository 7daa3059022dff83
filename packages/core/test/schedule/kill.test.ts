/** Jobs under random kills: before or after any commit of any journal, around due times, with time passing in between. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JobCommit, JobRecord, Misfire, Trigger } from "../../src/contract/schedule.ts";
import type { Agent, JournalRecord, Policy, Provider } from "../../src/index.ts";
import { createAgent, RuntimeError } from "../../src/index.ts";
import { silentLog } from "../../src/internal.ts";
import type { Journals } from "../../src/contract/store.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import type { StoreFiles } from "../../src/journal/store-journal.ts";
import { loadCalendar } from "../../src/schedule/calendar.ts";
import { createCron, type Cron } from "../../src/schedule/cron.ts";
import { nextDue } from "../../src/schedule/trigger.ts";
import { eachCommit } from "../support/each-commit.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { type FakeClock } from "../../src/internal-testing.ts";

const MINUTE = 60_000;
const CHAT = { channel: "chat", chat: "42" };
const LIVES = 5;
const SEEDS = 52;
const calendar = await loadCalendar();

interface World {
  readonly clock: FakeClock;
  readonly home: string;
  readonly sessions: Journals;
  /** Lines of the job journal. */
  readonly jobs: string[];
  readonly delivered: string[];
  requests: number;
  kills: number;
}
interface Life {
  readonly agent: Agent;
  readonly cron: Cron;
  readonly dead: Promise<void>;
  isDead(): boolean;
}

test(`R239 R240 CR1 CR4 ${SEEDS * (LIVES - 1)} kills at random moments: each due time runs at most once and is run or recorded as skipped`, async () => {
  let kills = 0;
  for (let seed = 1; seed <= SEEDS; seed++) kills += await story(seed);
  expect(kills).toBeGreaterThanOrEqual(200);
});

/** @returns how often the process was killed. */
async function story(seed: number): Promise<number> {
  const random = numbers(seed);
  const home = mkdtempSync(join(tmpdir(), "margay-cron-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const world: World = {
    clock: fakeClock(),
    home,
    sessions: memoryJournals(),
    jobs: [],
    delivered: [],
    requests: 0,
    kills: 0,
  };
  const misfires: readonly Misfire[] = ["skip", "latest_once", "all"];
  const misfire = (): Misfire => misfires[Math.floor(random() * 3)] ?? "skip";
  for (let life = 0; life < LIVES; life++) {
    const last = life === LIVES - 1;
    // A life makes about ten commits an hour of its jobs: most kills come while something is due.
    const killAt = last ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 24);
    const { agent, cron, dead, isDead } = start(world, killAt, random() < 0.5 ? "before" : "after");
    const stopping = new AbortController();
    const act = async (): Promise<void> => {
      await agent.resume();
      for (const [id, request] of Object.entries({
        work: { message: "work", every_seconds: 600 },
        water: { message: "water", cron_expr: "*/7 * * * *", mode: "deliver" as const },
        once: { message: "once", at: Date.UTC(2026, 2, 1, 12, 40) },
      }))
        await cron.add({ ...request, id, misfire: misfire(), to: CHAT });
      const running = cron.run(stopping.signal);
      running.catch(() => {}); // killed
      for (let minutes = last ? 40 : 120; minutes > 0 && !isDead(); minutes -= 5) await world.clock.advance(5 * MINUTE);
      if (last) {
        await settled(world, cron);
        await agent.idle();
      }
      stopping.abort(new Error("stop"));
      await running;
    };
    await Promise.race([
      act().catch((error: unknown) => (isDead() ? undefined : Promise.reject(error as Error))),
      dead,
    ]);
    stopping.abort(new Error("stop"));
    for (const part of [cron, agent]) await Promise.resolve(part[Symbol.asyncDispose]()).catch(() => {}); // it is dead
    if (!last) await world.clock.advance(Math.floor(random() * 45) * MINUTE);
  }
  await check(world, seed);
  return world.kills;
}

/** The last life goes on until nothing is running and nothing waits to be delivered. */
async function settled(world: World, cron: Cron): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) {
    await world.clock.advance(1);
    if ((await cron.list()).every((job) => !job.running)) return;
  }
  throw new Error("a run never ended");
}

async function check(world: World, seed: number): Promise<void> {
  const label = `seed ${seed}`;
  const commits = world.jobs.map((line) => JSON.parse(line) as JobCommit);
  const records = commits.flatMap((commit) => commit.records);
  for (const id of ["work", "water", "once"]) {
    const own = records.filter((record) => !("job" in record) && record.id === id);
    const job = records.find((record) => record.type === "job.added" && record.job.id === id);
    if (job?.type !== "job.added") throw new Error(`${label}: ${id} was never added`);
    const begun = own.flatMap((record) => (record.type === "run.started" ? [record.due] : []));
    const ended = own.flatMap((record) => (record.type === "run.finished" ? [record.due] : []));
    expect(new Set(begun).size, `${label} ${id}: begun once`).toBe(begun.length);
    expect(inOrder(ended), `${label} ${id}: ended once`).toEqual(inOrder(begun));
    expect(accounted(own), `${label} ${id}: every due time is run or skipped, none both`).toEqual(
      duesUntil(job.job.trigger, job.job.createdAt, Math.max(0, ...accounted(own))),
    );
    const posted = await recordsOf(world, "chat:42", "message.posted");
    expect(posted.filter(({ from }) => from.name === `job ${id}`).length, `${label} ${id}: one row a run`).toBe(
      begun.length,
    );
    if (id === "water") continue;
    const received = (await recordsOf(world, `cron:${id}`, "message.received")).map(({ key }) => key);
    expect(received.toSorted(), `${label} ${id}: one message a run`).toEqual(
      begun.map((due) => `cron:${id}:${due}`).toSorted(),
    );
  }
  // At least once from the outbox: the platform's key tells, and no reply is lost.
  const rows = await recordsOf(world, "chat:42", "reply.queued");
  expect(new Set(world.delivered), label).toEqual(new Set(rows.map(({ reply }) => reply)));
}

function accounted(records: readonly JobRecord[]): readonly number[] {
  return records
    .flatMap((record) => {
      if (record.type === "run.started") return [record.due];
      if (record.type !== "run.skipped") return [];
      return duesUntil(triggerOf(record.id), record.first - 1, record.last);
    })
    .toSorted((a, b) => a - b);
}

function inOrder(times: readonly number[]): readonly number[] {
  return times.toSorted((a, b) => a - b);
}

const triggers = new Map<string, Trigger>();
function triggerOf(id: string): Trigger {
  const trigger = triggers.get(id);
  if (trigger === undefined) throw new Error(`no trigger of ${id}`);
  return trigger;
}

function duesUntil(trigger: Trigger, after: number, until: number): readonly number[] {
  const dues: number[] = [];
  for (
    let due = nextDue(trigger, after, calendar);
    due !== undefined && due <= until;
    due = nextDue(trigger, due, calendar)
  )
    dues.push(due);
  return dues;
}

type RecordOf<T extends string> = Extract<JournalRecord, { readonly type: T }>;

async function recordsOf<T extends "message.posted" | "message.received" | "reply.queued">(
  world: World,
  key: string,
  type: T,
): Promise<readonly RecordOf<T>[]> {
  const session = await openSessions({ journals: world.sessions, clock: world.clock }).find(key);
  const found: RecordOf<T>[] = [];
  if (session === undefined) return found;
  for await (const commit of session.history())
    for (const record of commit.records) if (record.type === type) found.push(record as RecordOf<T>);
  return found;
}

/** A process that dies at its k-th commit, whichever journal that goes to; afterwards nothing it does is stored or seen. */
function start(world: World, killAt: number, when: "before" | "after"): Life {
  const died = Promise.withResolvers<void>();
  let dead = false;
  let commits = 0;
  const store = async (write: () => Promise<void>): Promise<void> => {
    if (dead) throw new RuntimeError("journal.failed", "dead");
    commits += 1;
    const kill = commits === killAt;
    if (!kill || when === "after") await write();
    if (!kill) return;
    dead = true;
    world.kills += 1;
    died.resolve();
    throw new RuntimeError("journal.failed", "killed");
  };
  const journals = eachCommit(world.sessions, (_commit, write) => store(write));
  const files: StoreFiles<JobCommit> = {
    openJournal: () => ({
      takeOpened: () => world.jobs.map((line) => JSON.parse(line) as JobCommit),
      append: (_expected, commit, written) =>
        store(() => {
          for (const record of commit.records)
            if (record.type === "job.added") triggers.set(record.job.id, record.job.trigger);
          world.jobs.push(JSON.stringify(commit));
          written?.();
          return Promise.resolve();
        }),
      read: async function* () {
        for (const line of world.jobs) yield await Promise.resolve(JSON.parse(line) as JobCommit);
      },
      release: () => {},
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
    views: {
      head: () => Promise.resolve(undefined),
      extend: () => Promise.resolve(false),
      replace: () => Promise.resolve(),
      rename: () => Promise.resolve(false),
      remove: () => Promise.resolve(),
    },
  };
  const held: { agent?: Agent } = {};
  const cron = createCron({
    directory: "unused",
    files,
    host: () => held.agent!,
    settings: () => ({ timeZone: "UTC", misfire: "skip", maxCatchUp: 20, concurrency: 3, jobTimeoutMs: 1_200_000 }),
    clock: world.clock,
    ids: { next: (kind) => `${kind}-${crypto.randomUUID()}` },
    log: silentLog,
  });
  const agent = createAgent({
    directory: join(world.home, "state"),
    workspace: join(world.home, "workspace"),
    provider: answering(world),
    model: { provider: "test", model: "m" },
    policy: POLICY,
    sessions: openSessions({ journals, clock: world.clock }),
    channels: [
      {
        id: "chat",
        can: { once: "no", text: { dialect: "markdown", max: 4096 } },
        run: () => Promise.resolve(),
        send: (message) => {
          if (!dead) world.delivered.push(message.reply);
          return dead ? Promise.reject(new Error("dead")) : Promise.resolve(undefined);
        },
      },
      cron.channel,
    ],
    clock: world.clock,
  });
  held.agent = agent;
  return { agent, cron, dead: died.promise, isDead: () => dead };
}

const POLICY: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
};

function answering(world: World): Provider {
  return {
    id: "test",
    stream: async function* () {
      world.requests += 1;
      await Promise.resolve();
      yield { type: "part", index: 0, part: { type: "text", text: `answer ${world.requests}` } };
      yield { type: "done", finish: "stop", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };
    },
  };
}

/** Mulberry32: the same story for the same seed. */
function numbers(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
