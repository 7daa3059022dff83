/** How other processes reach this one: through the flag of the emergency stop and the mailbox, files of the state directory. */
import type { Agent, Logger } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { App } from "../app.ts";
import type { AppAudit } from "../host/audit-events.ts";
import { openMailbox } from "../host/control/mailbox.ts";
import { handleMail } from "./handle-mail.ts";
import type { Schedule } from "../features/cron/service.ts";

export interface Obeying {
  readonly agent: Agent;
  readonly schedule: Pick<Schedule, "cron" | "resumed">;
  readonly audit: AppAudit;
  readonly inside: Pick<App["inside"], "stopFlag" | "hold" | "undo" | "labelledFiles" | "savedRules" | "quarantine">;
  readonly log: Logger;
  /** The directory of the mailbox. */
  readonly control: string;
}

/** @param stack Ends it. */
export function obeyOtherProcesses(
  { agent, schedule, audit, inside, log, control }: Obeying,
  stack: AsyncDisposableStack,
): void {
  const { stopFlag, hold, undo, labelledFiles, quarantine, savedRules: rules } = inside;
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
  // Other commands ask: `margay approvals allow CODE`.
  stack.use(
    openMailbox(
      control,
      (request) => handleMail(request, { agent, cron: schedule.cron, audit, undo, labelledFiles, quarantine, rules }),
      (message) => log.warn("mailbox.failed", { message }),
    ),
  );
}
