// Takes inline reasoning (`<think>…</think>`) out of streamed text. Tags inside code and in prose are text.

export interface ThinkSink {
  text(text: string): void;
  thinking(text: string): void;
}
export interface ThinkFilter {
  push(text: string): void;
  /** The end of the answer: what was held back is decided. */
  end(): void;
  /** Everything said so far turned out to be reasoning whose opening tag the server's template had written. */
  readonly restarted: boolean;
}

const NAMES = ["think", "thinking", "thought"] as const;
const PARTIAL = /^<\/?[a-z]{0,8}$/i;
const OPEN = /^<(think|thinking|thought)>/i;
const CLOSE = /^<\/(think|thinking|thought)>/i;
/** A position is looked for, not at. */
const CLOSE_OF: Readonly<Record<string, RegExp>> = {
  think: /<\/think>/i,
  thinking: /<\/thinking>/i,
  thought: /<\/thought>/i,
};
/** `<think` followed by something that can be no tag: the model stumbled over it. */
const BROKEN_OPEN = /^<(?:thinking|thought|think)(?![A-Za-z0-9_\-:>/])/i;

/**
 * A filter for one answer. A tag cut at the end of a chunk is held back, so no partial tag is ever shown.
 *
 * - At the start of the answer or of a line, and in running text when something other than a blank or punctuation
 *   follows, an opening tag starts reasoning; unclosed, it lasts to the end.
 * - A closing tag without an opening one ends reasoning that a chat template opened: what came before was not the answer.
 * - A tag in backticks, in a code block, or in prose (`the <think> tag`) stays.
 */
export function thinkFilter(sink: ThinkSink): ThinkFilter {
  const state: Filter = {
    sink,
    code: codeTracker(),
    held: "",
    inside: undefined,
    leading: "",
    blanks: "",
    joined: true,
    shown: false,
    stripNext: false,
    literalTag: false,
    restarted: false,
    lineStart: true,
  };
  return {
    push: (text) => {
      // Nearly every delta: nothing to look for.
      if (isPlain(state, text)) show(state, text);
      else run(state, text, false);
    },
    end: () => {
      const rest = state.held;
      state.held = "";
      if (rest !== "" && state.inside !== undefined) sink.thinking(rest);
      else if (rest !== "") run(state, rest, true);
      if (state.leading !== "" && state.inside === undefined) sink.text(state.leading);
      state.leading = "";
    },
    get restarted() {
      return state.restarted;
    },
  };
}

interface Filter {
  readonly sink: ThinkSink;
  readonly code: CodeTracker;
  /** A possible tag, with the blanks before it. */
  held: string;
  /** Name of the open tag. */
  inside: string | undefined;
  /** Blanks at the very start: whether they are shown depends on what follows. */
  leading: string;
  /** Before the reasoning; shown again only when the text after it has none of its own. */
  blanks: string;
  /** The last thing shown was a blank, or nothing was shown. */
  joined: boolean;
  shown: boolean;
  stripNext: boolean;
  literalTag: boolean;
  restarted: boolean;
  lineStart: boolean;
}

function isPlain({ held, inside, stripNext, code }: Filter, text: string): boolean {
  if (held !== "" || inside !== undefined || stripNext || code.active) return false;
  if (text.includes("<") || text.includes("`")) return false;
  const tail = text.charCodeAt(text.length - 1);
  return !(tail >= 0xd800 && tail <= 0xdbff);
}

function run(state: Filter, input: string, last: boolean): void {
  let text = state.held + input;
  state.held = "";
  // A surrogate pair cut in two would be two broken characters on screen.
  const tail = text.charCodeAt(text.length - 1);
  const half = !last && tail >= 0xd800 && tail <= 0xdbff ? text.slice(-1) : "";
  if (half !== "") text = text.slice(0, -1);
  while (text !== "") text = state.inside === undefined ? plain(state, text, last) : think(state, text, state.inside);
  state.held += half;
}

function show(state: Filter, text: string): void {
  let out = text;
  if (state.stripNext) {
    const { blanks, joined, shown } = state;
    out = shown ? (joined || blanks !== "" ? blanks + out.replace(/^[ \t]+/, "") : out) : out.trimStart();
    if (out === "" || out === blanks) return; // Still only blanks: wait for the first word.
    state.blanks = "";
    state.stripNext = false;
  }
  if (!state.shown) {
    state.leading += out;
    if (out.trim() === "") {
      state.lineStart ||= out.endsWith("\n");
      return;
    }
    out = state.leading;
    state.leading = "";
  }
  if (out === "") return;
  state.shown = true;
  const last = out.charCodeAt(out.length - 1);
  state.joined = last === 32 || last === 10 || last === 9;
  // Blanks after the last line break may have come with it or behind it.
  if (state.joined) {
    const line = out.lastIndexOf("\n") + 1;
    state.lineStart = (line > 0 || state.lineStart) && out.slice(line).trim() === "";
  } else state.lineStart = false;
  state.sink.text(out);
}

/** Reads inside reasoning; returns what follows its end. */
function think(state: Filter, text: string, name: string): string {
  const close = `</${name}>`;
  const at = text.search(CLOSE_OF[name] ?? CLOSE);
  if (at !== -1) {
    if (at > 0) state.sink.thinking(text.slice(0, at));
    state.inside = undefined;
    state.stripNext = true;
    return text.slice(at + close.length);
  }
  const tail = partialClose(text, close);
  if (text.length > tail) state.sink.thinking(text.slice(0, text.length - tail));
  state.held = tail === 0 ? "" : text.slice(text.length - tail);
  return "";
}

/** Reads text up to the next decided tag; returns the rest. */
function plain(state: Filter, text: string, last: boolean): string {
  let from = 0;
  for (;;) {
    const at = state.code.nextTag(text, from);
    if (at === -1) break;
    const rest = text.slice(at);
    const tag = OPEN.exec(rest) ?? CLOSE.exec(rest);
    const trimmed = text.slice(0, blanksBefore(text, at));
    const begins = state.lineStart && text.slice(0, at).trim() === "";
    const next = rest.charAt(tag?.[0].length ?? 0);
    // Whether this is a tag, or prose, depends on the next character.
    const open = tag === null ? PARTIAL.test(rest) && couldBeTag(rest) : next === "" && !begins;
    if (!last && open) {
      show(state, trimmed);
      state.held = text.slice(trimmed.length);
      return "";
    }
    if (tag === null) {
      const broken = BROKEN_OPEN.exec(rest)?.[0];
      if (broken !== undefined) {
        show(state, text.slice(0, at));
        return rest.slice(broken.length);
      }
      from = at + 1;
      continue;
    }
    const atStart = begins || text.charCodeAt(trimmed.length - 1) === 10;
    const behind = tag[0].startsWith("</")
      ? closed(state, text.slice(0, at), next, atStart)
      : opened(state, { trimmed, before: text.slice(0, at), name: tag[1] ?? "think" }, next, last, atStart);
    if (behind) return rest.slice(tag[0].length);
    from = at + tag[0].length;
  }
  show(state, text);
  return "";
}

const PROSE = /^[ \t.,;:!?)'"’”]$/;

/** @returns false: it is text. */
function opened(
  state: Filter,
  { trimmed, before, name }: { readonly trimmed: string; readonly before: string; readonly name: string },
  next: string,
  last: boolean,
  atStart: boolean,
): boolean {
  if (!atStart && (PROSE.test(next) || (next === "" && last))) {
    state.literalTag = true;
    return false;
  }
  show(state, trimmed);
  state.blanks = before.slice(trimmed.length) || state.blanks; // of the reasoning right before it
  state.leading = "";
  state.inside = name.toLowerCase();
  return true;
}

/** A closing tag alone. @returns false: it is text. */
function closed(state: Filter, before: string, next: string, atStart: boolean): boolean {
  if (state.literalTag || (state.shown && !atStart && PROSE.test(next))) return false;
  if (state.shown) state.restarted = true;
  if (before !== "") state.sink.thinking(before);
  state.shown = false;
  state.joined = true;
  state.stripNext = true;
  return true;
}

/** Where the blanks end that stand before a position, read backwards: a pattern would read from the beginning. */
function blanksBefore(text: string, at: number): number {
  let from = at;
  while (from > 0 && (text.charCodeAt(from - 1) === 32 || text.charCodeAt(from - 1) === 9)) from--;
  return from;
}

function couldBeTag(text: string): boolean {
  const name = text.replace(/^<\/?/, "").toLowerCase();
  return NAMES.some((known) => known.startsWith(name));
}

/** Length of the longest end of `text` that begins `close`. */
function partialClose(text: string, close: string): number {
  const tail = text.slice(-(close.length - 1)).toLowerCase();
  for (let size = tail.length; size > 0; size--) if (close.startsWith(tail.slice(tail.length - size))) return size;
  return 0;
}

interface CodeTracker {
  /** Position of the next `<` outside code at or after `from`, or -1. Every character must be passed once, in order. */
  nextTag(text: string, from: number): number;
  /** Inside code, or in the middle of a run of backticks. */
  readonly active: boolean;
}

/** Follows Markdown code: a run of backticks opens, a run of the same length closes; inline code ends with its line. */
function codeTracker(): CodeTracker {
  let open = 0; // Length of the run that opened code; 0 outside.
  let run = 0; // Backticks of a run not yet ended.
  const endRun = (): void => {
    if (run === 0) return;
    if (open === 0) open = run;
    else if (open >= 3 ? run >= open : run === open) open = 0;
    run = 0;
  };
  return {
    nextTag: (text, from) => {
      for (let at = from; at < text.length; at++) {
        const character = text.charCodeAt(at);
        if (character === 96) run++;
        else {
          endRun();
          if (character === 10 && open > 0 && open < 3) open = 0;
          else if (character === 60 && open === 0) return at;
        }
      }
      return -1;
    },
    get active() {
      return open > 0 || run > 0;
    },
  };
}
