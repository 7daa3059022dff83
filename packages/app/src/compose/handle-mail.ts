/** What commands of other processes ask of this one, until they speak to its routes. */
import { OPERATOR } from "../host/operator.ts";
import type { Agent, CronService, Json } from "@margay/core";
import type { LabelledFiles, Quarantine, SavedRules } from "@margay/core/internal";
import { listed, resolveApproval } from "../features/approvals/resolve-approval.ts";
import { answerRules } from "../features/approvals/rule-actions.ts";
import { answerCron } from "../features/cron/actions.ts";
import { answerTrust } from "../features/labels/actions.ts";
import { answerQuarantine } from "../features/quarantine/actions.ts";
import { answerUndo } from "../features/undo/actions.ts";
import type { WorkspaceUndo } from "../features/undo/service.ts";
import type { AppAudit } from "../host/audit-events.ts";
import type { MailRequest } from "../host/control/mailbox.ts";

/** What a request of the mailbox is done on. */
export interface MailTarget {
  readonly agent: Agent;
  readonly cron: CronService | undefined;
  readonly audit: Pick<AppAudit, "record" | "flush">;
  readonly labelledFiles: LabelledFiles;
  readonly rules: SavedRules;
  readonly quarantine: Quarantine;
  readonly undo?: WorkspaceUndo;
}

/** What a request of the mailbox asks for, done on the agent. */
export async function handleMail(
  request: MailRequest,
  { agent, cron, audit, labelledFiles, quarantine, rules, undo }: MailTarget,
): Promise<Json> {
  switch (request.type) {
    case "cron":
      return answerCron(request.action, cron);
    case "quarantine":
      return answerQuarantine(request.action, quarantine);
    case "trust":
      return answerTrust(request.action, labelledFiles);
    case "rules":
      return answerRules(request, rules);
    case "undo":
      return undo === undefined ? { status: "none" } : answerUndo(request.action, undo);
    case "approvals":
      return listed(await agent.approvals());
    case "resolve":
      return resolveApproval(request, agent);
    case "estop":
      return request.on ? { ...(await agent.stopAll(OPERATOR)) } : { released: agent.release(OPERATOR) };
    case "record":
      audit.record(request.name, request.data);
      await audit.flush();
      return { recorded: true };
  }
}
