/** Which waiting messages may be put before the model now. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { SessionState, Waiting } from "../contract/session.ts";
import { sameAddress } from "../lib/session-key.ts";
import { addedTo, fetchedOf } from "../lib/text.ts";

/** The message that opened the turn, while it waits: a turn can be stopped, or compact, before its first request. */
export function openingOf({ turn, pending }: SessionState): readonly Waiting[] {
  return pending.slice(0, 1).filter((item) => item.message.id === turn?.opening);
}

/** Something else has come to its end: no person waits for an answer to it. */
export function isResult({ message }: Waiting): boolean {
  return message.from.kind === "agent";
}

/**
 * What a turn opens with: its message, the results that wait by then, and, when it had waited on its platform, the others that
 * had. Ten of them are one piece of news, not ten turns. With it comes what its sender added at once.
 */
export function openedWith(state: SessionState): readonly Waiting[] {
  const [opening] = openingOf(state);
  if (opening === undefined) return [];
  const isLate = (item: Waiting): boolean =>
    opening.late === true && item.late === true && sameAddress(item.replyTo, opening.replyTo);
  const others = fetchedOf(state.pending).slice(1);
  const added = addedTo(opening, others);
  return [opening, ...others.filter((item, place) => isResult(item) || isLate(item) || place < added)];
}

/** What may be put before the model now. The first message opens the turn, results wait with it; later ones only from persons whose answer goes to the same chat. */
export function placeable(state: SessionState, settings: AgentSettings, opening: boolean): readonly Waiting[] {
  const { turn, pending } = state;
  if (turn === undefined) return [];
  const placed = opening ? [...openedWith(state)] : [];
  if (!settings.steering || !turn.steerable) return placed;
  for (const item of fetchedOf(pending)) {
    if (placed.includes(item)) continue;
    if (item.mode === "queue" || item.message.from.kind !== "person" || !sameAddress(item.replyTo, turn.replyTo)) break;
    placed.push(item);
  }
  return placed;
}
