/** The check of the backups: how old the last one is, and whether it can be restored. */
import { systemClock } from "@margay/core/internal";
import { timeText } from "../../host/cli/values.ts";
import type { ConfigCheck, Finding } from "../../host/finding.ts";
import { readState } from "./state.ts";

const DAY_MS = 86_400_000;
/** Older than this is said, by how often one is made. */
const OLD_DAYS = { off: 30, hourly: 1, daily: 3, weekly: 15 } as const;

export const checkBackup: ConfigCheck = ({ t, places }, { config: { backup } }) => {
  const { last, tried, checked, drill, drilled } = readState(places.docs);
  if (backup.target === null && last === undefined) return [];
  const found: Finding[] = [];
  const problem = (text: string, repair: string): void =>
    void found.push({ id: "backup", level: "problem", text, repair });
  if (tried?.error !== undefined)
    problem(t("doctor.backup.failed", { at: timeText(tried.at), reason: tried.error }), "margay backup");
  if (checked?.error !== undefined)
    problem(t("doctor.backup.damaged", { at: timeText(checked.at), reason: checked.error }), "margay backup --repair");
  if (drill?.error !== undefined)
    problem(t("doctor.backup.drill", { at: timeText(drill.at), reason: drill.error }), "margay backup drill");
  if (found.length > 0) return found;
  if (last === undefined)
    return [{ id: "backup", level: "warning", text: t("doctor.backup.none"), repair: "margay backup" }];
  const at = timeText(last.at);
  if (systemClock().now() - last.at > OLD_DAYS[backup.schedule] * DAY_MS)
    return [{ id: "backup", level: "warning", text: t("doctor.backup.old", { at }), repair: "margay backup" }];
  const text =
    drilled === undefined
      ? t("doctor.backup.ok", { at })
      : t("doctor.backup.rehearsed", { at, drilled: timeText(drilled) });
  return [{ id: "backup", level: "ok", text }];
};
