/** What a running call asks a person: journaled, delivered as other approvals are, answered once. */
import type { CallId } from "../../contract/base.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { Session } from "../../contract/session.ts";
import type { CallAnswer, CallQuestionInput, ToolContext } from "../../contract/tool.ts";
import { grantKey } from "../../lib/grant-key.ts";
import { createSerial } from "../../lib/async/serial.ts";
import type { ToolDeps } from "../deps.ts";
import { approvalReply } from "./approval-reply.ts";
import type { AgentEvent } from "../../contract/event.ts";
import { bySomeKind, type SomeKinds } from "../../lib/by-kind.ts";

type Deps = Pick<ToolDeps, "clock" | "policy" | "settings" | "hash" | "ids" | "buttons">;

const QUESTION_MS = 300_000;

/** For one attempt at a call. */
export function createCallQuestions(session: Session, call: CallId, deps: Deps): NonNullable<ToolContext["ask"]> {
  const alone = createSerial();
  const earlier = async (input: CallQuestionInput): Promise<CallAnswer | undefined> => {
    const { state } = session;
    const covered = deps.policy.covered?.(input.grant, { state, attended: state.turn?.attended === true });
    if (covered !== undefined) return { verdict: "allow", by: covered.by };
    const about = grantKey(input.grant);
    const left = state.turn?.lateAnswers?.find((each) => each.about === about);
    if (left === undefined || state.turn === undefined) return undefined;
    // The yes was for one call: it is on disk that this one took it.
    await session.commit({ type: "question.closed", turn: state.turn.id, call, hash: left.hash, because: "used" });
    return { verdict: "allow", by: left.by };
  };
  const askOrTake = async (
    input: CallQuestionInput,
    signal: AbortSignal,
    neighbor: CallAnswer | undefined,
  ): Promise<CallAnswer> => {
    const { turn } = session.state;
    if (turn === undefined || signal.aborted) return { verdict: "late" };
    const known = await earlier(input);
    if (known !== undefined) return known;
    if (neighbor?.verdict === "late") return neighbor; // nobody was there
    const isAsked = turn.attended && turn.speaker === undefined;
    return isAsked ? await put(session, call, input, deps, signal) : { verdict: "nobody" };
  };
  return (input, signal) =>
    alone(call, () =>
      behindNeighbors(session, grantKey(input.grant), signal, (neighbor) => askOrTake(input, signal, neighbor)),
    );
}

/** The last question about each thing in a session, while it is open; undefined: its call ended first, so nothing is known. */
const asking = new WeakMap<Session, Map<string, Promise<CallAnswer | undefined>>>();

/** Calls of one answer run at once, and may ask the same: one after the other, for the first answer may cover them all. */
async function behindNeighbors(
  session: Session,
  about: string,
  signal: AbortSignal,
  ask: (neighbor: CallAnswer | undefined) => Promise<CallAnswer>,
): Promise<CallAnswer> {
  const all = asking.get(session) ?? new Map<string, Promise<CallAnswer | undefined>>();
  asking.set(session, all);
  const answer = (all.get(about) ?? Promise.resolve(undefined)).then(ask);
  const told = answer.then(
    (given) => (signal.aborted ? undefined : given),
    () => undefined, // the caller has the failure
  );
  all.set(about, told);
  try {
    return await answer;
  } finally {
    if (all.get(about) === told) all.delete(about);
  }
}

async function put(
  session: Session,
  call: CallId,
  input: CallQuestionInput,
  deps: Deps,
  signal: AbortSignal,
): Promise<CallAnswer> {
  const { state } = session;
  const { turn } = state;
  if (turn === undefined) return { verdict: "late" };
  const { clock, policy, settings } = deps;
  const about = grantKey(input.grant);
  // Of this question and no other: what was answered before never answers it.
  const hash = deps.hash(`${state.id}\n${turn.id}\n${call}\n${about}\n${deps.ids.next("question")}`);
  const answered = Promise.withResolvers<CallAnswer>();
  const lost = (error: Error): void => answered.reject(error);
  const ends: SomeKinds<AgentEvent, [], void> = {
    "approval.resolved": ({ hash: of, verdict, by }) => {
      if (of === hash) answered.resolve({ verdict, by });
    },
  };
  const unsubscribe = session.subscribe((event) => bySomeKind(ends, event), lost);
  answered.promise.catch(() => {}); // awaited below, or nobody waits any more
  const done = new AbortController();
  try {
    const name = turn.calls.find((item) => item.call.callId === call)?.call.name ?? "";
    const prompt = input.prompt[settings.language];
    const expiresAt = clock.now() + Math.max(input.waitMs, policy.questionMs?.() ?? QUESTION_MS);
    const grant = input.remember && {
      grant: { ...input.grant, ...(policy.remember !== undefined && { always: true as const }) },
    };
    const asked = { call, prompt, hash, expiresAt, ...grant };
    const reply = `${turn.id}:${call}:question:${hash.slice(0, 8)}`;
    await session.commit(
      {
        type: "call.asked",
        turn: turn.id,
        rule: input.grant.rule,
        about,
        ...asked,
        reason: input.why,
        ...(input.risks !== undefined && input.risks.length > 0 && { risks: input.risks }),
      },
      approvalReply(turn, reply, { ...asked, name }, deps),
    );
    const late = clock.sleep(input.waitMs, AbortSignal.any([signal, done.signal])).catch(() => undefined);
    const first = await Promise.race([answered.promise, late]);
    if (first !== undefined) return first;
    const closed: JournalRecord = { type: "question.closed", turn: turn.id, call, hash, because: "late" };
    await session.commit(closed);
    // An answer that was stored before this counts: it was seen by now.
    return await Promise.race([answered.promise, Promise.resolve<CallAnswer>({ verdict: "late" })]);
  } finally {
    unsubscribe();
    done.abort("over");
  }
}
