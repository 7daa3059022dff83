/** Whether somebody gets what nobody asked for: results of heartbeat, greeting, webhooks and jobs. */
import { join } from "node:path";
import { addressText, readJobs } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import { chatFault, faultyTargets, type FaultyTarget } from "../../host/targets.ts";
import type { ConfigCheck } from "../../host/finding.ts";
import type { Finding } from "../../host/finding.ts";

export const checkTargets: ConfigCheck = async ({ t }, { config, places }) => {
  const problem = (text: string, repair: string): Finding => ({ id: "targets", level: "problem", text, repair });
  const jobs = await readJobs(join(places.home, "cron"));
  const faulty = faultyTargets(config, t, places.home);
  return [
    ...faulty.map((target) => {
      const { path, value, text } = target;
      return problem(t("doctor.target", { path, value, text }), repairOf(target, config, faulty));
    }),
    ...jobs.flatMap(({ job, enabled, gone }) => {
      const text = enabled && !gone ? chatFault(job.to, config, t, places.home) : undefined;
      if (text === undefined) return [];
      const words = { id: job.id, to: addressText(job.to), text };
      return [problem(t("doctor.jobTarget", words), `margay cron disable ${job.id}`)];
    }),
  ];
};

/** Without the chats that are at fault. */
function repairOf(
  { path, hook }: FaultyTarget,
  { gateway }: Loaded["config"],
  faulty: readonly FaultyTarget[],
): string {
  if (hook === undefined) return `margay config set ${path} last`;
  const isFine = (chat: string): boolean => !faulty.some((one) => one.hook === hook && one.value === chat);
  return `margay config set ${path} '${JSON.stringify((gateway.hooks[hook]?.deliver ?? []).filter(isFine))}'`;
}
