/** What a person reads before they approve a skill. */
import { changesSince, type SkillApproval, type SkillReport } from "@margay/core/internal";
import type { Cli } from "../../host/cli/command.ts";
import { safeText, table } from "../../host/cli/output.ts";

const MAX_LISTED = 20;

/** @param approval of other content under this name: what changed since is listed. */
export function reportLines(report: SkillReport, cli: Cli, approval?: SkillApproval, source?: string): string {
  const { t } = cli;
  const { head, files, scripts, hosts, problems, invisible, reason } = report;
  const requires = head?.requires;
  const needs =
    requires === undefined
      ? []
      : [
          ...requires.bins,
          ...requires.anyBins,
          ...requires.env,
          ...requires.tools,
          ...requires.features,
          ...requires.os,
        ];
  const changes = approval === undefined || approval.hash === report.hash ? [] : changesSince(approval, files);
  const rows: readonly (readonly [string, string])[] = [
    ...(source === undefined ? [] : [[t("skills.report.source"), source] as const]),
    [t("skills.report.files"), t("skills.report.count", { count: files.length, bytes: report.bytes })],
    [t("skills.report.scripts"), listed(scripts)],
    [t("skills.report.hosts"), listed(hosts)],
    [t("skills.report.needs"), listed(needs)],
    ...(head?.license === undefined ? [] : [[t("skills.report.license"), head.license] as const]),
    ...(invisible.length === 0 ? [] : [[t("skills.report.invisible"), listed(invisible)] as const]),
    ...(changes.length === 0 ? [] : [[t("skills.report.changed"), listed(changes)] as const]),
    [t("skills.report.hash"), report.hash],
  ];
  return (
    (head === undefined ? "" : `${safeText(head.description)}\n`) +
    table(rows.map(([label, value]) => [`  ${label}`, safeText(value)])) +
    problems.map((text) => `  ${t("skills.warning", { text: safeText(text) })}\n`).join("") +
    (reason === undefined ? "" : `  ${t("skills.report.broken", { text: safeText(reason) })}\n`)
  );
}

function listed(items: readonly string[]): string {
  if (items.length === 0) return "–";
  const shown = items.slice(0, MAX_LISTED).join(" ");
  return items.length > MAX_LISTED ? `${shown} … (${items.length})` : shown;
}
