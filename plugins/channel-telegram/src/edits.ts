/** A message of ours says something else, or goes. */
import type { Address, OutboundPiece } from "@margay/core/plugin";
import { Refusal } from "./api.ts";
import { faultOf } from "./faults.ts";
import { keyboardOf } from "./outgoing.ts";
import { aimOf, type Sender } from "./send.ts";

/** @throws a fault; `markup` when Telegram cannot read it. */
export async function editPiece(
  platformId: string,
  piece: OutboundPiece,
  { api, host }: Sender,
  signal: AbortSignal,
): Promise<void> {
  const plain = piece.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const { chat_id } = aimOf(piece.to, host);
  try {
    await api.call(
      "editMessageText",
      {
        chat_id,
        message_id: Number(platformId),
        text: piece.rendered?.text ?? plain,
        ...(piece.rendered !== undefined && { parse_mode: "HTML" }),
        link_preview_options: { is_disabled: true },
        ...keyboardOf(piece),
      },
      { signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    // It says so already.
    if (error instanceof Refusal && /message is not modified/i.test(error.message)) return;
    if (piece.rendered !== undefined && error instanceof Refusal && /can't parse entities/i.test(error.message))
      throw host.fault("markup", `Telegram cannot read the markup: ${error.message}. It is sent as plain text.`, {
        cause: error,
        sent: "no",
      });
    throw faultOf(error, host);
  }
}

/** One that is gone is no error. @throws a fault. */
export async function removeMessage(
  platformId: string,
  to: Address,
  { api, host }: Sender,
  signal: AbortSignal,
): Promise<void> {
  const { chat_id } = aimOf(to, host);
  try {
    await api.call("deleteMessage", { chat_id, message_id: Number(platformId) }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal && /message to delete not found/i.test(error.message)) return;
    throw faultOf(error, host);
  }
}
