/** What every "test this" route answers: steps, and the first one that failed in the head. */
import { z } from "zod";

const TestStepSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  state: z.enum(["ok", "failed", "skipped"]),
  ms: z.number(),
  detail: z.string().optional(),
  code: z.string().optional(),
  remedy: z.string().optional(),
});

export const TestResultSchema = z.strictObject({
  ok: z.boolean(),
  steps: z.array(TestStepSchema),
  code: z.string().optional(),
  detail: z.string().optional(),
  remedy: z.string().optional(),
});

export type TestStep = z.infer<typeof TestStepSchema>;
export type TestResult = z.infer<typeof TestResultSchema>;
