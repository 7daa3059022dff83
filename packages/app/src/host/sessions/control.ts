/** What acts at once, outside of the conversation: stop, approve, deny, withdraw. */
import { type CallId, mayAnswer, type SessionId, type Summary } from "@margay/core/internal";
import { type SessionView } from "@margay/core/state";
import { callsOf, type ApprovalView } from "@margay/core/internal/state";
import type { z } from "zod";
import { Problem } from "../api/problem.ts";
import { requireOwner } from "../api/proof.ts";
import type { VerdictBody } from "../../features/approvals/approvals-schema.ts";
import type { StopBody } from "../../protocol/sessions.ts";
import { roleIn } from "../people.ts";
import { eventsOf, isOperator, personOf, senderOf, type Caller } from "./access.ts";
import { pendingOf, type Pending } from "./detail.ts";
import { told } from "../api/words.ts";
import { TEXT } from "./api-texts.ts";

export interface Stopped {
  /** `null`: nothing was running. */
  readonly turn: string | null;
  readonly subagents: number;
  readonly processes: number;
  readonly discarded: readonly Pending[];
}

/** Waiting messages stay unless asked otherwise. */
export async function stopSession(
  caller: Caller,
  session: Pick<Summary, "id" | "key">,
  { discardWaiting = false }: z.infer<typeof StopBody>,
): Promise<Stopped> {
  const { agent } = caller.services.app;
  const view = await eventsOf(caller.services).reader.view(session.id);
  const { turn } = view;
  const subagents = agent.subagents(session.id).length;
  const processes = turn === undefined ? 0 : running(view);
  const waiting = view.pending;
  const done = await agent.control(session.key, { type: "stop", withdraw: discardWaiting }, senderOf(caller));
  const stillThere = new Set(view.pending.map(({ messageId }) => messageId));
  return {
    turn: done.stopped && turn !== undefined ? turn.id : null,
    subagents: done.stopped ? subagents : 0,
    processes: done.stopped ? processes : 0,
    discarded:
      done.withdrawn === 0
        ? []
        : waiting
            .filter(({ messageId, state }) => state === "pending" && !stillThere.has(messageId))
            .slice(-done.withdrawn)
            .map(pendingOf),
  };
}

function running(view: SessionView): number {
  const last = view.items.findLast((item) => item.kind === "assistant");
  return last?.kind === "assistant" ? callsOf(last).filter(({ status }) => status === "running").length : 0;
}

/** @throws Problem `approval.not-found`, `approval.settled`, `approval.expired`, `approval.stale`. */
export async function resolveApproval(
  caller: Caller,
  session: Pick<Summary, "id" | "key">,
  call: string,
  { verdict, hash, reason, remember = "once" }: z.infer<typeof VerdictBody>,
): Promise<ApprovalView> {
  const { agent, clock } = caller.services.app;
  await requireAnswerer(caller, session, call, hash);
  const view = await eventsOf(caller.services).reader.view(session.id);
  const approval = open(view, call);
  const waits = approval.resolved === undefined && view.approvals.some((each) => each.call === call);
  if (!waits || approval.expiresAt <= clock.now()) throw tooLate(approval, clock.now());
  if (approval.hash !== hash) throw stale(approval);
  if (verdict === "allow" && !approval.choices.includes(remember))
    throw new Problem(
      "request.invalid",
      told({ detail: TEXT.whatAsksHere, remedy: TEXT.answerRememberOnce }, { rule: approval.rule }),
    );
  if (verdict === "allow" && remember === "always") requireOwner(caller, TEXT.ruleForAll);
  const { done } = await agent.control(
    session.key,
    {
      type: verdict,
      call: approval.call,
      hash,
      ...(reason !== undefined && { reason }),
      ...(verdict === "allow" && remember !== "once" && { remember }),
    },
    senderOf(caller),
  );
  const now = open(await eventsOf(caller.services).reader.view(session.id), call);
  if (done) return now;
  // What it would run was changed after it was shown: it was asked again.
  throw now.resolved === undefined && now.hash !== hash ? stale(now) : tooLate(now, clock.now());
}

/** Operators answer all; a person what is theirs, and as an operator what is asked in their own room. @throws Problem `auth.scope`. */
async function requireAnswerer(
  caller: Caller,
  { key }: Pick<Summary, "key">,
  call: string,
  hash: string,
): Promise<void> {
  if (isOperator(caller)) return;
  const { app } = caller.services;
  const person = personOf(caller);
  const role = person === undefined ? undefined : roleIn(app.inside.loaded().config, person);
  const session = await app.agent.sessions.find(key);
  const isTheirs =
    person !== undefined &&
    role !== undefined &&
    session !== undefined &&
    mayAnswer(session, { call: call as CallId, hash }, { role, audience: person }, role === "operator"); // looked up by equality
  if (!isTheirs) throw new Problem("auth.scope", "Only operators answer this.");
}

function stale({ call, hash }: ApprovalView): Problem {
  return new Problem("approval.stale", {
    ...told({ detail: TEXT.answerForAnother, remedy: TEXT.lookAtCall }, { call }),
    more: { current: hash },
  });
}

/** Its time was over, or it was answered. */
function tooLate({ call, resolved, expired, expiresAt }: ApprovalView, now: number): Problem {
  return resolved === undefined && (expired === true || expiresAt <= now)
    ? new Problem("approval.expired", {
        detail: `The time to answer ${call} is over; it was refused.`,
        remedy: "Ask the model to try again.",
      })
    : new Problem("approval.settled", `${call} was answered already.`);
}

function open(view: SessionView, call: string): ApprovalView {
  for (const item of view.items.toReversed()) {
    if (item.kind !== "assistant") continue;
    const found = callsOf(item).find((each) => each.call === call)?.approval;
    if (found !== undefined) return found;
  }
  throw new Problem("approval.not-found", `Nothing waits for an answer under ${call.slice(0, 64)}.`);
}

/** Takes a waiting message back. @throws Problem `message.not-found`, `message.placed`. */
export async function withdrawMessage(
  caller: Caller,
  session: { readonly id: SessionId; readonly key: string },
  messageId: string,
): Promise<void> {
  const view = await eventsOf(caller.services).reader.view(session.id);
  const item = view.items.findLast((each) => each.kind === "user" && each.messageId === messageId);
  if (item?.kind !== "user") throw new Problem("message.not-found", `There is no message ${messageId.slice(0, 64)}.`);
  const withdrawn =
    item.state === "pending" && (await caller.services.app.agent.withdraw(session.key, messageId, senderOf(caller)));
  if (!withdrawn)
    throw new Problem("message.placed", {
      detail: item.state === "withdrawn" ? "It was taken back already." : "The model has seen it already.",
      remedy: "Stop the turn instead.",
    });
}
