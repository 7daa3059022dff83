/** What waits for a person's word, over all conversations. */
import { isHidden } from "../../host/sessions/privacy.ts";
import { callsOf, type ApprovalView } from "@margay/core/internal/state";
import { eventsOf, findSession, type Caller } from "../../host/sessions/access.ts";
import { resolveApproval } from "../../host/sessions/control.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { route, type Route } from "../../host/api/route.ts";
import { ApprovalPage, ApprovalsQuery, VerdictBody } from "./approvals-schema.ts";
import { ApprovalSchema } from "../../protocol/items.ts";

/** As the view calls it. */
const RELEASE = "release";

export const APPROVAL_ROUTES: readonly Route[] = [
  route({
    id: "listApprovals",
    method: "GET",
    path: "/approvals",
    scope: "read",
    summary: "Calls that wait for an answer, or that got one; the newest first.",
    query: ApprovalsQuery,
    response: ApprovalPage,
    errors: ["session.not-found"],
    handle: async (call) => {
      const all = await approvalsOf(call, call.query.session, call.query.state === "pending");
      return { body: pageOf(all, call.query, (each) => timeKey(each.requestedAt, each.session, each.call)) };
    },
  }),
  route({
    id: "resolveApproval",
    method: "POST",
    path: "/sessions/{id}/approvals/{call}",
    scope: "admin",
    ofPersons: true,
    summary: "Allows or denies one call; the hash binds the answer to what was shown. `always` needs the owner.",
    body: VerdictBody,
    response: ApprovalSchema,
    errors: [
      "session.not-found",
      "session.trashed",
      "approval.not-found",
      "approval.settled",
      "approval.expired",
      "approval.stale",
      "auth.fresh-required",
    ],
    handle: async (call) => ({
      body: await resolveApproval(
        call,
        await findSession(call, call.params["id"] ?? "", { write: true, hidden: true }),
        call.params["call"] ?? "",
        call.body,
      ),
    }),
  }),
];

async function approvalsOf(
  caller: Caller,
  only: string | undefined,
  pending: boolean,
): Promise<readonly ApprovalView[]> {
  const { index, reader } = eventsOf(caller.services);
  const sessions = only === undefined ? await index.all() : [await findSession(caller, only, { trashed: true })];
  const found: ApprovalView[] = [];
  for (const session of sessions) {
    // What waits is asked of whoever may answer; what was asked is theirs.
    if (pending ? session.asked.size === 0 : !session.everAsked || isHidden(caller, session)) continue;
    const view = await reader.view(session.id);
    // What another would be told of somebody's is theirs to answer, and nobody else's to read.
    if (pending) found.push(...view.approvals.filter(({ tool }) => tool !== RELEASE || !isHidden(caller, session)));
    else
      for (const item of view.items)
        if (item.kind === "assistant")
          for (const call of callsOf(item))
            if (call.approval !== undefined && call.status !== "asked") found.push(call.approval);
  }
  // A call that waits is answered where it waits; its question in an operator's chat is the same one.
  const isTwice = ({ turn, hash }: ApprovalView): boolean =>
    turn === "" && found.some((each) => each.turn !== "" && each.hash === hash);
  return found.filter((each) => !isTwice(each));
}
