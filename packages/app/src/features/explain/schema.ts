/** One turn, step by step: what the loop wanted, why, and what came of it. */
import { z } from "zod";
import { CostUsd, Id, Millis, ModelRefSchema } from "../../protocol/common.ts";

export const ExplainQuery = z.strictObject({
  /** A step's `seq`: the exact messages of its request. */
  prompt: z.coerce.number().int().positive().optional(),
});

const Kind = z.enum([
  "start",
  "deliver",
  "compact",
  "judge",
  "invoke",
  "recover",
  "settle",
  "request",
  "sleep",
  "wait",
  "end",
  "rest",
]);

export const ExplainStep = z.strictObject({
  /** From 1. */
  n: z.number().int(),
  seq: z.number().int(),
  at: Millis,
  /** Since the commit before. */
  ms: Millis,
  /** What `plan` wanted on the state before this commit. */
  step: Kind,
  /** `outside`: a person, a timer or the delivery wrote it, which needs no plan. `outcome`: what the step before led to. */
  origin: z.enum(["step", "outcome", "outside"]),
  why: z.string(),
  facts: z.strictObject({
    stepsSoFar: z.number().int(),
    attempt: z.number().int(),
    pending: z.number().int(),
    openCalls: z.number().int(),
  }),
  records: z.array(z.string()),
  request: z
    .strictObject({
      model: ModelRefSchema,
      placed: z.array(z.string()),
      notices: z.array(z.string()),
      promptHash: z.string(),
      promptHashOk: z.boolean(),
      estimated: z.number().int(),
      /** Of the answer, once there is one. */
      newTokens: z.number().int().optional(),
      cachedTokens: z.number().int().optional(),
      outputTokens: z.number().int().optional(),
      costUsd: CostUsd.optional(),
      cacheMiss: z.string().optional(),
      /** What the model answered, once it has. */
      answer: z
        .strictObject({
          text: z.string(),
          /** Their arguments as JSON, cut. */
          calls: z.array(z.strictObject({ call: z.string(), name: z.string(), arguments: z.string() })),
          /** Since the request. */
          ms: Millis,
        })
        .optional(),
    })
    .optional(),
  /** Ids of the calls that the commit is about; `/tools/calls` shows them. */
  calls: z.array(z.string()),
  policy: z.array(
    z.strictObject({ call: z.string(), rule: z.string(), verdict: z.string(), reason: z.string().optional() }),
  ),
  /** Folding the journal up to here and asking `plan` wants exactly this. */
  replayOk: z.boolean(),
});

export const ExplainResult = z.strictObject({
  turn: z.string(),
  steps: z.array(ExplainStep),
  ok: z.boolean(),
  prompt: z
    .strictObject({
      seq: z.number().int(),
      system: z.string(),
      tools: z.array(z.strictObject({ name: z.string(), description: z.string(), schema: z.json() })),
      messages: z.array(z.json()),
    })
    .optional(),
});

export const TurnBranchesResult = z.strictObject({
  items: z.array(z.strictObject({ session: Id, title: z.string(), turn: z.string(), updatedAt: Millis })),
});
