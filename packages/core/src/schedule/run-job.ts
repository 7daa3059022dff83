/** One run of a job: a turn in its own session, or its text as it is. Safe to begin again after a crash. */
import type { Clock, Millis } from "../contract/base.ts";
import type { Sender } from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";
import type { Job, RunStatus } from "../contract/schedule.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { addressText, sessionKeyOf } from "../lib/session-key.ts";
import { followFor, type ScheduleHost, type TurnEnd } from "./follow-turn.ts";

export const CRON = "cron";
/** What a model answers when nobody is to be told anything. */
export const NOTHING = "(nothing)";

export interface RunEnd {
  readonly status: RunStatus;
  readonly error?: string;
}
export interface RunJobOptions {
  readonly host: ScheduleHost;
  readonly clock: Clock;
  /** `cron.jobTimeoutSeconds`. */
  readonly timeoutMs: Millis;
  readonly timeText: (at: Millis) => string;
  readonly audienceAt?: AudienceAt;
}

/** Who reads the chat of a job, as it stands now; undefined: the owner alone. */
export type AudienceAt = (job: Pick<Job, "to" | "by">) => Promise<Audience | undefined>;

/** @throws Only `signal.reason`, when the process stops; the run goes on at the next start. */
export async function runJob(job: Job, due: Millis, options: RunJobOptions, signal: AbortSignal): Promise<RunEnd> {
  try {
    if (job.mode === "agent") return await runTurn(job, due, options, signal);
    await options.host.bus.send(sessionKeyOf(job.to), {
      reply: runKey(job.id, due),
      kind: "message",
      parts: [{ type: "text", text: job.message }],
      ...resultOf(job),
      ...(job.marks !== undefined && { marks: job.marks }),
    });
    return { status: "ok" };
  } catch (error) {
    if (signal.aborted) throw error;
    return { status: "error", error: messageOf(error) };
  }
}

export function isNothing(text: string): boolean {
  return text.trim() === NOTHING;
}

/** The conversation of its turns. */
export function sessionOf({ id }: Pick<Job, "id">): string {
  return `${CRON}:${id}`;
}

/** The inbox takes it once. */
function runKey(id: string, due: Millis): string {
  return `${CRON}:${id}:${due}`;
}

export function senderOf({ id, name }: Pick<Job, "id" | "name">): Sender {
  return { id: CRON, name: name === undefined ? `job ${id}` : `job ${id}: ${name}`, kind: "schedule" };
}

/** Where what it has to say goes, from whom, and with or without a sound. */
export function resultOf(job: Job): Pick<Job, "to" | "silent"> & { readonly from: Sender } {
  return { to: job.to, from: senderOf(job), ...(job.silent === true && { silent: true }) };
}

/** Whether who reads the chat is who it was made for: whoever came meanwhile does not get it. */
export async function isForChat(
  job: Job,
  { host, audienceAt }: { readonly host: () => Pick<ScheduleHost, "sessions">; readonly audienceAt?: AudienceAt },
): Promise<boolean> {
  if (audienceAt === undefined) return true;
  const session = await host().sessions.find(sessionOf(job));
  return session?.state.audience === (await audienceAt(job));
}

async function runTurn(job: Job, due: Millis, options: RunJobOptions, signal: AbortSignal): Promise<RunEnd> {
  const { host, clock, timeoutMs, audienceAt } = options;
  const message = {
    key: runKey(job.id, due),
    channel: CRON,
    chat: job.id,
    sessionKey: sessionOf(job),
    from: senderOf(job),
    ...(job.marks !== undefined && { marks: job.marks }),
    // Who reads the chat it is sent to is who reads what is made for it.
    audience: (await audienceAt?.(job)) ?? "owner",
    agent: job.agent ?? null,
    parts: [
      { type: "text" as const, text: job.message },
      { type: "text" as const, text: instructions(job, options.timeText(due)) },
    ],
  };
  return outcomeOf(await followFor(host, message, { clock, timeoutMs }, signal));
}

function instructions({ id, to }: Job, due: string): string {
  return `[Job ${id}, due ${due}. Nobody is there to answer a question. Your answer is sent to ${addressText(to)}; if there is nothing to tell, answer exactly ${NOTHING}]`;
}

function outcomeOf({ reason, text, error, expired }: TurnEnd & { readonly expired: boolean }): RunEnd {
  switch (reason) {
    case "done":
    case "limit":
      return { status: isNothing(text) ? "silent" : "ok" };
    case "cancelled":
    case "withdrawn":
      return expired ? { status: "timeout", error: "its time was up" } : { status: "stopped" };
    case "failed":
    case "budget":
      return { status: "error", error: error?.message ?? reason };
  }
}

/** Once per due time, however often it is called. */
export async function tellPaused(job: Job, due: Millis, text: string, { host }: RunJobOptions): Promise<void> {
  await host.bus.send(sessionKeyOf(job.to), {
    reply: pausedId(job, due),
    kind: "message",
    parts: [{ type: "text", text }],
    ...resultOf(job),
  });
}

/** Of what is told when a run was the last one for now. */
export function pausedId({ id }: Job, due: Millis): string {
  return `${runKey(id, due)}:paused`;
}
