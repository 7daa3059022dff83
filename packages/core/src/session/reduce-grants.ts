/** The part of the fold about answers: what was allowed or refused, and what stays allowed in this conversation. */
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { onCall } from "./reduce-turn.ts";

/** Answered twice: the first answer counts. A yes that is to hold in this chat is kept with it. */
export function answer(
  state: SessionState,
  record: Extract<JournalRecord, { type: "approval.resolved" }>,
): SessionState {
  const asked = state.turn?.calls.find((item) => item.call.callId === record.call);
  if (asked?.status !== "asked") return state;
  const { call, effect, hash, grant } = asked;
  const next = onCall(state, record.call, () =>
    record.verdict === "allow"
      ? { status: "allowed", call, effect, hash }
      : { status: "denied", call, effect, reason: record.reason ?? `refused by ${record.by}` },
  );
  if (record.verdict === "deny" || record.remember !== "session" || grant === undefined) return next;
  const { always: _always, ...kept } = grant;
  return { ...next, grants: [...(state.grants ?? []), { ...kept, by: record.by, call: record.call }] };
}
