/** `margay cron resume`: what is scheduled becomes due again after crashes. */
import { lockOwner, systemClock } from "@margay/core/internal";
import { openScheduleHold } from "../../host/schedule-hold.ts";
import { EXIT, type Run } from "../../host/cli/command.ts";
import { jsonLine } from "../../host/cli/output.ts";
import { recordFromCommand } from "../../host/control/record-from-command.ts";

const BY = "user";

export const resumeSchedules: Run = async (cli) => {
  const { home, docs } = cli.places;
  // A process that runs sees that it is gone, and writes it down itself.
  const released = await openScheduleHold({ docs, now: systemClock().now }).release(BY);
  if (released && lockOwner(home) === undefined) await recordFromCommand(cli, "schedule.released", { by: BY });
  cli.terminal.out(cli.json ? jsonLine({ released }) : `${cli.t(released ? "cron.released" : "cron.notHeld")}\n`);
  return EXIT.done;
};
