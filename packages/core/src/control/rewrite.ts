/** A message that waits, changed by its author where it stands. */
import type { Agent } from "../contract/agent.ts";
import type { Sender, UserMessage } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import { openingOf } from "../loop/placement.ts";

type Change = Parameters<Agent["rewrite"]>[2];

interface Rewriting {
  readonly by: Sender;
  readonly redact: (text: string) => string;
}

/** @returns false when it does not wait any more, a turn has begun with it, or it is not theirs. */
export async function rewrite(
  session: Session,
  id: string,
  { text, mode }: Change,
  { by, redact }: Rewriting,
): Promise<boolean> {
  const { pending, turn } = session.state;
  const item = pending.find(({ message }) => message.id === id);
  // Without a turn it is being taken up at this moment.
  if (item === undefined || turn === undefined || item.message.from.id !== by.id) return false;
  if (openingOf(session.state).includes(item)) return false;
  const message: UserMessage =
    text === undefined
      ? { ...item.message }
      : { ...item.message, parts: [{ type: "text", text: redact(text) }, ...withoutText(item.message)] };
  await session.commit({ type: "message.edited", message, ...(mode !== undefined && { mode }) });
  // It may have been placed in the same moment: what the journal has first counts.
  return session.state.pending.some((now) => now.message === message);
}

/** Its files, and what was written down of a voice note. */
function withoutText({ parts }: UserMessage): UserMessage["parts"] {
  return parts.filter((part) => part.type !== "text" || part.transcript === true);
}
