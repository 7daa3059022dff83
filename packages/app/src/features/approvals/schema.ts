/** Wire shapes of policy and emergency stop. */
import { z } from "zod";

const Decision = z.strictObject({
  verdict: z.enum(["allow", "ask", "deny"]),
  /** What decided: a rule of the operator, or one that is built in. */
  rule: z.string(),
  origin: z.enum(["rule", "built-in"]),
});

export const PolicySchema = z.strictObject({
  restrictToWorkspace: z.boolean(),
  approvalTimeoutMs: z.number(),
  rows: z.array(
    z.strictObject({
      tool: z.string(),
      effect: z.enum(["read", "idempotent", "write"]),
      /** Where the answer depends on the arguments: `outside`, `elsewhere`, … */
      case: z.string().optional(),
      attended: Decision,
      unattended: Decision,
      /** The same when the model has read what nobody vouches for. */
      untrusted: z.strictObject({ attended: Decision, unattended: Decision }),
    }),
  ),
});

const RuleSchema = z.strictObject({
  id: z.string(),
  tool: z.string(),
  action: z.enum(["allow", "ask", "deny"]),
  match: z.string().optional(),
  session: z.string().optional(),
  untrusted: z.boolean().optional(),
  /** Of the configuration, or an answer that was kept. */
  origin: z.enum(["config", "answer"]),
  /** What a kept answer covers, in words, and who gave it. */
  covers: z.string().optional(),
  by: z.string().optional(),
  at: z.number().optional(),
});
export const RulesSchema = z.array(RuleSchema);

export const PolicyCheckBody = z.strictObject({
  tool: z.string().min(1).max(200),
  input: z.record(z.string(), z.json()),
  source: z.enum(["web", "cli", "api", "channel", "cron", "heartbeat", "greeting", "hook"]),
  untrusted: z.boolean().optional(),
});
export const PolicyCheckSchema = z.strictObject({
  verdict: z.enum(["allow", "ask", "deny"]),
  rule: z.string(),
  why: z.string(),
});

export const EstopBody = z.strictObject({ on: z.boolean() });
export const EstopSchema = z.strictObject({
  on: z.boolean(),
  since: z.number().optional(),
  by: z.string().optional(),
  stopped: z.strictObject({ turns: z.number(), processes: z.number() }).optional(),
});

export type PolicyView = z.infer<typeof PolicySchema>;
export type Estop = z.infer<typeof EstopSchema>;
