/** What `margay approvals` asks for: what waits for an answer, and deciding one of them. */
import { OPERATOR } from "../../host/operator.ts";
import { z } from "zod";
import type { Agent, Approval } from "@margay/core";
import type { Grant } from "@margay/core/internal";
import { operation } from "../../host/control/operation.ts";

/** As a text is called that its owner lets go. */
const RELEASE = "release";

export type Resolution = "done" | "late" | "unknown" | "ambiguous" | "only-once";

const Decision = z.strictObject({
  verdict: z.enum(["allow", "deny"]),
  code: z.string(),
  /** For how long a yes holds. */
  remember: z.enum(["session", "always"]).optional(),
  /** Said in place of what was shown. */
  words: z.string().min(1).max(4000).optional(),
});
type Decision = z.infer<typeof Decision>;

interface Resolved {
  readonly resolution: Resolution;
  readonly name: string;
}

export const APPROVAL_OPERATIONS = {
  "approvals.list": operation(z.strictObject({}), (_input, { app }): Promise<readonly Approval[]> =>
    app.agent.approvals(),
  ),
  /** `later`: it is in the journal, and the next process that works goes on with the turn. */
  "approvals.resolve": operation(
    Decision,
    async (decision, { app: { agent, inside }, alone }): Promise<Resolved & { readonly later: boolean }> => {
      if (!alone) return { ...(await resolveApproval(decision, agent)), later: false };
      // Recorded, not run: this command is no place for a turn.
      const result = await recordResolution(decision, agent, (grant) => inside.savedRules.save(grant, "user"));
      return { ...result, later: result.resolution === "done" };
    },
  ),
} as const;

async function resolveApproval(decision: Decision, agent: Agent): Promise<Resolved> {
  const found = await findApproval(decision, agent);
  if (typeof found === "string") return { resolution: found, name: "" };
  const { call, hash, name, sessionKey } = found;
  const { verdict, remember, words } = decision;
  if (remember !== undefined && !found.choices.includes(remember)) return { resolution: "only-once", name };
  const said = words !== undefined && verdict === "allow" && found.turn === undefined && { words };
  const action = { type: verdict, call, hash, ...(remember !== undefined && { remember }), ...said };
  const { done } = await agent.control(sessionKey, action, OPERATOR);
  return { resolution: done ? "done" : "late", name };
}

/** Writes the decision into the journal and leaves the turn to the process that will run it. */
async function recordResolution(
  decision: Decision,
  agent: Agent,
  keep: (grant: Grant) => Promise<unknown>,
): Promise<Resolved> {
  const found = await findApproval(decision, agent);
  if (typeof found === "string") return { resolution: found, name: "" };
  const { remember } = decision;
  if (remember !== undefined && !found.choices.includes(remember)) return { resolution: "only-once", name: found.name };
  const session = await agent.sessions.find(found.sessionKey);
  if (found.turn === undefined) {
    // A text only waits for its platform then; what a conversation is told would be a turn.
    if (found.name === RELEASE) return resolveApproval(decision, agent);
    const { call: release, hash } = found;
    await session?.commit({ type: "release.answered", release, hash, verdict: decision.verdict, by: OPERATOR.id });
    return { resolution: "done", name: found.name };
  }
  if (remember === "always" && found.grant !== undefined) await keep(found.grant);
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
