/** The end of a session's work when everything is stopped. */
import type { Sender } from "../../contract/message.ts";
import type { Session } from "../../contract/session.ts";
import { openingOf } from "../placement.ts";

/** What a stopped agent does with a session that has something to do: what is open ends, what waits is withdrawn. */
export async function endWork(session: Session): Promise<void> {
  const { turn, pending } = session.state;
  const by: Sender = { id: "emergency-stop", kind: "agent" };
  const opening = openingOf(session.state);
  const waiting = pending.filter((item) => !opening.includes(item)).map((item) => item.message.id);
  if (turn?.cancelled === false) await session.record({ type: "turn.cancelled", turn: turn.id, by });
  if (waiting.length > 0) await session.record({ type: "messages.withdrawn", ids: waiting, by });
}
