/** Whose word a call needs where others read than the owner, what the chat is told meanwhile, and a yes that came late. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Millis } from "../contract/base.ts";
import type { CallFiles, SessionGrant } from "../contract/grant.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { JudgeContext, Policy, Verdict } from "../contract/policy.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { SessionState, TurnState } from "../contract/session.ts";
import { LATE } from "../lib/approval-choices.ts";
import { isGroup, isPerson, OWNER } from "../lib/audience.ts";
import { speaker } from "../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export interface WhoseWordOptions {
  readonly language: () => AgentSettings["language"];
  /** What an answer to a call is bound to. */
  readonly bound: (state: SessionState, call: ToolCallPart, callFiles: CallFiles) => string;
  readonly now: () => Millis;
  readonly people: Pick<PeopleOptions, "group" | "roleOf"> | undefined;
}

const say = speaker(en, zh);

/** What stays in the room of who asks for it. A rule of the operator's own is none of these. */
const OWN_SPACE: ReadonlySet<string> = new Set(
  ["remember", "cron"].flatMap((kind) => [kind, `${kind}, untrusted context`]),
);

/** @returns what judges a call in a conversation that others read than the owner. */
export function createWhoseWord(policy: Policy, options: WhoseWordOptions): Policy["judge"] {
  /** Calls that are judged together are asked about together: the chat is told once. */
  const told = new WeakSet<TurnState>();
  const once = (turn: TurnState | undefined, text: string): string => {
    if (turn === undefined) return text;
    const isTold = told.has(turn);
    told.add(turn);
    return isTold ? "" : text;
  };
  return (call, context) => judge(policy, call, context, { ...options, once });
}

async function judge(
  policy: Policy,
  call: ToolCallPart,
  context: JudgeContext,
  options: WhoseWordOptions & { readonly once: (turn: TurnState | undefined, text: string) => string },
): Promise<Verdict> {
  const verdict = await policy.judge(call, context);
  if (verdict.kind !== "ask") return verdict;
  const late = context.attended ? lateYes(call, context, options) : undefined;
  if (late !== undefined) return { kind: "allow", rule: `${LATE} ${late.call}`, by: late.by };
  const { audience = OWNER } = context.state;
  if (isGroup(audience) && isAskedHere(context, options)) return { ...verdict, of: { person: audience } };
  const isMember = isPerson(audience);
  if (isMember && OWN_SPACE.has(verdict.rule)) return { ...verdict, of: { person: audience } };
  const told = say(options.language())(isMember ? "call.askedOwner" : "call.askedFirst");
  return { ...verdict, of: { person: OWNER, told: options.once(context.state.turn, told) } };
}

/** All who are in the group may answer, and one of them has asked for it. */
function isAskedHere({ state: { origin, turn } }: JudgeContext, { people }: WhoseWordOptions): boolean {
  const { speaker } = turn ?? {};
  const isOperators = speaker === OWNER || (speaker !== undefined && people?.roleOf(speaker) === "operator");
  return isOperators && people?.group(origin)?.approvals === "here";
}

/** For exactly what was asked then; its id is another one now. */
function lateYes(
  { callId }: ToolCallPart,
  { state, callFiles }: JudgeContext,
  { bound, now }: WhoseWordOptions,
): SessionGrant | undefined {
  const proposed = state.turn?.calls.find(({ call }) => call.callId === callId)?.call;
  if (proposed === undefined || callFiles === undefined) return undefined;
  return state.grants?.find(
    ({ rule, call, scope: { hash, until } }) =>
      rule === LATE && Number(until) > now() && bound(state, { ...proposed, callId: call }, callFiles) === hash,
  );
}
