/** Questions for a person: for how long a yes can hold, whether they still wait, their buttons, and what of theirs others would be told. Pure. */
import type { OutboundPiece } from "../contract/channel.ts";
import type { CallId, Millis } from "../contract/base.ts";
import type { SessionGrant } from "../contract/grant.ts";
import type { JournalRecord, ReplyQuestion } from "../contract/record.ts";
import type { AskedInChat, QueuedReply } from "../contract/bus.ts";
import type { AskedRelease, SessionState } from "../contract/session.ts";

/** For how long a yes to a question can hold. */
export function choicesOf(grant: { readonly always?: true } | undefined): readonly ("once" | "session" | "always")[] {
  if (grant === undefined) return ["once"];
  return grant.always === true ? ["once", "session", "always"] : ["once", "session"];
}

/** What a digest of questions has in place of a call. */
export const DIGEST = "digest" as CallId; // looked up by equality

/** One that waits for a word of who reads the conversation, and the reply that puts it into their chat. */
export interface OpenQuestion extends Pick<ReplyQuestion, "call" | "hash"> {
  readonly reply: string;
  /** What would be called; `release` or `ask_person` where a text waits. */
  readonly name: string;
  readonly askedAt: Millis;
  /** Of the running turn. */
  readonly inTurn?: true;
}

type Asking = Pick<SessionState, "turn" | "releases" | "audience" | "outbox" | "asked">;

/** In the order in which they were asked, calls of the turn last. */
export function openQuestions({ turn, releases = [], audience, outbox, asked = [] }: Asking): readonly OpenQuestion[] {
  const stands = (reply: string): boolean => [...outbox, ...asked].some((each) => each.reply === reply);
  const texts = releases.filter(isUnanswered).map(({ id, of, code, hash, asks, question, askedAt }) => ({
    ...{ reply: `${id}:release:${of}`, call: code, hash, askedAt },
    name: asks?.name ?? (question === undefined ? "release" : "ask_person"),
  }));
  const calls = (turn?.calls ?? []).flatMap((item) => {
    // Whose word is somebody else's is asked elsewhere.
    if (item.status !== "asked" || (item.of !== undefined && item.of !== audience)) return [];
    const { call, hash, askedAt } = item;
    const reply = `${turn?.id ?? ""}:${call.callId}:approval`;
    const again = `${reply}:${hash.slice(0, 8)}`;
    return [
      {
        reply: stands(again) ? again : reply,
        call: call.callId,
        hash,
        askedAt,
        name: call.name,
        inTurn: true as const,
      },
    ];
  });
  const during = (turn?.questions ?? []).map(({ call, hash, name, askedAt }) => ({
    ...{ reply: `${turn?.id ?? ""}:${call}:question:${hash.slice(0, 8)}`, call, hash, askedAt, name },
    inTurn: true as const,
  }));
  return [...texts, ...calls, ...during];
}

/** Whether a question that was put into a chat still waits. Asked again, it is another one. */
export function isAsked(state: Asking, { call, hash }: Pick<ReplyQuestion, "call" | "hash">): boolean {
  const open = openQuestions(state);
  if (call === DIGEST) return open.length > 0 && digestIn(state)?.hash === hash;
  return open.some((each) => each.call === call && each.hash === hash);
}

/** The last one that was put into a chat: the others are over. */
export function digestIn({ asked = [] }: Pick<SessionState, "asked">): AskedInChat | undefined {
  return asked.findLast(({ call }) => call === DIGEST);
}

/** Questions that a digest speaks of, and that were not put into the chat themselves. */
export function heldQuestions(state: Asking): readonly OpenQuestion[] {
  const held = new Set(state.outbox.flatMap(({ reply, held: why }) => (why === "digest" ? [reply] : [])));
  return held.size === 0 ? [] : openQuestions(state).filter(({ reply }) => held.has(reply));
}

/** A question that is over by now leaves without its buttons. */
export function whileAsked({ question, ...reply }: QueuedReply, state: Asking): QueuedReply {
  return question !== undefined && isAsked(state, question) ? { ...reply, question } : reply;
}

/** What the platform is given of them: not what they do. */
export function buttonsOf({ actions }: ReplyQuestion): Pick<OutboundPiece, "actions"> {
  return actions.length === 0 ? {} : { actions: actions.map(({ token, label, style }) => ({ token, label, style })) };
}

type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;
type Releases = readonly AskedRelease[];

/** The answered ones too: what was asked is not asked again. The oldest gives way. */
const MAX_RELEASES = 50;
/** Of those that wait the oldest gives way, as if nobody had answered it. */
const MAX_WAITING = 200;

export function askedRelease(
  all: Releases = [],
  { type: _type, ...release }: Of<"release.asked">,
  askedAt: Millis,
): Releases {
  const now: Releases = [...all, { ...release, askedAt }];
  const over = now.filter((each) => !isUnanswered(each)).slice(-MAX_RELEASES);
  const kept = new Set([...over, ...now.filter(isUnanswered).slice(-MAX_WAITING)]);
  return now.filter((each) => kept.has(each));
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
