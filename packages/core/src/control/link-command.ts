/** `/link`: a second account of somebody who is known here. Each of the two chats says its part, and nobody else reads along. */
import type { InboundMessage } from "../contract/bus.ts";
import type { CommandActions } from "./actions.ts";
import type { Address, Sender } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import { isGroup } from "../lib/audience.ts";
import type { CommandTexts } from "./command-texts.ts";

interface Call {
  readonly session: Session;
  readonly message: Pick<InboundMessage, "chat">;
  readonly by: Sender;
  readonly origin: Address;
  readonly argument: string | undefined;
  readonly actions: Pick<CommandActions, "link" | "speaker">;
  readonly texts: Pick<CommandTexts, "linkOff" | "linkPrivate" | "notAllowed">;
}

/** Behind `/link` in the chat that gave the code. Anything else is a code, and comes from the other one. */
const OF_THE_FIRST: readonly (string | undefined)[] = [undefined, "yes", "no"];

/** @returns what is answered. */
export async function linkCommand({
  session: { state },
  message: { chat },
  by,
  origin,
  argument,
  actions: { link, speaker },
  texts,
}: Call): Promise<string> {
  if (link === undefined) return texts.linkOff;
  if (chat === "group" || isGroup(state.audience)) return texts.linkPrivate;
  const word = argument?.toLowerCase();
  const { role, audience } = speaker(by, origin);
  if (OF_THE_FIRST.includes(word)) {
    if (role === "guest") return texts.notAllowed;
    // A code that others can read is theirs as well.
    if (audience !== state.audience) return texts.linkPrivate;
  }
  const answer = await link({
    by,
    origin,
    session: state.key,
    ...(chat !== undefined && { chat }),
    ...(word !== undefined && { word }),
  });
  return answer ?? texts.linkPrivate;
}
