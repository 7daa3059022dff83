/** What is said about a job to people, in both languages. */
import type { Job } from "../contract/schedule.ts";

export interface JobPaused {
  readonly job: Pick<Job, "id" | "name">;
  /** How often it failed in a row. */
  readonly times: number;
  readonly error: string;
  /** What this person types for `margay`. */
  readonly command: string;
}

export function jobPaused(language: "en" | "zh-CN", { job, times, error, command }: JobPaused): string {
  const { id, name = id } = job;
  const enable = `${command} cron enable ${id}`;
  return language === "zh-CN"
    ? `定时任务 ${name} 已连续失败 ${times} 次（${error}），现已暂停。运行 ${enable} 可重新启用。`
    : `The job ${name} failed ${times} times in a row (${error}) and is paused. ${enable} switches it on again.`;
}
