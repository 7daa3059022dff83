/** What leaves the context when a new epoch opens, and the form in which the rest is replayed. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ContentPart, Message } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";

export interface Cut {
  readonly gone: readonly Message[];
  readonly kept: readonly Message[];
  /** Transcript rows in `gone`. */
  readonly rows: number;
}

/** Nothing leaves; what stays is replayed in the cut form. */
export function keepAll(state: SessionState, settings: AgentSettings): Cut {
  return { gone: [], kept: cutForm(state.messages, settings), rows: 0 };
}

/** Between turns: the last `keep` rows stay, from a user row on; fewer when they do not fit. */
export function cutByRows(
  state: SessionState,
  settings: AgentSettings,
  fits: (messages: readonly Message[]) => boolean = () => true,
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
  let before = 0;
  const starts = messages.flatMap((message, index) => {
    const stay = rows - before;
    if (isRow(message)) before += 1;
    return message.role === "user" && index > first && !due(stay) ? [index] : [];
  });
  const round = lastRound(messages);
  const at =
    starts.findLast((index) => index <= target) ??
    starts.find((index) => index > target) ??
    (round !== undefined && round > first ? round : messages.length);
  const cut = split(messages, withNotices(messages, at), settings);
  if (fits(cut.kept)) return cut;
  const smaller = starts.filter((index) => index > at);
  const cutAt = (index: number): Cut => split(messages, withNotices(messages, index), settings);
  const last = smaller.at(-1);
  return firstFitting(smaller, cutAt, ({ kept }) => fits(kept)) ?? (last === undefined ? cut : cutAt(last));
}

/** The rows that a consolidation beside the lane has covered leave; what was said meanwhile stays. */
export function cutHead(state: SessionState, settings: AgentSettings, gone: number): Cut {
  const { messages, turn } = state;
  return split(messages, gone, settings, turn === undefined ? messages.length : currentUser(messages));
}

/**
 * In a turn: the earliest cut that leaves at most `target` tokens. The current user message and the newest round stay
 * whole; a round is never split.
 */
export function cutByTokens(
  state: SessionState,
  settings: AgentSettings,
  target: number,
  size: (messages: readonly Message[]) => number,
): Cut {
  const { messages } = state;
  const current = currentUser(messages);
  const starts = messages.flatMap((message, index) => (message.role === "user" && index <= current ? [index] : []));
  const cut = firstFitting(
    starts.slice(1),
    (start) => split(messages, withNotices(messages, start), settings, current),
    ({ kept }) => size(kept) <= target,
  );
  if (cut !== undefined) return cut;
  const opening = messages.slice(withNotices(messages, current), current + 1);
  const rounds = messages.flatMap((message, index) => (index > current && message.role === "assistant" ? [index] : []));
  for (const round of rounds) {
    const kept = [...opening, ...messages.slice(round)];
    if (size(kept) <= target || round === rounds.at(-1))
      return {
        gone: messages.filter((message) => !kept.includes(message)),
        kept,
        rows: messages.filter((message) => isRow(message) && !kept.includes(message)).length,
      };
  }
  return split(messages, withNotices(messages, current), settings, current);
}

/** The cut at the first place that fits. A later cut keeps less, so that half of the places are left out at each look. */
function firstFitting(
  places: readonly number[],
  cutAt: (place: number) => Cut,
  fits: (cut: Cut) => boolean,
): Cut | undefined {
  let found: Cut | undefined;
  for (let from = 0, to = places.length; from < to;) {
    const middle = (from + to) >> 1;
    const cut = cutAt(places[middle]!);
    if (fits(cut)) {
      found = cut;
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
  const kept = state.messages.map((message) =>
    message.role === "user" || message.role === "tool" ? { ...message, parts: placeholder(message.parts) } : message,
  );
  return { gone: [], kept, rows: 0 };
}

/** Results longer than `toolResultChars` are cut and images are placeholders: the form of transcripts and of new epochs. */
export function cutForm(
  messages: readonly Message[],
  settings: Pick<AgentSettings, "toolResultChars">,
): readonly Message[] {
  return messages.map((message) => {
    if (message.role === "tool")
      return { ...message, parts: message.parts.map((part) => cutPart(part, settings.toolResultChars)) };
    if (message.role === "user")
      return { ...message, parts: message.parts.map((part) => cutPart(part, Number.POSITIVE_INFINITY)) };
    return message;
  });
}

/** `… [{n} characters in all]`. Never splits a surrogate pair. */
export function cutPart(part: ContentPart, maxChars: number): ContentPart {
  if (part.type === "media") return { type: "text", text: `[image: ${part.name ?? "image"}]` };
  if (part.text.length <= maxChars) return part;
  const end = /[\uD800-\uDBFF]/.test(part.text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return { type: "text", text: `${part.text.slice(0, end)}… [${part.text.length} characters in all]` };
}

function split(
  messages: readonly Message[],
  at: number,
  settings: AgentSettings,
  current: number = messages.length,
): Cut {
  const gone = messages.slice(0, at);
  const wholeFrom = Math.max(at, withNotices(messages, current));
  return {
    gone,
    kept: [...cutForm(messages.slice(at, wholeFrom), settings), ...messages.slice(wholeFrom)],
    rows: gone.filter(isRow).length,
  };
}

function isRow(message: Message): boolean {
  return message.role !== "notice";
}

function indexOfRow(messages: readonly Message[], row: number): number {
  let seen = 0;
  for (const [index, message] of messages.entries()) if (isRow(message) && seen++ === row) return index;
  return messages.length;
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
