/** Whether something left: Slack keeps our key with each message, and we keep the ids of the files. */
import type { Json, OutboundPiece } from "@margay/core/plugin";
import type { Sender } from "./account.ts";
import { placeOf } from "./address.ts";
import { faultOf } from "./faults.ts";
import { readBack } from "./history.ts";
import { isRecord, recordsOf, textOf, type Wire } from "./json.ts";
import { isOwn } from "./message.ts";
import { tsOf, type Place } from "./places.ts";
import { uploadsOf } from "./upload.ts";

/** What of a piece is there. */
export interface Sent {
  /** Of its text: `channel:ts`. */
  readonly id: string | undefined;
  readonly hasFiles: boolean;
  /** The chat is so full that it may lie further back. */
  readonly isUnsure: boolean;
}

/** Slack keeps it with the message. */
export const EVENT_TYPE = "margay";
const PAGES = 3;
/** The clock of Slack and ours differ. */
const SKEW_MS = 600_000;
const DAY_MS = 86_400_000;

type Found = { readonly status: "sent"; readonly id?: string } | { readonly status: "not-sent" } | undefined;

/** @throws a fault. */
export async function findSent(
  piece: OutboundPiece,
  since: number,
  sender: Sender,
  signal: AbortSignal,
): Promise<Found> {
  const { host } = sender;
  try {
    const to = await placeOf(piece.to, sender, signal);
    const { id, hasFiles, isUnsure } = await sentOf(piece, to, since, sender, signal);
    const [wantsText, wantsFiles] = [
      piece.parts.some((part) => part.type === "text" && part.text.trim() !== ""),
      piece.parts.some((part) => part.type === "media"),
    ];
    if ((id !== undefined || !wantsText) && (hasFiles || !wantsFiles))
      return { status: "sent", ...(id !== undefined && { id }) };
    return isUnsure ? undefined : { status: "not-sent" };
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}

/** @throws Refusal, NoAnswer; the reason of the signal. */
export async function sentOf(
  { reply }: Pick<OutboundPiece, "reply">,
  to: Place,
  since: number | undefined,
  sender: Sender,
  signal: AbortSignal,
): Promise<Sent> {
  const { host } = sender;
  const me = await sender.who(signal);
  const begin = Math.max(0, (since ?? host.clock.now() - DAY_MS) - SKEW_MS);
  const { messages, isCut } = await readBack(to, tsOf(begin), PAGES, sender, signal);
  const ours = messages.filter((message) => isOwn(message, me)); // another app may say what it likes
  const text = ours.find((message) => keyOf(message) === reply);
  const ids = uploadsOf(host.state.value.bind(host.state), reply);
  const hasFiles =
    ids.length > 0 && ours.some(({ files }) => recordsOf(files).some(({ id }) => ids.includes(String(id))));
  return {
    id: text === undefined ? undefined : `${to.channel}:${textOf(text["ts"]) ?? ""}`,
    hasFiles,
    isUnsure: isCut,
  };
}

function keyOf({ metadata }: Wire): Json | undefined {
  if (!isRecord(metadata) || metadata["event_type"] !== EVENT_TYPE || !isRecord(metadata["event_payload"]))
    return undefined;
  return textOf(metadata["event_payload"]["reply"]);
}
