/** Background work of subagents. */
import { z } from "zod";
import { CostUsd, Id, Millis, page, PageQuery, UsageSchema } from "../../protocol/common.ts";

const State = z.enum(["queued", "running", "done", "failed", "cancelled"]);

export const TaskSchema = z.strictObject({
  /** Of the child session, whose transcript is the task's. */
  id: Id,
  session: Id,
  parent: Id,
  call: z.string(),
  label: z.string(),
  task: z.string(),
  state: State,
  /** Why it failed: `limit`, `budget`, or the code of an error. */
  reason: z.string().optional(),
  step: z.number().int(),
  maxSteps: z.number().int(),
  startedAt: Millis,
  endedAt: Millis.optional(),
  /** The tool it is at. */
  doing: z.string().optional(),
  text: z.string().optional(),
  usage: UsageSchema,
  costUsd: CostUsd,
});
export const TaskPage = page(TaskSchema);
export const TaskQuery = PageQuery.extend({ state: State.optional(), session: Id.optional() });
