// Messages in the order that every wire takes, made once: a request makes only the rows that are new.
import type { AssistantMessage, MediaPart, Message, ToolMessage } from "../../contract/message.ts";
import { startsWith } from "../../lib/async/growing-list.ts";
import {
  answerPieces,
  laterPieces,
  missingResult,
  orphanPieces,
  resultPieces,
  userPieces,
  type AnswerPiece,
  type Piece,
  type Reader,
  type ResultPieces,
} from "./pieces.ts";

export type Row =
  | { readonly role: "user"; readonly pieces: readonly Piece[] }
  | { readonly role: "assistant"; readonly pieces: readonly AnswerPiece[] }
  | { readonly role: "tool"; readonly results: readonly ResultPieces[] };

/**
 * Rows that no other message changes or merges with: from one answer to before the next, with what came between them.
 * The first begins the conversation, the last may still grow.
 */
export interface Segment {
  /** Place of its first message. */
  readonly from: number;
  readonly rows: readonly Row[];
  /** Which of its rows is the last one that a person began. */
  readonly turnRow: number | undefined;
  readonly media: readonly MediaPart[];
  /** What a wire made of it, once nothing changes it any more. */
  text?: string;
}

/**
 * Neighboring user rows and notices become one user row; results stand directly behind their calls; a call without a
 * result gets one; nothing starts with an answer. Remembers a history by its first message, so that it is forgotten
 * with its session.
 */
export function createRows(reader: Reader): (messages: readonly Message[]) => readonly Segment[] {
  const known = new WeakMap<
    Message,
    { readonly messages: readonly Message[]; readonly segments: readonly Segment[] }
  >();
  return (messages) => {
    const first = messages[0];
    const memory = first === undefined ? undefined : known.get(first);
    const open = memory?.segments.at(-1)?.from ?? 0;
    // Up to the answer that the open segment begins with: another one might have been left out or joined.
    const same = open > 0 && memory !== undefined && startsWith(messages, memory.messages, open + 1);
    const settled = same ? memory.segments.slice(0, -1) : [];
    const segments = [...settled, ...segmentsFrom(messages, settled.length === 0 ? 0 : open, reader)];
    if (first !== undefined) known.set(first, { messages, segments });
    return segments;
  };
}

/** What a wire has to know of a row's place. */
export interface Marked {
  /** Rows that a breakpoint stands behind. */
  readonly marks: ReadonlySet<Row>;
  /** Of the conversation. */
  readonly first: Row | undefined;
  readonly last: Row | undefined;
}

/** @param breakpoints Behind the last row of the previous turn, and the last row. */
export function markedRows(segments: readonly Segment[], breakpoints: boolean): Marked {
  const last = segments.at(-1)?.rows.at(-1);
  const turn = breakpoints ? segments.findLast((segment) => segment.turnRow !== undefined) : undefined;
  const previous = turn?.rows[(turn.turnRow ?? 0) - 1];
  const marks = new Set(breakpoints ? [previous, last].filter((row) => row !== undefined) : []);
  return { marks, first: segments[0]?.rows[0], last };
}

/**
 * The conversation as text. What was made before is taken as it is, but for the last segment, the marked ones, and those
 * with media.
 * @param apart The first segment has more in it than its rows.
 */
export function joinRows(
  segments: readonly Segment[],
  make: (rows: readonly Row[], at: Marked) => string,
  { breakpoints = false, apart = false }: { readonly breakpoints?: boolean; readonly apart?: boolean } = {},
): string {
  const at = markedRows(segments, breakpoints);
  const texts: string[] = [];
  for (const [place, segment] of segments.entries()) {
    const open = place === segments.length - 1 || (apart && place === 0) || segment.media.length > 0;
    const fresh = open || (at.marks.size > 0 && segment.rows.some((row) => at.marks.has(row)));
    const text = fresh ? make(segment.rows, at) : (segment.text ??= make(segment.rows, at));
    if (text !== "") texts.push(text);
  }
  return texts.join(",");
}

interface Growing {
  readonly from: number;
  readonly rows: Row[];
  turnRow: number | undefined;
  readonly media: MediaPart[];
}
interface Building {
  readonly reader: Reader;
  readonly done: Growing[];
  open: Growing;
  /** The user row that what follows joins. */
  user: Piece[] | undefined;
}

/** No wire takes a conversation that begins with an answer. */
const BEGINNING: Row = {
  role: "user",
  pieces: [{ type: "text", text: "(The conversation begins before this point.)" }],
};

/** @param from 0, or the `from` of a segment. */
function segmentsFrom(messages: readonly Message[], from: number, reader: Reader): readonly Segment[] {
  const building: Building = { reader, done: [], open: opened(from), user: undefined };
  let at = from;
  while (at < messages.length) {
    const message = messages[at];
    let next = at + 1;
    while (next < messages.length && messages[next]?.role !== "assistant") next++;
    if (message?.role === "assistant")
      addOthers(building, addAnswer(building, message, at, messages.slice(at + 1, next)));
    else addOthers(building, messages.slice(at, next));
    at = next;
  }
  closeUser(building);
  if (isEmpty(building)) building.open.rows.push({ role: "user", pieces: userPieces([]) });
  return [...building.done, building.open];
}

function opened(from: number): Growing {
  return { from, rows: [], turnRow: undefined, media: [] };
}

function isEmpty({ done, open }: Building): boolean {
  return open.from === 0 && done.length === 0 && open.rows.length === 0;
}

/** The answer and its results. @returns what stands behind them. */
function addAnswer(
  building: Building,
  message: AssistantMessage,
  at: number,
  behind: readonly Message[],
): readonly Message[] {
  const pieces = answerPieces(message, building.reader);
  if (pieces.length > 0) {
    closeUser(building);
    if (isEmpty(building)) building.open.rows.push(BEGINNING);
    else if (building.open.rows.length > 0 && building.open.rows.at(-1)?.role !== "assistant") {
      building.done.push(building.open);
      building.open = opened(at);
    }
    building.open.rows.push({ role: "assistant", pieces });
  }
  const calls = message.parts.filter((part) => part.type === "tool-call");
  if (calls.length === 0) return behind;
  const { quirks } = building.reader;
  const results = resultsOf(new Set(calls.map(({ callId }) => callId)), behind);
  const found = calls.map((call) => results.get(call.callId));
  building.open.rows.push({
    role: "tool",
    results: calls.map((call, place) => {
      const result = found[place];
      return result === undefined ? missingResult(call, quirks) : remembered(building, resultPieces(result, quirks));
    }),
  });
  for (const result of found) if (result !== undefined) addUser(building, laterPieces(result, quirks));
  const placed = new Set<Message>(results.values());
  return behind.filter((one) => !placed.has(one));
}

/** The first result of each call. */
function resultsOf(calls: ReadonlySet<string>, behind: readonly Message[]): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (const message of behind)
    if (message.role === "tool" && calls.has(message.callId) && !results.has(message.callId))
      results.set(message.callId, message);
  return results;
}

function addOthers(building: Building, others: readonly Message[]): void {
  for (const message of others) {
    if (message.role === "assistant") continue;
    if (message.role === "user") building.open.turnRow = building.open.rows.length;
    addUser(
      building,
      message.role === "tool"
        ? orphanPieces(message)
        : message.role === "user"
          ? userPieces(message.parts)
          : [{ type: "text", text: message.text.toWellFormed() }],
    );
  }
}

function addUser(building: Building, pieces: readonly Piece[]): void {
  if (pieces.length === 0) return;
  for (const piece of pieces) if (piece.type === "media") building.open.media.push(piece);
  (building.user ??= []).push(...pieces);
}

function closeUser(building: Building): void {
  if (building.user !== undefined) building.open.rows.push({ role: "user", pieces: building.user });
  building.user = undefined;
}

function remembered(building: Building, result: ResultPieces): ResultPieces {
  if (typeof result.content !== "string")
    for (const piece of result.content) if (piece.type === "media") building.open.media.push(piece);
  return result;
}
