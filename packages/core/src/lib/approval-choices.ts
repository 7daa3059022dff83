/** Questions for a person: for how long a yes can hold, whether they still wait, and their buttons. */
import type { OutboundPiece } from "../contract/channel.ts";
import type { ReplyQuestion } from "../contract/record.ts";
import type { QueuedReply } from "../contract/bus.ts";
import type { AskedRelease } from "../contract/release.ts";
import type { SessionState } from "../contract/session.ts";

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

/** Of what somebody else would be told. */
export function isUnanswered({ verdict, closed }: Pick<AskedRelease, "verdict" | "closed">): boolean {
  return verdict === undefined && closed === undefined;
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
