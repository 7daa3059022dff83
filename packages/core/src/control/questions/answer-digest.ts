/** What is done with a digest of questions: the next one is asked, or all are refused. None is ever allowed unread. */
import type { Control } from "../../contract/bus.ts";
import type { Speaker } from "../../contract/people.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import { heldQuestions, openQuestions, type OpenQuestion } from "../../lib/approval-choices.ts";
import { mayAnswer } from "../who-may.ts";

/** @param also what is committed with it. @returns false when each of them was asked already. */
export async function askNext(session: Session, also: () => readonly JournalRecord[]): Promise<boolean> {
  const held = new Set(heldQuestions(session.state).map(({ reply }) => reply));
  const first = session.state.outbox.find(({ reply }) => held.has(reply));
  if (first === undefined) return false;
  await session.commit({ type: "reply.held", reply: first.reply }, ...also());
  return true;
}

/** Those that are theirs to answer. What was not asked stands first: the end of what stands there brings the next of them. */
export function questionsFor(session: Session, who: Speaker, mayAll: boolean): readonly OpenQuestion[] {
  const held = heldQuestions(session.state);
  const isHeld = ({ reply }: OpenQuestion): boolean => held.some((each) => each.reply === reply);
  const others = openQuestions(session.state).filter((each) => !isHeld(each));
  return [...held, ...others].filter((each) => mayAnswer(session, each, who, mayAll));
}

/** @returns how many. */
export async function denyAll(
  questions: readonly OpenQuestion[],
  deny: (action: Extract<Control, { type: "allow" | "deny" }>) => Promise<boolean>,
): Promise<number> {
  let denied = 0;
  for (const { call, hash } of questions) if (await deny({ type: "deny", call, hash })) denied += 1;
  return denied;
}

/** Who says yes or no without naming one means one that they have seen. */
export function unseenIn(state: SessionState): ReadonlySet<string> {
  return new Set(heldQuestions(state).map(({ call }) => call));
}
