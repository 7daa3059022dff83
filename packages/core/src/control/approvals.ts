/** What waits for a person, over all sessions. */
import type { Approval } from "../contract/agent.ts";
import type { Millis } from "../contract/base.ts";
import { choicesOf } from "../lib/approval-choices.ts";
import type { CallState, SessionState, SessionStore } from "../contract/session.ts";
import { sessionsAtWork } from "../loop/lanes/sessions-at-work.ts";

/** Clocks are corrected by seconds all the time. */
const CLOCK_SLACK_MS = 60_000;

type Asked = Extract<CallState, { status: "asked" }>;

/** Whether a yes still counts. Before it was asked: the clock was set back, and how old the question is nobody knows. */
export function isOpen({ askedAt, expiresAt }: Pick<Asked, "askedAt" | "expiresAt">, now: Millis): boolean {
  return expiresAt > now && now >= askedAt - CLOCK_SLACK_MS;
}

export async function pendingApprovals(sessions: SessionStore, now: () => Millis): Promise<readonly Approval[]> {
  const found = await sessionsAtWork(sessions, sessions.find);
  return found.flatMap(({ state }) => approvalsOf(state, now()));
}

function approvalsOf(state: SessionState, now: Millis): readonly Approval[] {
  const { turn } = state;
  if (turn === undefined) return [];
  const asked = turn.calls.flatMap((item) =>
    item.status === "asked" && isOpen(item, now)
      ? [
          {
            session: state.id,
            sessionKey: state.key,
            turn: turn.id,
            call: item.call.callId,
            name: item.call.name,
            prompt: item.prompt,
            hash: item.hash,
            expiresAt: item.expiresAt,
            choices: choicesOf(item.grant),
            ...(item.grant !== undefined && { grant: item.grant }),
          },
        ]
      : [],
  );
  const during = (turn.questions ?? []).flatMap((question) =>
    isOpen(question, now)
      ? [
          {
            session: state.id,
            sessionKey: state.key,
            turn: turn.id,
            call: question.call,
            name: question.name,
            prompt: question.prompt,
            hash: question.hash,
            expiresAt: question.expiresAt,
            choices: choicesOf(question.grant),
            during: true as const,
            ...(question.grant !== undefined && { grant: question.grant }),
          },
        ]
      : [],
  );
  return [...asked, ...during];
}
