/** What of a reply has not left, piece by piece as its platform takes them. */
import { buttonsOf } from "../lib/approval-choices.ts";
import { LATE_MS, shownText } from "../lib/text.ts";
import type { Clock, Millis } from "../contract/base.ts";
import type { ChannelCan, OutboundPiece } from "../contract/channel.ts";
import type { ContentPart } from "../contract/message.ts";
import type { QueuedReply } from "../contract/bus.ts";

/** Where a piece lies in its text: what has left is known by that, whatever is cut how later. */
interface Range {
  readonly from: number;
  readonly to: number;
}
/** A piece in the dialect of its platform, and without any markup. */
interface Printed extends Range {
  readonly text: string;
  readonly plain: string;
}
/** Cuts what the model wrote, and prints it. */
export interface Printer {
  /** The rest of a text. @param first the room for the first piece. */
  cut(text: string, options: { readonly from: number; readonly first: number }): Iterable<Printed>;
  /** What lies there, as it was printed before. Undefined: it is longer than `room` by now. */
  print(text: string, range: Range, room: number): Printed | undefined;
  /** Something in front of a piece. */
  join(before: string, piece: string): string;
}

export interface PiecesOptions {
  readonly clock: Clock;
  /** Marks a text that arrives late. */
  readonly late: (at: Millis) => string;
  readonly redact: (text: string) => string;
}

export interface Piece extends Range {
  /** Its number, from 1. */
  readonly piece: number;
  readonly message: OutboundPiece;
}

/** What of a reply is sent, and how. */
export interface Cut {
  readonly text: string;
  /** Files that the platform takes. */
  readonly media: readonly ContentPart[];
  /** In front of it: when it was written, when that is long ago. */
  readonly mark: string;
  /** What is sent as it was written is neither read nor cut. */
  readonly isWhole: boolean;
}

export function cutOf(
  item: QueuedReply,
  { text: can, media }: ChannelCan,
  { clock, late, redact }: PiecesOptions,
): Cut {
  const isTaken = (part: ContentPart): boolean => part.type === "media" && part.blob.bytes <= (media?.maxBytes ?? -1);
  // Without known secrets: a cut must not go through one. Of a file that the platform does not take its name is said.
  const whole = redact(shownText(item.parts.filter((part) => !isTaken(part))));
  const text = whole.trim() === "" ? "" : whole;
  const isLate = item.left === undefined && clock.now() - item.queuedAt > LATE_MS;
  const written = isLate ? late(item.queuedAt) : "";
  const mark = written.length < can.max / 2 ? written : ""; // the words come first
  const length = text.length + (mark === "" ? 0 : mark.length + 1);
  const fits = can.dialect === "markdown" && (item.left?.to ?? 0) === 0 && length <= can.max;
  return { text, mark, media: item.parts.filter(isTaken), isWhole: text === "" || fits };
}

/** What did not arrive is another message the next time: a platform that knows the first one would drop it. */
export function pieceKey({ reply, again }: Pick<QueuedReply, "reply" | "again">, piece: number): string {
  return `${reply}${again === undefined ? "" : `~${again}`}${piece === 1 ? "" : `.${piece}`}`;
}

/** @param print Undefined when it is sent whole. */
export function* piecesOf(
  item: QueuedReply,
  can: ChannelCan["text"],
  { text, mark, media }: Cut,
  print: Printer | undefined,
): Generator<Piece> {
  const { left, leaving, to, kind, marks } = item;
  const from = left?.to ?? 0;
  if (left !== undefined && from >= text.length) return;
  const room = can.max - (mark === "" ? 0 : mark.length + 1);
  // What may have left is sent again as it was: the same key must not stand for other words.
  const again = leaving !== undefined && leaving.to <= text.length ? print?.print(text, leaving, room) : undefined;
  const rest = print?.cut(text, { from: again?.to ?? from, first: again === undefined ? room : can.max }) ?? [
    { from, to: text.length, text, plain: text },
  ];
  let piece = left?.piece ?? 0;
  const ranges = withFirst(again, rest);
  for (let next = ranges.next(); next.done !== true;) {
    const { value: range } = next;
    next = ranges.next();
    piece += 1;
    const front = (words: string, join: (a: string, b: string) => string): string =>
      piece > 1 || mark === "" ? words : join(mark, words);
    const plain = front(can.dialect === "markdown" ? range.text : range.plain, (a, b) => `${a}\n${b}`);
    yield {
      piece,
      from: range.from,
      to: range.to,
      message: {
        // The platform's idempotency key: equal for equal pieces, whoever sends them again.
        reply: pieceKey(item, piece),
        to,
        kind,
        ...(item.silent === true && { silent: true }),
        // What goes on into another chat stays whose it is there.
        ...(marks !== undefined && { marks }),
        parts: [
          ...(plain === "" ? [] : [{ type: "text", text: plain } satisfies ContentPart]),
          ...(next.done === true ? media : []),
        ],
        ...(leaving?.piece === piece && leaving.doubt !== "none" && { repeated: true }),
        ...(next.done === true && item.question && buttonsOf(item.question)),
        ...(can.dialect !== "markdown" &&
          print !== undefined && { rendered: { text: front(range.text, print.join), plain } }),
      },
    };
  }
}

function* withFirst(first: Printed | undefined, rest: Iterable<Printed>): Generator<Printed> {
  if (first !== undefined) yield first;
  yield* rest;
}

/** A sentence of ours is not read aloud, and is not cut where the words were that it stands for: those may have left. */
export function instead({ voice: _voice, leaving, ...item }: QueuedReply, text: string): QueuedReply {
  return { ...item, ...(leaving && { leaving: { ...leaving, to: Infinity } }), parts: [{ type: "text", text }] };
}
