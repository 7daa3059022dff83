/** Questions for a person: for how long a yes can hold, whether they still wait, their buttons, and what of theirs others would be told. Pure. */
import type { OutboundPiece } from "../contract/channel.ts";
import type { Millis } from "../contract/base.ts";
import type { SessionGrant } from "../contract/grant.ts";
import type { JournalRecord, ReplyQuestion } from "../contract/record.ts";
import type { QueuedReply } from "../contract/bus.ts";
import type { AskedRelease, SessionState } from "../contract/session.ts";

/** For how long a yes to a question can hold. */
export function choicesOf(grant: { readonly always?: true } | undefined): readonly ("once" | "session" | "always")[] {
  if (grant === undefined) return ["once"];
  return grant.always === true ? ["once", "session", "always"] : ["once", "session"];
}

/** Whether a question that was put into a chat still waits. Asked again, it is another one. */
export function isAsked(
  { turn, releases = [] }: Pick<SessionState, "turn" | "releases">,
  { call, hash }: Pick<ReplyQuestion, "call" | "hash">,
): boolean {
  const calls = turn?.calls ?? [];
  return (
    calls.some((item) => item.status === "asked" && item.call.callId === call && item.hash === hash) ||
    turn?.questions?.some((each) => each.call === call && each.hash === hash) === true ||
    releases.some((each) => each.code === call && each.hash === hash && isUnanswered(each))
  );
}

/** A question that is over by now leaves without its buttons. */
export function whileAsked(
  { question, ...reply }: QueuedReply,
  state: Pick<SessionState, "turn" | "releases">,
): QueuedReply {
  return question !== undefined && isAsked(state, question) ? { ...reply, question } : reply;
}

/** What the platform is given of them: not what they do. */
export function buttonsOf({ actions }: ReplyQuestion): Pick<OutboundPiece, "actions"> {
  return { actions: actions.map(({ token, label, style }) => ({ token, label, style })) };
}

type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;
type Releases = readonly AskedRelease[];

/** The answered ones too: what was asked is not asked again. The oldest gives way, as if nobody had answered it. */
const MAX_RELEASES = 50;

export function askedRelease(
  all: Releases = [],
  { type: _type, ...release }: Of<"release.asked">,
  askedAt: Millis,
): Releases {
  return [...all, { ...release, askedAt }].slice(-MAX_RELEASES);
}

/** The first answer counts. */
export function answeredRelease(all: Releases = [], { release, verdict, by, own }: Of<"release.answered">): Releases {
  const words = own && { ...own, next: [] };
  return all.map((each) => (each.id === release && isUnanswered(each) ? { ...each, verdict, by, ...words } : each));
}

export function closedRelease(all: Releases = [], { release }: Of<"release.closed">): Releases {
  return all.map((each) => (each.id === release ? { ...each, closed: true } : each));
}

export function isUnanswered({ verdict, closed }: Pick<AskedRelease, "verdict" | "closed">): boolean {
  return verdict === undefined && closed === undefined;
}

/** Whether there is something left to do about it. */
export function isOpenRelease({ verdict, closed, asks }: AskedRelease): boolean {
  return closed === undefined && (verdict !== "deny" || asks !== undefined);
}

/** The rule of a grant that a late yes made: `scope` says for which hash, and until when. */
export const LATE = "late";

export function lateGrant({
  call,
  hash,
  until,
  ...given
}: Pick<SessionGrant, "call" | "by" | "tool" | "shown"> & {
  readonly hash: string;
  readonly until: Millis;
}): SessionGrant {
  return { ...given, call, rule: LATE, scope: { hash, until } };
}

/** What it allows was allowed: once. */
export function usedLate(state: SessionState, { verdict, rule }: Of<"call.judged">): SessionState {
  if (verdict !== "allow") return state;
  return {
    ...state,
    grants: (state.grants ?? []).filter((each) => each.rule !== LATE || rule !== `${LATE} ${each.call}`),
  };
}

export function answerRelease(state: SessionState, record: Of<"release.answered">, at: Millis): SessionState {
  return withAnswer({ ...state, releases: answeredRelease(state.releases, record) }, record, record.hash, at);
}

/** Of a call its message says who answered, wherever that was. */
export function closeRelease(state: SessionState, record: Of<"release.closed">, at: Millis): SessionState {
  const { release, answer } = record;
  const next = { ...state, releases: closedRelease(state.releases, record) };
  const { hash } = state.releases?.find(({ id }) => id === release) ?? {};
  return answer === undefined || hash === undefined ? next : withAnswer(next, answer, hash, at);
}

/** Of a question that stands in a chat: what its message says from now on. */
export function withAnswer(
  state: SessionState,
  { verdict, by, remember }: Pick<Of<"approval.resolved">, "verdict" | "by" | "remember">,
  hash: string,
  at: Millis,
): SessionState {
  const answered = { verdict, by, at, ...(remember !== undefined && { remember }) };
  return state.asked === undefined
    ? state
    : { ...state, asked: state.asked.map((item) => (item.hash === hash ? { ...item, answered } : item)) };
}
