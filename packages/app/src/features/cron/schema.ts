/** Jobs and their runs on the wire. */
import { z } from "zod";
import { AddressSchema, CostUsd, Id, Millis, page } from "../../protocol/common.ts";

const JobId = z.string().min(1).max(200);

/** As `/cron/validate` and the builder write it; `expr` and `tz` are the seeds' names for the same. */
export const TriggerBody = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("at"),
    at: z.union([z.number(), z.string().min(1).max(64)]),
    timeZone: z.string().max(64).optional(),
  }),
  z.strictObject({ kind: z.literal("every"), everyMs: z.number().positive(), anchor: Millis.optional() }),
  z.strictObject({
    kind: z.literal("cron"),
    expression: z.string().min(1).max(200).optional(),
    expr: z.string().min(1).max(200).optional(),
    timeZone: z.string().max(64).optional(),
    tz: z.string().max(64).optional(),
  }),
]);

export const JobBody = z.strictObject({
  name: z.string().max(200).optional(),
  trigger: TriggerBody,
  mode: z.enum(["agent", "deliver"]).optional(),
  message: z.string(),
  target: AddressSchema,
  misfire: z.enum(["skip", "latest_once", "all"]).optional(),
  enabled: z.boolean().optional(),
  /** The agent that it works with. Left out of a change: the one that it has; empty: none of its own. */
  agent: z.string().max(32).optional(),
  /** What it sends comes without a sound, where the platform can. Left out of a change: as it is. */
  silent: z.boolean().optional(),
});

const ErrorView = z.strictObject({ code: z.string(), detail: z.string() });

export const RunSchema = z.strictObject({
  id: Id,
  due: Millis,
  /** Of skipped runs: the last due time that this row stands for. */
  until: Millis.optional(),
  manual: z.boolean(),
  startedAt: Millis.optional(),
  endedAt: Millis.optional(),
  result: z.enum(["running", "ok", "silent", "failed", "skipped", "cancelled"]),
  reason: z.enum(["missed", "overlap", "limit", "timeout"]).optional(),
  /** Milliseconds after it was due; absent below a minute. */
  late: Millis.optional(),
  session: Id.optional(),
  turn: z.string().optional(),
  text: z.string().optional(),
  error: ErrorView.optional(),
  delivered: z.array(z.strictObject({ to: AddressSchema, state: z.enum(["queued", "delivered", "failed"]) })),
  costUsd: CostUsd,
});

const TriggerView = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("at"), at: Millis, timeZone: z.string() }),
  z.strictObject({ kind: z.literal("every"), everyMs: z.number(), anchor: Millis }),
  z.strictObject({ kind: z.literal("cron"), expression: z.string(), timeZone: z.string() }),
]);

export const JobSchema = z.strictObject({
  id: JobId,
  hash: z.string(),
  name: z.string().optional(),
  /** Somebody beside the owner, who has it run for themselves: neither its task nor what comes of it is shown. */
  person: z.string().optional(),
  trigger: TriggerView,
  mode: z.enum(["agent", "deliver"]),
  message: z.string(),
  target: AddressSchema,
  misfire: z.enum(["skip", "latest_once", "all"]),
  agent: z.string().optional(),
  silent: z.boolean(),
  enabled: z.boolean(),
  running: z.boolean(),
  createdAt: Millis,
  nextAt: Millis.optional(),
  description: z.string(),
  session: Id.optional(),
  last: RunSchema.optional(),
  /** The last due times that were given up, and why. */
  skipped: RunSchema.optional(),
  runs: z.number().int(),
  failures: z.number().int(),
  invalid: ErrorView.optional(),
});

export const JobPage = page(JobSchema);
export const RunPage = page(RunSchema);

export const ValidateBody = z.strictObject({ trigger: TriggerBody });
export const ValidateResult = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    next: z.array(
      z.strictObject({ at: Millis, local: z.string(), note: z.enum(["dst-gap", "dst-overlap"]).optional() }),
    ),
    description: z.strictObject({ en: z.string(), zh: z.string() }),
    perDay: z.number(),
    warnings: z.array(z.string()),
  }),
  z.strictObject({
    ok: z.literal(false),
    errors: z.array(z.strictObject({ path: z.string(), position: z.number().int().optional(), message: z.string() })),
  }),
]);

export const UpcomingQuery = z.strictObject({
  to: z.coerce.number().int().nonnegative().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const UpcomingList = z.strictObject({
  items: z.array(z.strictObject({ job: JobId, at: Millis, local: z.string(), name: z.string().optional() })),
  /** Nothing becomes due meanwhile: `/stop all` holds, or jobs are switched off. */
  paused: z.boolean(),
});
