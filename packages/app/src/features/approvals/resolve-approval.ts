/** Pending approvals of an agent, and deciding one of them: for this process, or on behalf of another command. */
import { OPERATOR } from "../../host/operator.ts";
import type { Agent, Approval, Json, JsonObject } from "@margay/core";
import type { Grant } from "@margay/core/internal";
import type { MailRequest } from "../../host/control/mailbox.ts";

export type Resolution = "done" | "late" | "unknown" | "ambiguous" | "only-once";

/** Pending approvals as JSON. */
export function listed(approvals: readonly Approval[]): Json {
  return approvals.map(({ grant, ...approval }) => ({ ...approval, ...(grant && { grant: { ...grant } }) }));
}

type Decision = Extract<MailRequest, { readonly type: "resolve" }>;
interface Resolved {
  readonly resolution: Resolution;
  readonly name: string;
}

export async function resolveApproval(decision: Decision, agent: Agent): Promise<Resolved & JsonObject> {
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
