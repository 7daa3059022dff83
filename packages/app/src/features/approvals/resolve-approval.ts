/** Pending approvals of an agent, and deciding one of them: for this process, or on behalf of another command. */
import type {
  Agent,
  Approval,
  CronService,
  Grant,
  Json,
  JsonObject,
  SavedRules,
  LabelledFiles,
  Quarantine,
  Sender,
} from "@margay/core";
import type { AppAudit } from "../../host/audit-events.ts";
import type { WorkspaceUndo } from "../undo/service.ts";
import { answerCron } from "../cron/actions.ts";
import type { MailRequest } from "../../host/control/mailbox.ts";
import { answerQuarantine } from "../quarantine/actions.ts";
import { answerRules } from "./rule-actions.ts";
import { answerTrust } from "../labels/actions.ts";
import { answerUndo } from "../undo/actions.ts";

const OPERATOR: Sender = { id: "user", kind: "person" };

export type Resolution = "done" | "late" | "unknown" | "ambiguous" | "only-once";

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

/** Pending approvals as JSON. */
export function listed(approvals: readonly Approval[]): Json {
  return approvals.map(({ grant, ...approval }) => ({ ...approval, ...(grant && { grant: { ...grant } }) }));
}

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

type Decision = Extract<MailRequest, { readonly type: "resolve" }>;
interface Resolved {
  readonly resolution: Resolution;
  readonly name: string;
}

async function resolveApproval(decision: Decision, agent: Agent): Promise<Resolved & JsonObject> {
  const found = await findApproval(decision, agent);
  if (typeof found === "string") return { resolution: found, name: "" };
  const { call, hash, name, sessionKey } = found;
  const { verdict, remember } = decision;
  if (remember !== undefined && !found.choices.includes(remember)) return { resolution: "only-once", name };
  const action = { type: verdict, call, hash, ...(remember !== undefined && { remember }) };
  const { done } = await agent.control(sessionKey, action, OPERATOR);
  return { resolution: done ? "done" : "late", name };
}

/** Writes the decision into the journal and leaves the turn to the process that will run it. */
export async function recordResolution(
  decision: Decision,
  agent: Agent,
  keep: (grant: Grant) => void,
): Promise<Resolved & JsonObject> {
  const found = await findApproval(decision, agent);
  if (typeof found === "string") return { resolution: found, name: "" };
  const { remember } = decision;
  if (remember !== undefined && !found.choices.includes(remember)) return { resolution: "only-once", name: found.name };
  const session = await agent.sessions.find(found.sessionKey);
  if (remember === "always" && found.grant !== undefined) keep(found.grant);
  await session?.commit({
    type: "approval.resolved",
    turn: found.turn,
    call: found.call,
    verdict: decision.verdict,
    by: OPERATOR.id,
    ...(found.during === true && { hash: found.hash }),
    ...(remember !== undefined && { remember }),
  });
  return { resolution: "done", name: found.name };
}

/** The code is the call's id, or enough of the start of its hash to mean one of them only. */
async function findApproval({ code }: Decision, agent: Agent): Promise<Approval | "unknown" | "ambiguous"> {
  const pending = await agent.approvals();
  const found = pending.filter(
    (approval) => approval.call === code || (code.length >= 6 && approval.hash.startsWith(code)),
  );
  const [approval] = found;
  return approval === undefined ? "unknown" : found.length > 1 ? "ambiguous" : approval;
}

/** What people type: short, and different for each call. */
export function approvalCode(approval: Pick<Approval, "hash">): string {
  return approval.hash.slice(0, 8);
}
