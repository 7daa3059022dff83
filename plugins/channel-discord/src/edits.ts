/** A message of ours says something else, or goes. */
import type { Address, OutboundPiece } from "@margay/core/plugin";
import { componentsOf } from "./buttons.ts";
import { faultOf } from "./faults.ts";
import { Refusal } from "./rest.ts";
import { channelOf, contentOf, type Sender, SUPPRESS_EMBEDS } from "./send.ts";

/** Discord's number for a message that is not there. */
const UNKNOWN_MESSAGE = 10_008;

/** Nobody is called by what changed. @throws a fault. */
export async function editPiece(
  platformId: string,
  piece: OutboundPiece,
  { rest, host }: Sender,
  signal: AbortSignal,
): Promise<void> {
  try {
    await rest.call("PATCH", pathOf(platformId, channelOf(piece.to, host)), {
      signal,
      body: {
        content: contentOf(piece),
        components: componentsOf(piece),
        allowed_mentions: { parse: [] },
        flags: SUPPRESS_EMBEDS,
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}

/** One that is gone is no error. @throws a fault. */
export async function removeMessage(
  platformId: string,
  to: Address,
  { rest, host }: Sender,
  signal: AbortSignal,
): Promise<void> {
  try {
    await rest.call("DELETE", pathOf(platformId, channelOf(to, host)), { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal && error.code === UNKNOWN_MESSAGE) return;
    throw faultOf(error, host);
  }
}

function pathOf(message: string, channel: string): string {
  return `/channels/${channel}/messages/${message}`;
}
