import type { PersonId } from "./people.ts";
import type { Millis, Seq } from "./base.ts";
import type { Address, Marks } from "./message.ts";

/** When a job is due. Times are instants; the zone is stored with the job, so that no later setting moves it. */
export type Trigger =
  /** `timeZone`: in which it was said, for display. */
  | { readonly kind: "at"; readonly atMs: Millis; readonly timeZone: string }
  /** Due at `fromMs + k · everyMs`, k from 1: elapsed time, whatever clocks on walls do. */
  | { readonly kind: "every"; readonly everyMs: Millis; readonly fromMs: Millis }
  /** Five fields on the wall clock of `timeZone`. */
  | { readonly kind: "cron"; readonly expression: string; readonly timeZone: string };

/** `agent`: the message is a task for a turn. `deliver`: it is sent as it is, without a model. */
export type JobMode = "agent" | "deliver";
/** What happens to due times that passed while nothing could run them. */
export type Misfire = "skip" | "latest_once" | "all";

export interface Job {
  readonly id: string;
  /** A label; never sent. */ readonly name?: string;
  readonly trigger: Trigger;
  readonly message: string;
  readonly mode: JobMode;
  readonly misfire: Misfire;
  /** The chat it was made in: where its results go. */ readonly to: Address;
  /** Of the context it was made in: its runs begin with it. */ readonly marks?: Marks;
  /** Whose it is, beside the owner: nobody else's tools show it. */ readonly by?: PersonId;
  /** Default: as the bindings say. */ readonly agent?: string;
  /** What it sends comes without a sound, where the platform can. */ readonly silent?: true;
  readonly createdAt: Millis;
}

/** `silent`: the whole answer was `(nothing)`. `stopped`: by a person. */
export type RunStatus = "ok" | "silent" | "error" | "timeout" | "stopped";
export interface JobRun {
  readonly due: Millis;
  readonly manual: boolean;
  readonly startedAt: Millis;
  readonly status: RunStatus;
  readonly durationMs: Millis;
  readonly error?: string;
}
/** `missed`: nothing ran then. `overlap`: the job itself was still running. `limit`: more than are made up for. */
export type SkipReason = "missed" | "overlap" | "limit";
/** All due times of a job from `first` to `last`. */
export interface SkippedRuns {
  readonly first: Millis;
  readonly last: Millis;
  readonly reason: SkipReason;
}

/** The journal of jobs: which exist, and for each due time that it was begun or skipped before anything happens. */
export type JobRecord =
  /** `was`: of one that stood here before; what it had done by then is not told any more. */
  | { readonly type: "job.added"; readonly job: Job; readonly was?: JobHistory }
  /** The same job, told anew by a person, or begun anew because the clock went back: what it did stays its history. */
  | { readonly type: "job.changed"; readonly job: Job }
  | { readonly type: "job.removed"; readonly id: string }
  | { readonly type: "job.switched"; readonly id: string; readonly enabled: boolean }
  /** Intent: from here on this due time belongs to this run, which is resumed after a crash and never begun again. */
  | { readonly type: "run.started"; readonly id: string; readonly due: Millis; readonly manual: boolean }
  | ({ readonly type: "run.skipped"; readonly id: string } & SkippedRuns)
  | { readonly type: "run.finished"; readonly id: string; readonly due: Millis; readonly status: RunStatus; readonly durationMs: Millis; readonly error?: string };
/** What a job had come to, of runs that are not told one by one any more. */
export interface JobHistory {
  readonly enabled: boolean;
  readonly gone: boolean;
  /** Due times up to here were begun or skipped. */
  readonly handled: Millis;
  /** The clock went back so often: times up to here come a second time. */
  readonly again?: { readonly until: Millis; readonly times: number };
  /** Begun and not ended. */
  readonly running?: { readonly due: Millis; readonly manual: boolean; readonly startedAt: Millis };
  readonly last?: JobRun;
  readonly runs: number;
  readonly failures: number;
  /** Runs in a row that ended in an error: no model, no budget, nobody to send it to. */
  readonly failing: number;
  readonly skipped?: SkippedRuns;
}
export interface JobCommit {
  readonly seq: Seq;
  readonly at: Millis;
  readonly records: readonly JobRecord[];
}

/** A job as it stands. */
export interface JobView extends Job {
  readonly enabled: boolean;
  readonly running: boolean;
  /** Of the run in hand. */
  readonly run?: { readonly due: Millis; readonly manual: boolean; readonly startedAt: Millis };
  readonly nextAt?: Millis;
  readonly last?: JobRun;
  /** Runs that ended, and how many of them did not end well. */
  readonly runs: number;
  readonly failures: number;
  readonly skipped?: SkippedRuns;
  /** Why it cannot run: its expression or zone means nothing here. */
  readonly invalid?: string;
}

/** What a person or the model asks for; exactly one of the three times. Names are those of the tool. */
export interface JobRequest {
  /** Derived from what caused it, so that asking twice adds once. Random when absent. */
  readonly id?: string;
  readonly name?: string;
  readonly message: string;
  /** ISO 8601, or epoch milliseconds. Without a zone in it: in `tz`, else in the agent's zone. */
  readonly at?: string | number;
  readonly every_seconds?: number;
  /** With `every_seconds`: due at this time plus whole intervals. Default: now. */
  readonly anchor?: Millis;
  readonly cron_expr?: string;
  readonly tz?: string;
  readonly mode?: JobMode;
  readonly misfire?: Misfire;
  /** Default: true. */
  readonly enabled?: boolean;
  readonly to: Address;
  readonly marks?: Marks;
  readonly by?: PersonId;
  readonly agent?: string;
  readonly silent?: boolean;
}

/** The emergency stop, `/stop all` until `/resume`: nothing begins meanwhile. Outlives the process. */
export interface StopFlag {
  /** True as well when nobody can tell: a flag that cannot be read stops. */
  readonly on: boolean;
  /** On, it holds from the call on; durably, either way, when it resolves. @param by Who did it. */
  set(on: boolean, by?: string): void | Promise<void>;
}

/** A run that began. */
export interface BegunRun {
  readonly due: Millis;
  readonly startedAt: Millis;
  /** Undefined: the process ended before it did; the run goes on at the next start. */
  readonly ended: Promise<JobRun | undefined>;
}

export interface CronService extends AsyncDisposable {
  /** @throws RuntimeError `cron.invalid`, its message beginning with the field; `journal.damaged` when the store can't be read. */
  add(request: JobRequest): Promise<JobView>;
  /** Jobs that are still due some time, in the order they were added. @param ended With one-time jobs that ran. */
  list(ended?: boolean): Promise<readonly JobView[]>;
  /** Runs of a job, oldest first, also of one that is gone. */
  runs(id: string): Promise<readonly (JobRun | SkippedRuns)[]>;
  /** Another time, text or target for a job that is there; a run in hand ends as it would have. @throws as `add`. */
  change(id: string, request: JobRequest): Promise<JobView | undefined>;
  /** A run in hand ends as it would have. @returns false when there is no such job. */
  remove(id: string): Promise<boolean>;
  /** Due times that pass while it is off are not made up for. @throws RuntimeError `cron.invalid`: nobody is in its chat. */
  setEnabled(id: string, enabled: boolean): Promise<boolean>;
  /** Once, now: a due time of its own that moves nothing. Resolves when the run is in the journal. */
  begin(id: string, signal: AbortSignal): Promise<BegunRun | "unknown" | "running">;
  /** `begin`, and waits. @returns how it ended. */
  runNow(id: string, signal: AbortSignal): Promise<JobRun | "unknown" | "running">;
  /** Called when a job or a run of it changed, with the job's id and what is in the journal now. @returns the function that ends it. */
  watch(listener: (id: string, record: JobRecord) => void): () => void;
  /** Until aborted. Fires into the inbox with key `cron:{id}:{due}`: a crash can delay a run, never double it. */
  run(signal: AbortSignal): Promise<void>;
}

export type HeartbeatOutcome = "idle" | "skip" | "ran" | "failed";
export interface HeartbeatService {
  /** Reads HEARTBEAT.md and acts on it. @param person Whose. Default: the owner's. */
  checkNow(signal: AbortSignal, person?: PersonId): Promise<HeartbeatOutcome>;
  /** What the next check would find, without a request: how many tasks are open. */
  openTasks(signal: AbortSignal): Promise<number>;
  run(signal: AbortSignal): Promise<void>;
}

/** Where what nobody asked for goes: with neither it is a notification, and its text stays in its own conversation. */
export interface ScheduleTarget {
  readonly to?: Address;
  /** Why nobody can be reached there, in a sentence: no model is asked meanwhile. */
  readonly fault?: string;
}

export type GreetingOutcome = "sent" | "not-due" | "no-target" | "busy" | "quota" | "dropped" | "failed";
/** What the next greeting depends on. */
export interface GreetingView {
  /** Undefined: it is shown on the pages. */
  readonly target?: Address;
  /** Greetings that arrived today. */
  readonly sentToday: number;
  /** The next time that is not quiet; whether it is used is decided then. */
  readonly nextSlot?: Millis;
}
/** `dropped`: it is longer than what is sent, or empty. */
export type GreetingPreview = { readonly text: string; readonly dropped: boolean } | { readonly text?: undefined; readonly because: "no-target" | "no-budget" };
export interface GreetingService {
  view(): Promise<GreetingView>;
  /** The text that would be sent now, made by one request and not sent. @throws as the provider does. */
  preview(signal: AbortSignal): Promise<GreetingPreview>;
  /** What would happen at this moment, were it a slot; spends a request only when nothing speaks against it. */
  checkNow(signal: AbortSignal): Promise<GreetingOutcome>;
  run(signal: AbortSignal): Promise<void>;
}
