/** How other processes reach this one: through the flags of the emergency stop and of suspended schedules, files of the state directory. */
import type { Agent, Logger } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { App } from "../app.ts";
import type { AppAudit } from "../host/audit-events.ts";
import type { Schedule } from "../features/cron/service.ts";

export interface Following {
  readonly agent: Agent;
  readonly schedule: Pick<Schedule, "resumed">;
  readonly audit: AppAudit;
  readonly inside: Pick<App["inside"], "stopFlag" | "hold">;
  readonly log: Logger;
}

/** @param stack Ends it. */
export function followOtherProcesses(
  { agent, schedule, audit, inside, log }: Following,
  stack: AsyncDisposableStack,
): void {
  const { stopFlag, hold } = inside;
  // `margay stop --all` and `touch paused` of others; what a turn does next asks the flag by itself.
  stack.use(
    stopFlag.watch((on, by) => {
      if (on)
        agent
          .stopAll({ id: by, kind: "person" })
          .catch((error: unknown) => log.error("stop.failed", { message: messageOf(error) }));
      else schedule.resumed();
    }),
  );
  // `margay cron resume`, and the page that says why.
  hold.listen((by) => {
    audit.record("schedule.released", { by });
    schedule.resumed();
  });
  stack.use(hold.watch());
}
