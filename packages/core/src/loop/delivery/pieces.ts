/** What of a reply has not left, piece by piece as its platform takes them. */
import { LATE_MS, textOf } from "../../lib/text.ts";
import type { Clock, Millis } from "../../contract/base.ts";
import type { OutboundMessage } from "../../contract/bus.ts";
import type { ContentPart } from "../../contract/message.ts";
import type { QueuedReply } from "../../contract/session.ts";
import { cutText, pieceOf, type Range } from "./split-text.ts";

export interface PiecesOptions {
  readonly clock: Clock;
  /** Marks a text that arrives late. */
  readonly late: (at: Millis) => string;
  readonly redact: (text: string) => string;
  /** Of one message there. */
  readonly maxChars: number;
}

export interface Piece extends Range {
  /** Its number, from 1. */
  readonly piece: number;
  readonly message: OutboundMessage;
}

export function* piecesOf(item: QueuedReply, { clock, late, redact, maxChars }: PiecesOptions): Generator<Piece> {
  const { left, leaving, reply, to, kind } = item;
  const text = wholeText(item, redact);
  const isLate = left === undefined && clock.now() - item.queuedAt > LATE_MS;
  const written = isLate ? `${late(item.queuedAt)}\n` : "";
  const mark = written.length < maxChars / 2 ? written : ""; // the words come first
  const from = left?.to ?? 0;
  const cuts = cutText(text, { from, maxChars, first: maxChars - mark.length });
  const media = item.parts.filter((part) => part.type === "media");
  let piece = left?.piece ?? 0;
  // What may have left is sent again as it was: the same key must not stand for other words.
  const again = leaving !== undefined && leaving.to <= text.length ? leaving : undefined;
  const fits = again !== undefined && mark.length + pieceOf(text, again).length <= maxChars;
  const ranges = fits ? withFirst(again, cutText(text, { from: again.to, maxChars })) : cuts;
  for (let next = ranges.next(); next.done !== true;) {
    const range = next.value;
    next = ranges.next();
    piece += 1;
    const words = (piece === 1 ? mark : "") + pieceOf(text, range);
    yield {
      piece,
      from: range.from,
      to: range.to,
      message: {
        // The platform's idempotency key: equal for equal pieces, whoever sends them again.
        reply: piece === 1 ? reply : `${reply}.${piece}`,
        to,
        kind,
        parts: [
          ...(words === "" ? [] : [{ type: "text", text: words } satisfies ContentPart]),
          ...(next.done === true ? media : []),
        ],
      },
    };
  }
}

function* withFirst(first: Range, rest: Generator<Range>): Generator<Range> {
  yield first;
  yield* rest;
}

/** What the pieces are cut from. Without known secrets: a cut must not go through one. */
function wholeText({ parts }: QueuedReply, redact: (text: string) => string): string {
  const text = redact(textOf(parts));
  return text.trim() === "" ? "" : text;
}
