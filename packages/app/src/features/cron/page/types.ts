/** Jobs as the gateway tells them. */
import type { z } from "zod";
import type { JobBody, JobSchema, RunSchema, UpcomingList, ValidateResult } from "../schema.ts";

export type Job = z.infer<typeof JobSchema>;
export type Run = z.infer<typeof RunSchema>;
export type JobInput = z.input<typeof JobBody>;
export type Validation = z.infer<typeof ValidateResult>;
export type Upcoming = z.infer<typeof UpcomingList>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** The name, or the first line of what it does. */
export function jobName(job: { readonly name?: string | undefined; readonly message: string }): string {
  return job.name ?? job.message.split("\n", 1)[0] ?? "";
}

/** What is sent to make the same job again. */
export function inputOf(job: Job): JobInput {
  const { name, agent, trigger, mode, message, target, misfire, silent, enabled } = job;
  const given = { ...(name !== undefined && { name }), ...(agent !== undefined && { agent }) };
  return { ...given, trigger, mode, message, target, misfire, silent, enabled };
}
