/** Jobs: added and listed by tool and command line, fired into the inbox when they are due, once per due time. */
import type { Clock, Ids, Logger, Millis } from "../contract/base.ts";
import type { CronService, Job, JobRecord, JobRun, Misfire } from "../contract/schedule.ts";
import type { Channel } from "../contract/channel.ts";
import type { Notifications } from "../contract/notification.ts";
import { messageOf, RuntimeError } from "../lib/errors/errors.ts";
import { createAlarm, type Alarm } from "./awake.ts";
import { loadCalendar, type Calendar } from "./calendar.ts";
import { relayChannel } from "./channel.ts";
import { begunBy, byDue, dueAfter, ownDue } from "./due.ts";
import { jobEdits } from "./job-edits.ts";
import type { ScheduleHost } from "./follow-turn.ts";
import { jobFiles, openJobStore, type JobFiles, type JobStore } from "./job-store.ts";
import type { JobState } from "./jobs.ts";
import { performRun, type PerformOptions } from "./perform-run.ts";
import { planRun } from "./plan-run.ts";
import { type AudienceAt, CRON, isForChat, isNothing, resultOf } from "./run-job.ts";

export interface CronSettings {
  readonly timeZone: string;
  readonly misfire: Misfire;
  readonly maxCatchUp: number;
  readonly concurrency: number;
  readonly jobTimeoutMs: Millis;
  readonly language?: "en" | "zh-CN";
  /** What people type for `margay`, for texts that name a command. */
  readonly command?: string;
}
export interface CronOptions {
  /** `MARGAY_HOME/cron`. */
  readonly directory: string;
  /** Another place for the jobs. Default: files in `directory`. */
  readonly files?: JobFiles;
  readonly host: () => ScheduleHost;
  readonly settings: (by?: Job["by"]) => CronSettings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Why nothing can be sent there, in a sentence: such a job is refused, and one that exists asks no model. */
  readonly targetFault?: (job: Pick<Job, "to" | "by" | "agent">) => string | undefined;
  /** Told that a job could not be done for anybody, or was paused without anybody who could be told. */
  readonly notify?: Notifications["add"];
  /** Default: nobody but the owner reads any chat. */
  readonly readersFault?: NonNullable<PerformOptions["readersFault"]>;
  readonly audienceAt?: AudienceAt;
  /** While it says so nothing becomes due (`/stop all`). */
  readonly stopped?: () => boolean;
  /** While it says so nothing becomes due either, and what a person runs by hand does. */
  readonly held?: () => boolean;
}
export interface Cron extends CronService {
  /** To be given to the agent: the way of results to their chats. */
  readonly channel: Channel;
  /** To be told when `stopped` or `held` ends: from now on jobs become due again, and at their time. */
  resumed(): void;
}

/** Stands for the parser of expressions until a job has one. */
const NO_CALENDAR: Calendar = {
  next: () => {
    throw new RuntimeError("internal.bug", "The calendar was asked before it was loaded.");
  },
};

/** Clocks are corrected by less than this in the ordinary course of things: nothing waits longer for it. */
const CLOCK_SLACK_MS = 60_000;

/** What this process knows of the jobs beside the store. */
interface CronState {
  readonly options: CronOptions;
  readonly files: JobFiles;
  readonly alarm: Alarm;
  /** Runs that this process performs, by job. */
  readonly working: Map<string, Promise<JobRun | undefined>>;
  readonly busyUntil: Map<string, Millis>;
  readonly complained: Set<string>;
  readonly watchers: Set<(id: string, record: JobRecord) => void>;
  readonly closing: AbortController;
  opening: Promise<JobStore> | undefined;
  calendar: Calendar;
  /** The end of the last pause: what was due before it is missed. */
  resumedAt: Millis;
}

/** Nothing is read before the first use. */
export function createCron(options: CronOptions): Cron {
  const cron: CronState = {
    options,
    files: options.files ?? jobFiles(options.directory),
    alarm: createAlarm(options.clock),
    working: new Map(),
    busyUntil: new Map(),
    complained: new Set(),
    watchers: new Set(),
    closing: new AbortController(),
    opening: undefined,
    calendar: NO_CALENDAR,
    resumedAt: Number.NEGATIVE_INFINITY,
  };
  const { settings, targetFault, clock, ids } = options;
  return {
    channel: channelOf(cron),
    ...jobEdits({
      open: () => openStore(cron),
      needCalendar: () => needCalendar(cron),
      calendar: () => cron.calendar,
      settings,
      targetFault,
      changed: cron.alarm.ring,
      clock,
      ids,
    }),
    begin: (id, signal) => beginByHand(cron, id, signal),
    runNow: async (id, signal) => {
      const begun = await beginByHand(cron, id, signal);
      return typeof begun === "string" ? begun : ((await begun.ended) ?? "unknown");
    },
    watch: (listener) => {
      cron.watchers.add(listener);
      return () => void cron.watchers.delete(listener);
    },
    resumed: () => {
      cron.resumedAt = clock.now();
      cron.alarm.ring();
    },
    run: (signal) => keepTime(cron, signal),
    [Symbol.asyncDispose]: async () => {
      cron.closing.abort(new RuntimeError("process.stopping", "The job goes on at the next start."));
      await Promise.allSettled(cron.working.values());
      const opened = await cron.opening?.catch(() => undefined); // never opened, nothing to close
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

/** The way of results to the chats of their jobs. */
function channelOf(cron: CronState): Channel {
  return relayChannel({
    id: CRON,
    host: cron.options.host,
    route: async ({ to }, text) => {
      const store = await openStore(cron).catch((error: unknown) => {
        // The result waits in the outbox until the store can be read again.
        throw new RuntimeError("journal.damaged", messageOf(error), { retryable: true, cause: error });
      });
      const job = store.jobs.get(to.chat)?.job;
      if (job === undefined || isNothing(text)) return undefined;
      return (await isForChat(job, cron.options)) ? resultOf(job) : undefined;
    },
  });
}

async function needCalendar(cron: CronState): Promise<void> {
  if (cron.calendar === NO_CALENDAR) cron.calendar = await loadCalendar();
}

function openStore(cron: CronState): Promise<JobStore> {
  if (cron.opening !== undefined) return cron.opening;
  const forget = (): void => {
    if (cron.opening === mine) cron.opening = undefined;
  };
  const mine = loadStore(cron, forget);
  cron.opening = mine;
  // Whoever repairs the store does not have to start again.
  mine.catch(forget);
  return mine;
}

async function loadStore(cron: CronState, broke: () => void): Promise<JobStore> {
  const { clock, log } = cron.options;
  const nextAt = (state: JobState): Millis | undefined => dueAfter(state, cron.calendar).at;
  const committed = (records: readonly JobRecord[]): void => {
    for (const record of records)
      for (const watcher of cron.watchers) watcher("job" in record ? record.job.id : record.id, record);
  };
  const store = await openJobStore({ files: cron.files, clock, log, nextAt, committed, broke });
  const live = [...store.jobs.values()].filter((state) => !state.gone);
  if (live.some(({ job }) => job.trigger.kind === "cron")) await needCalendar(cron);
  return store;
}

/** @param begun The store that holds the start of the run. */
function perform(cron: CronState, id: string, begun: JobStore, signal: AbortSignal): Promise<JobRun | undefined> {
  const { options, working, busyUntil, alarm } = cron;
  const either = AbortSignal.any([signal, cron.closing.signal]);
  const running = performRun(id, { ...options, begun, open: () => openStore(cron) }, either).finally(() => {
    working.delete(id);
    busyUntil.set(id, options.clock.now());
    alarm.ring();
  });
  working.set(id, running);
  return running;
}

async function beginByHand(cron: CronState, id: string, signal: AbortSignal): ReturnType<CronService["begin"]> {
  const { clock, stopped } = cron.options;
  const store = await openStore(cron);
  const state = store.jobs.get(id);
  if (state === undefined || state.gone) return "unknown";
  if (state.running !== undefined) return "running";
  if (stopped?.() === true)
    throw new RuntimeError("system.stopped", "The emergency stop is on: no job runs. Release it with /resume first.");
  const now = Math.max(clock.now(), (state.last?.due ?? 0) + 1);
  // A due time of its own: never one of the schedule.
  const due = dueAfter({ ...state, handled: now - 1 }, cron.calendar).at === now ? now + 1 : now;
  await store.commit({ type: "run.started", id, due, manual: true });
  const startedAt = store.jobs.get(id)?.running?.startedAt ?? now;
  return { due, startedAt, ended: perform(cron, id, store, signal) };
}

/** Begins what becomes due, until aborted. */
async function keepTime(cron: CronState, signal: AbortSignal): Promise<void> {
  const { clock, stopped, held } = cron.options;
  const { alarm, working } = cron;
  const broken = new AbortController();
  const stop = AbortSignal.any([signal, broken.signal]);
  const failed = (error: unknown): void => {
    if (!stop.aborted) broken.abort(error);
  };
  let awakeSince = clock.now();
  let last: JobStore | undefined;
  try {
    for (;;) {
      const store = await openStore(cron);
      if (stopped?.() === true || held?.() === true) {
        awakeSince = clock.now();
        await alarm.wait(Number.POSITIVE_INFINITY, stop); // in steps
        continue;
      }
      // What an earlier process began goes on, and what a broken store began; it is never begun again.
      for (const [id, state] of store === last ? [] : store.jobs)
        if (state.running !== undefined && !working.has(id)) perform(cron, id, store, stop).catch(failed);
      last = store;
      awakeSince = Math.min(awakeSince, clock.now());
      await followClock(cron, store, clock.now());
      const next = await beginDue(cron, store, Math.max(awakeSince, cron.resumedAt), stop, failed);
      if (await alarm.wait(next, stop)) awakeSince = clock.now();
    }
  } catch (error) {
    if (signal.aborted) return;
    throw broken.signal.aborted ? broken.signal.reason : error;
  } finally {
    broken.abort(new Error("ended"));
  }
}

/** Times that were handled lie ahead: the clock was wrong then. The jobs go on from now, not when they have come. */
async function followClock(cron: CronState, store: JobStore, now: Millis): Promise<void> {
  for (const [id, until] of cron.busyUntil) if (until > now) cron.busyUntil.delete(id);
  cron.resumedAt = Math.min(cron.resumedAt, now);
  const ahead = [...store.jobs.values()].filter(
    ({ job, gone, handled }) => !gone && job.trigger.kind !== "at" && handled > now + CLOCK_SLACK_MS,
  );
  if (ahead.length === 0) return;
  const backMs = Math.max(...ahead.map(({ handled }) => handled)) - now;
  const jobs = ahead.map(({ job }) => job.id);
  cron.options.log.warn("cron.clock", { message: "The clock went back. Jobs go on by its new time.", backMs, jobs });
  await store.commit(...ahead.map((state) => ({ type: "job.changed" as const, job: begunBy(state, now) })));
}

/** @returns when to look again. */
async function beginDue(
  cron: CronState,
  store: JobStore,
  awakeSince: Millis,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): Promise<Millis | undefined> {
  const { busyUntil, complained, working, options } = cron;
  const { clock, log, settings } = options;
  const { maxCatchUp, concurrency } = settings();
  const now = clock.now();
  let next: Millis | undefined;
  for (const id of byDue(store.jobs.values(), cron.calendar)) {
    const state = store.jobs.get(id); // as it is now: it may have been removed while others were begun
    if (state === undefined || !state.enabled || state.gone || state.running !== undefined || working.has(id)) continue;
    const { at, invalid } = dueAfter(state, cron.calendar);
    if (invalid !== undefined && !complained.has(id)) log.error("cron.invalid", { job: id, message: invalid });
    if (invalid !== undefined) complained.add(id);
    if (at === undefined) continue;
    if (at > now) {
      next = Math.min(next ?? at, at);
      continue;
    }
    const busy = busyUntil.get(id);
    const plan = planRun(state, { now, awakeSince, busyUntil: busy, maxCatchUp, calendar: cron.calendar });
    if (plan === undefined) continue;
    const { due, skip } = plan;
    if (due !== undefined && working.size >= concurrency) continue; // a run that ends rings
    await store.commit(
      ...(skip === undefined ? [] : [{ type: "run.skipped" as const, id, ...skip }]),
      ...(due === undefined ? [] : [{ type: "run.started" as const, id, due: ownDue(state, due), manual: false }]),
    );
    if (skip !== undefined) log.info("cron.skipped", { job: id, ...skip });
    if (due !== undefined) perform(cron, id, store, signal).catch(failed);
    else cron.alarm.ring();
  }
  return next;
}
