/** Jobs and runs of the core as the wire shows them, with what their sessions say about each run. */
import { isPerson, sha256, type JobRun, type JobView, type SkippedRuns, type Trigger } from "@margay/core/internal";
import type { z } from "zod";
import type { JobSchema, RunSchema } from "./schema.ts";
import { openJournalFacts, type SessionFacts } from "../../host/live/journal-facts.ts";
import type { Services } from "../../host/api/services.ts";
import { eventsOf, personOf, type Caller } from "../../host/sessions/access.ts";
import { isHidden } from "../../host/sessions/privacy.ts";
import { RESULTS } from "../../host/run-results.ts";
import { describe } from "./describe.ts";

type Wire<Schema extends z.ZodType> = z.input<Schema>;
/** Later than this is worth a word: the machine slept, or others came first. */
const LATE_MS = 60_000;

/** Of what a person edits: runs and times do not change it. */
export function hashOf({ name, trigger, mode, message, to, misfire, enabled, agent, silent }: JobView): string {
  return sha256(
    JSON.stringify([
      name ?? null,
      trigger,
      mode,
      message,
      to,
      misfire,
      enabled,
      ...(agent === undefined ? [] : [agent]),
      ...(silent === undefined ? [] : [{ silent }]),
    ]),
  );
}

/** Whoever asks, and in which language. */
type Asking = Caller & { readonly language: "en" | "zh-CN" };

export async function jobView(job: JobView, caller: Asking): Promise<Wire<typeof JobSchema>> {
  const {
    id,
    mode,
    misfire,
    to,
    enabled,
    running,
    createdAt,
    nextAt,
    runs,
    failures,
    invalid,
    by,
    agent,
    silent = false,
  } = job;
  // What another person has done for them is theirs.
  const { name, message } = isPerson(by) && by !== personOf(caller) ? { name: undefined, message: "" } : job;
  const facts = await factsOf(id, caller.services);
  const { en, zh } = describe(job.trigger);
  const last =
    job.run !== undefined
      ? await runningView(job, job.run, caller)
      : job.last === undefined
        ? undefined
        : await runView(job, job.last, caller);
  return {
    id,
    hash: hashOf(job),
    ...(name !== undefined && { name }),
    ...(isPerson(by) && { person: by }),
    trigger: triggerView(job.trigger),
    mode,
    message,
    target: to,
    misfire,
    ...(agent !== undefined && { agent }),
    silent,
    enabled,
    running,
    createdAt,
    ...(nextAt !== undefined && { nextAt }),
    description: caller.language === "en" ? en : zh,
    ...(facts !== undefined && { session: facts.id }),
    ...(last !== undefined && { last }),
    ...(job.skipped !== undefined && { skipped: skippedView(job.skipped) }),
    runs,
    failures,
    ...(invalid !== undefined && { invalid: { code: "cron.invalid", detail: invalid } }),
  };
}

function triggerView(trigger: Trigger): Wire<typeof JobSchema>["trigger"] {
  switch (trigger.kind) {
    case "at":
      return { kind: "at", at: trigger.atMs, timeZone: trigger.timeZone };
    case "every":
      return { kind: "every", everyMs: trigger.everyMs, anchor: trigger.fromMs };
    case "cron":
      return trigger;
  }
}

export function skippedView({ first, last, reason }: SkippedRuns): Wire<typeof RunSchema> {
  return {
    id: `run-${first}`,
    due: first,
    ...(last !== first && { until: last }),
    manual: false,
    result: "skipped",
    reason,
    delivered: [],
    costUsd: 0,
  };
}

export function runningView(
  job: Pick<JobView, "id" | "mode">,
  { due, manual, startedAt }: { readonly due: number; readonly manual: boolean; readonly startedAt: number },
  caller: Caller,
): Promise<Wire<typeof RunSchema>> {
  return withTurn(job, due, caller, { due, manual, startedAt, result: "running" });
}

export function runView(
  job: Pick<JobView, "id" | "mode">,
  { due, manual, startedAt, status, durationMs, error }: JobRun,
  caller: Caller,
): Promise<Wire<typeof RunSchema>> {
  return withTurn(job, due, caller, {
    due,
    manual,
    startedAt,
    endedAt: startedAt + durationMs,
    result: RESULTS[status],
    ...(status === "timeout" && { reason: "timeout" as const }),
    ...(error !== undefined && { error: { code: `cron.${status}`, detail: error } }),
  });
}

/** What the turn of this run left in the journal of the job's session, and what became of its answer. */
async function withTurn(
  { id, mode }: Pick<JobView, "id" | "mode">,
  due: number,
  caller: Caller,
  run: Omit<Wire<typeof RunSchema>, "id" | "delivered" | "costUsd"> & { readonly startedAt: number },
): Promise<Wire<typeof RunSchema>> {
  const { services } = caller;
  const facts = await factsOf(id, services);
  const turn = facts?.turns.find(({ key }) => key === `cron:${id}:${due}`);
  const replies = mode === "deliver" ? [`cron:${id}:${due}`] : (turn?.replies ?? []).map((one) => `cron:${id}:${one}`);
  const late = run.startedAt - due;
  const summary = facts === undefined ? undefined : await eventsOf(services).index.get(facts.id);
  const isShown = summary === undefined ? personOf(caller) === undefined : !isHidden(caller, summary);
  return {
    id: `run-${due}`,
    ...run,
    ...(late > LATE_MS && { late }),
    ...(facts !== undefined && turn !== undefined && { session: facts.id }),
    ...(turn?.turn !== undefined && { turn: turn.turn }),
    ...(isShown && turn?.text !== undefined && turn.text !== "" && { text: turn.text }),
    ...(isShown && turn?.error !== undefined && { error: { code: turn.error.code, detail: turn.error.message } }),
    delivered: await deliveredTo(replies, services),
    costUsd: mode === "deliver" ? 0 : (turn?.usage?.costUsd ?? null),
  };
}

async function deliveredTo(
  replies: readonly string[],
  { once }: Services,
): Promise<Wire<typeof RunSchema>["delivered"]> {
  if (replies.length === 0) return [];
  const all = await once(openJournalFacts).all();
  return replies.flatMap((reply) => all.flatMap(({ relayed }) => relayed.get(reply) ?? []));
}

async function factsOf(job: string, { app, once }: Services): Promise<SessionFacts | undefined> {
  const session = await app.agent.sessions.find(`cron:${job}`);
  return session === undefined ? undefined : once(openJournalFacts).of(session.state.id);
}
