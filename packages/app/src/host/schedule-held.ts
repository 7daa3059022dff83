/** How a start, `margay status` and `margay doctor` say that schedules wait because margay crashed. */
import { systemClock } from "@margay/core/internal";
import { openScheduleHold } from "./schedule-hold.ts";
import type { Cli } from "./cli/command.ts";
import type { Check } from "./finding.ts";

/** Undefined: nothing waits. */
export function heldText({ places: { docs, log }, t }: Pick<Cli, "places" | "t">): string | undefined {
  const { since } = openScheduleHold({ docs, now: systemClock().now });
  return since === undefined ? undefined : t("cron.held", { since: new Date(since).toISOString(), log });
}

export const checkSchedule: Check = (examined) => {
  const text = heldText(examined);
  if (text === undefined) return [{ id: "schedule", level: "ok", text: examined.t("doctor.schedule") }];
  return [{ id: "schedule", level: "warning", text, repair: "margay cron resume" }];
};
