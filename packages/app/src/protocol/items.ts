/** What a person sees of a session: items, calls, approvals, the turn at work. Made by `@margay/core/state`. */
import { z } from "zod";
import { AddressSchema, Millis, ModelRefSchema } from "./common.ts";

export const Seq = z.number().int().nonnegative();
/** As records carry it, cost inside; absent when the price is not known. */
export const RecordUsage = z.strictObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  costUsd: z.number().optional(),
  estimated: z.boolean().optional(),
});
export const SenderSchema = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  kind: z.enum(["person", "agent", "schedule"]),
});
export const ErrorSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  details: z.json().optional(),
});
export const CutSchema = z.strictObject({
  cut: z.literal(true),
  bytes: z.number().int(),
  head: z.string(),
  tail: z.string(),
  href: z.string(),
});
export const BlobSchema = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().nonnegative(),
});
export const TextPartSchema = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  /** What is said in a voice note of the same message. */
  transcript: z.literal(true).optional(),
  cut: CutSchema.optional(),
});
export const MediaPartSchema = z.strictObject({
  type: z.literal("media"),
  mediaType: z.string(),
  blob: BlobSchema,
  name: z.string().optional(),
  /** A voice note. */
  voice: z.literal(true).optional(),
});
export const PartSchema = z.discriminatedUnion("type", [TextPartSchema, MediaPartSchema]);

export const ApprovalSchema = z.strictObject({
  session: z.string(),
  turn: z.string(),
  call: z.string(),
  tool: z.string(),
  display: z.string(),
  input: z.json(),
  hash: z.string(),
  rule: z.string(),
  why: z.string(),
  risk: z.array(z.string()),
  cwd: z.string().optional(),
  /** Whose word it needs, where that is not the owner's. */
  of: z.string().optional(),
  choices: z.array(z.enum(["once", "session", "always"])),
  rulePreview: z.string().optional(),
  requestedAt: Millis,
  expiresAt: Millis,
  /** The call runs, and asks for more than it was allowed. */
  during: z.literal(true).optional(),
  /** The call went on without the answer: a yes counts for the next one that asks the same. */
  late: z.literal(true).optional(),
  expired: z.literal(true).optional(),
  resolved: z
    .strictObject({
      verdict: z.enum(["allow", "deny"]),
      by: z.string(),
      at: Millis,
      reason: z.string().optional(),
      remember: z.enum(["session", "always"]).optional(),
    })
    .optional(),
});

export const CallSchema = z.strictObject({
  call: z.string(),
  session: z.string(),
  turn: z.string(),
  seq: Seq,
  name: z.string(),
  effect: z.enum(["read", "idempotent", "write"]).optional(),
  status: z.enum(["proposed", "asked", "allowed", "running", "ok", "error", "denied", "interrupted", "not-run"]),
  preview: z.string(),
  input: z.json(),
  attempts: z.number().int(),
  maxAttempts: z.number().int().optional(),
  startedAt: Millis.optional(),
  retryAt: Millis.optional(),
  ms: z.number().optional(),
  result: z.union([z.array(PartSchema), CutSchema]).optional(),
  details: z.json().optional(),
  error: ErrorSchema.optional(),
  untrusted: z.literal(true).optional(),
  approval: ApprovalSchema.optional(),
});

const common = { id: z.string().regex(/^\d+\.\d+$/), at: Millis, turn: z.string().optional() };

export const ItemSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    ...common,
    kind: z.literal("user"),
    messageId: z.string(),
    key: z.string(),
    from: SenderSchema,
    origin: AddressSchema,
    parts: z.array(PartSchema),
    state: z.enum(["pending", "placed", "withdrawn"]),
    placedAt: Seq.optional(),
    mode: z.enum(["steer", "queue"]),
    command: z.literal(true).optional(),
  }),
  z.strictObject({
    ...common,
    kind: z.literal("assistant"),
    model: ModelRefSchema,
    /** The one that was asked, when another answered in its place. */
    asked: ModelRefSchema.optional(),
    parts: z.array(
      z.discriminatedUnion("type", [
        TextPartSchema,
        MediaPartSchema,
        z.strictObject({ type: z.literal("thinking"), text: z.string() }),
        z.strictObject({ type: z.literal("call"), call: CallSchema }),
      ]),
    ),
    finish: z.enum(["stop", "tool-calls", "length", "refusal", "cancelled", "cut"]),
    usage: RecordUsage,
    ms: z.number().optional(),
  }),
  z.strictObject({
    ...common,
    kind: z.literal("notice"),
    notice: z.enum(["clock", "memory", "skills", "files", "summary", "reflection", "runtime", "command"]),
    text: z.string(),
  }),
  z.strictObject({ ...common, kind: z.literal("compaction"), through: Seq, summary: z.string() }),
  z.strictObject({
    ...common,
    kind: z.literal("epoch"),
    hash: z.string(),
    because: z.enum(["opened", "reset", "compacted", "tools", "model"]),
  }),
  z.strictObject({ ...common, kind: z.literal("cleared"), by: SenderSchema }),
  z.strictObject({
    ...common,
    kind: z.literal("turn-end"),
    reason: z.enum(["done", "limit", "cancelled", "failed", "budget"]),
    notice: z.string().optional(),
    error: ErrorSchema.optional(),
    steps: z.number().int(),
    calls: z.number().int(),
    usage: RecordUsage,
    ms: z.number(),
  }),
  z.strictObject({
    ...common,
    kind: z.literal("delivery"),
    reply: z.string(),
    to: AddressSchema,
    /** `uncertain`: it may have left, and waits for a person. `window`: it waits until its chat writes again. */
    state: z.enum(["queued", "uncertain", "window", "delivered", "failed"]),
    retryAt: Millis.optional(),
    error: ErrorSchema.optional(),
  }),
]);

/** What is being said and printed right now: the fields of a `partial` frame. */
export const PartialSchema = z.strictObject({
  turn: z.string(),
  parts: z.array(z.strictObject({ index: z.number().int(), kind: z.enum(["text", "thinking"]), text: z.string() })),
  calls: z.array(z.strictObject({ call: z.string(), name: z.string(), argsText: z.string(), output: z.string() })),
  /** A person waits, and nothing has come for so long. */
  waitedMs: Millis.optional(),
});

export const TurnViewSchema = z.strictObject({
  id: z.string(),
  source: z.string(),
  startedAt: Millis,
  step: z.number().int(),
  calls: z.number().int(),
  doing: z.enum(["request", "invoke", "wait", "sleep", "judge"]),
  retryAt: Millis.optional(),
  requestedAt: Millis.optional(),
  model: ModelRefSchema.optional(),
  error: ErrorSchema.optional(),
  stopping: z.literal(true).optional(),
});

export const PendingSchema = z.strictObject({
  messageId: z.string(),
  key: z.string(),
  from: SenderSchema,
  parts: z.array(PartSchema),
  mode: z.enum(["steer", "queue"]),
  at: Millis,
});
