/** What leaves the context when a new epoch opens. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ContentPart, KeptRows, Message } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { formOf } from "../session/kept-rows.ts";
import { SLICE_CHARS, type TokenCounter } from "../context/tokens.ts";

export interface Cut {
  readonly gone: readonly Message[];
  /** To the end of the context: what comes while its summary is written stays. */
  readonly kept: readonly (Message | KeptRows)[];
  /** Transcript rows in `gone`. */
  readonly rows: number;
}

/** The messages of a context, the form in which they are replayed, and how much follows each place. */
export interface Measured {
  readonly messages: readonly Message[];
  readonly forms: readonly Message[];
  /** Tokens from a place on, as they are and in their form. */
  readonly whole: Float64Array;
  readonly cut: Float64Array;
}

/** Each message is looked at once, however many places are tried, and with turns of the event loop in between. */
export async function measure(
  messages: readonly Message[],
  settings: Pick<AgentSettings, "toolResultChars">,
  { message: tokens, unread }: Pick<TokenCounter, "message" | "unread">,
  pause: () => Promise<void>,
): Promise<Measured> {
  const forms = [...messages];
  const whole = new Float64Array(messages.length + 1);
  const cut = new Float64Array(messages.length + 1);
  let chars = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    const form = formOf(message, settings.toolResultChars);
    chars += LOOK_CHARS + unread(message) + (form === message ? 0 : unread(form));
    forms[at] = form;
    whole[at] = whole[at + 1]! + tokens(message);
    cut[at] = cut[at + 1]! + tokens(form);
    if (chars < SLICE_CHARS) continue;
    chars = 0;
    await pause();
  }
  return { messages, forms, whole, cut };
}

/** Looking at a message that was counted before takes as long as reading so many characters. */
const LOOK_CHARS = 8;

/** Between turns: the last `keep` rows stay, from a user row on; fewer when they do not fit. */
export function cutByRows(
  state: SessionState,
  settings: AgentSettings,
  measured: Measured,
  fits: (tokens: number) => boolean,
): Cut {
  const keep =
    settings.memoryKeep === "half"
      ? Math.min(10, Math.max(2, Math.floor(settings.memoryWindow / 2)))
      : settings.memoryKeep === "window"
        ? settings.memoryWindow
        : settings.memoryKeep;
  const { messages } = state;
  const rows = messages.filter(isRow).length;
  const target = indexOfRow(messages, Math.max(0, rows - keep));
  // What stays must not be due again at once, and at least one row must go: it would be cut again, without end.
  const first = messages.findIndex(isRow);
  const due = (stay: number): boolean => stay > settings.memoryWindow - (settings.memoryTrigger === "reach" ? 1 : 0);
  const starts: number[] = [];
  for (let index = 0, stay = rows; index < messages.length; index++) {
    if (messages[index]!.role === "user" && index > first && !due(stay)) starts.push(index);
    if (isRow(messages[index]!)) stay -= 1;
  }
  const round = lastRound(messages);
  const at =
    starts.findLast((index) => index <= target) ??
    starts.find((index) => index > target) ??
    (round !== undefined && round > first ? round : messages.length);
  const fitsAt = (index: number): boolean => fits(tokensOf(measured, withNotices(messages, index)));
  const smaller = starts.filter((index) => index > at);
  const place = fitsAt(at) ? at : (firstFitting(smaller, fitsAt) ?? smaller.at(-1) ?? at);
  return split(messages, withNotices(messages, place), settings);
}

/** The rows that a consolidation beside the lane has covered leave; what was said meanwhile stays. */
export function cutHead(state: SessionState, settings: AgentSettings, gone: number): Cut {
  const { messages, turn } = state;
  return split(messages, gone, settings, turn === undefined ? messages.length : currentUser(messages));
}

/**
 * In a turn: the earliest cut that fits. The current user message and the newest round stay
 * whole; a round is never split.
 */
export function cutByTokens(
  state: SessionState,
  settings: AgentSettings,
  measured: Measured,
  fits: (tokens: number) => boolean,
): Cut {
  const { messages } = state;
  const current = currentUser(messages);
  const starts = messages.flatMap((message, index) => (message.role === "user" && index <= current ? [index] : []));
  const at = firstFitting(starts.slice(1), (start) => fits(tokensOf(measured, withNotices(messages, start), current)));
  if (at !== undefined) return split(messages, withNotices(messages, at), settings, current);
  const first = withNotices(messages, current);
  const opened = measured.whole[first]! - measured.whole[current + 1]!;
  const rounds = messages.flatMap((message, index) => (index > current && message.role === "assistant" ? [index] : []));
  const round = rounds.find((index) => fits(opened + measured.whole[index]!)) ?? rounds.at(-1);
  if (round === undefined) return split(messages, first, settings, current);
  const gone = [...messages.slice(0, first), ...messages.slice(current + 1, round)];
  return { gone, kept: [{ places: [first, current + 1] }, { places: [round] }], rows: gone.filter(isRow).length };
}

/** Of what `split` keeps. */
function tokensOf({ messages, whole, cut }: Measured, at: number, current: number = messages.length): number {
  const wholeFrom = Math.max(at, withNotices(messages, current));
  return cut[at]! - cut[wholeFrom]! + whole[wholeFrom]!;
}

/** The first place that fits. A later cut keeps less, so that half of the places are left out at each look. */
function firstFitting(places: readonly number[], fits: (place: number) => boolean): number | undefined {
  let found: number | undefined;
  for (let from = 0, to = places.length; from < to;) {
    const middle = (from + to) >> 1;
    const place = places[middle]!;
    if (fits(place)) {
      found = place;
      to = middle;
    } else from = middle + 1;
  }
  return found;
}

/** Every image becomes a line that says why it is gone. */
export function withoutMedia(state: SessionState): Cut {
  const placeholder = (parts: readonly ContentPart[]): readonly ContentPart[] =>
    parts.map((part) =>
      part.type === "media"
        ? { type: "text", text: `[image: ${part.name ?? "image"}, not delivered: the model's provider rejected it]` }
        : part,
    );
  const kept: (Message | KeptRows)[] = [];
  let from = 0;
  for (const [at, message] of state.messages.entries()) {
    if (message.role !== "user" && message.role !== "tool") continue;
    if (message.parts.every(({ type }) => type === "text")) continue;
    kept.push({ places: [from, at] }, { ...message, parts: placeholder(message.parts) });
    from = at + 1;
  }
  return { gone: [], kept: [...kept, { places: [from] }], rows: 0 };
}

function split(
  messages: readonly Message[],
  at: number,
  settings: AgentSettings,
  current: number = messages.length,
): Cut {
  const gone = messages.slice(0, at);
  const wholeFrom = Math.max(at, withNotices(messages, current));
  const chars = settings.toolResultChars;
  const kept: readonly KeptRows[] =
    current < messages.length
      ? [{ places: [at, wholeFrom], chars }, { places: [wholeFrom] }]
      : [{ places: [at], chars }];
  return { gone, kept, rows: gone.filter(isRow).length };
}

function isRow(message: Message): boolean {
  return message.role !== "notice";
}

function indexOfRow(messages: readonly Message[], row: number): number {
  let seen = 0;
  const at = messages.findIndex((message) => isRow(message) && seen++ === row);
  return at < 0 ? messages.length : at;
}

/** Notices belong to the message they stand before. */
function withNotices(messages: readonly Message[], at: number): number {
  let start = at;
  while (
    start > 0 &&
    messages[start - 1]?.role === "notice" &&
    (messages[start - 1] as { kind?: string }).kind !== "summary"
  )
    start--; // role says notice
  return start;
}

function lastRound(messages: readonly Message[]): number | undefined {
  const at = messages.findLastIndex((message) => message.role === "assistant");
  return at < 0 ? undefined : at;
}

/** The message the current turn answers: the last user row. */
function currentUser(messages: readonly Message[]): number {
  return Math.max(
    0,
    messages.findLastIndex((message) => message.role === "user"),
  );
}
