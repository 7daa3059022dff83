/** The part of the fold about texts that wait for the word of whom they belong to. */
import type { Millis } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { AskedRelease } from "../contract/release.ts";
import type { SessionState } from "../contract/session.ts";
import { isUnanswered } from "../lib/approval-choices.ts";
import { withAnswer } from "./reduce-asked.ts";

type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;

/** The answered ones too: what was asked is not asked again. The oldest gives way, as if nobody had answered it. */
const MAX_RELEASES = 50;

export function askRelease(state: SessionState, record: Of<"release.asked">, at: Millis): SessionState {
  const { type: _type, ...release } = record;
  return { ...state, releases: [...(state.releases ?? []), { ...release, askedAt: at }].slice(-MAX_RELEASES) };
}

/** The first answer counts. */
export function answerRelease(state: SessionState, record: Of<"release.answered">): SessionState {
  const { verdict, parts, marks } = record;
  const asked = state.releases?.find(({ id }) => id === record.release);
  if (asked === undefined || !isUnanswered(asked)) return state;
  const own = parts !== undefined && { parts, marks: marks ?? {}, then: [] };
  return withAnswer(changed(state, asked, { verdict, ...own }), record, asked.hash);
}

export function closeRelease(state: SessionState, { release }: Of<"release.closed">): SessionState {
  const asked = state.releases?.find(({ id }) => id === release);
  return asked === undefined ? state : changed(state, asked, { closed: true });
}

/** Whether there is something left to do about it. */
export function isOpenRelease({ verdict, closed }: AskedRelease): boolean {
  return closed === undefined && verdict !== "deny";
}

function changed(state: SessionState, asked: AskedRelease, now: Partial<AskedRelease>): SessionState {
  return {
    ...state,
    releases: (state.releases ?? []).map((each) => (each === asked ? { ...asked, ...now } : each)),
  };
}
