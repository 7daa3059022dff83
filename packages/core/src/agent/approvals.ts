/** What waits for a person, over all sessions. */
import type { Approval } from "../contract/agent.ts";
import { choicesOf } from "../lib/choices.ts";
import type { SessionState, SessionStore } from "../contract/session.ts";

export async function pendingApprovals(sessions: SessionStore): Promise<readonly Approval[]> {
  const list: Approval[] = [];
  for (const { key, fault, settled } of await sessions.list()) {
    if (fault !== undefined || settled === true) continue; // reported at start; nothing waits
    const session = await sessions.find(key);
    if (session !== undefined) list.push(...approvalsOf(session.state));
  }
  return list;
}

export function approvalsOf(state: SessionState): readonly Approval[] {
  const { turn } = state;
  if (turn === undefined) return [];
  return turn.calls.flatMap((item) =>
    item.status === "asked"
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
}
