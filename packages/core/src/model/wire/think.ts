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
  let held = ""; // A possible tag, with the blanks before it.
  let inside: string | undefined; // Name of the open tag.
  let leading = ""; // Blanks at the very start: whether they are shown depends on what follows.
  let blanks = ""; // Before the reasoning; shown again only when the text after it has none of its own.
  let joined = true; // The last thing shown was a blank, or nothing was shown.
  let shown = false;
  let stripNext = false;
  let literalTag = false;
  let restarted = false;
  let lineStart = true;
  const code = codeTracker();

  const show = (text: string): void => {
    let out = text;
    if (stripNext) {
      out = shown ? (joined || blanks !== "" ? blanks + out.replace(/^[ \t]+/, "") : out) : out.trimStart();
      if (out === "" || out === blanks) return; // Still only blanks: wait for the first word.
      blanks = "";
      stripNext = false;
    }
    if (!shown) {
      leading += out;
      if (out.trim() === "") {
        lineStart ||= out.endsWith("\n");
        return;
      }
      out = leading;
      leading = "";
    }
    if (out === "") return;
    shown = true;
    const last = out.charCodeAt(out.length - 1);
    joined = last === 32 || last === 10 || last === 9;
    // Blanks after the last line break may have come with it or behind it.
    if (joined) {
      const line = out.lastIndexOf("\n") + 1;
      lineStart = (line > 0 || lineStart) && out.slice(line).trim() === "";
    } else lineStart = false;
    sink.text(out);
  };
  const leave = (): void => {
    inside = undefined;
    stripNext = true;
  };
  /** Reads inside reasoning; returns what follows its end. */
  const think = (text: string, name: string): string => {
    const close = `</${name}>`;
    const at = text.search(CLOSE_OF[name] ?? CLOSE);
    if (at !== -1) {
      if (at > 0) sink.thinking(text.slice(0, at));
      leave();
      return text.slice(at + close.length);
    }
    const tail = partialClose(text, close);
    if (text.length > tail) sink.thinking(text.slice(0, text.length - tail));
    held = tail === 0 ? "" : text.slice(text.length - tail);
    return "";
  };
  /** Reads text up to the next decided tag; returns the rest. */
  const plain = (text: string, last: boolean): string => {
    let from = 0;
    for (;;) {
      const at = code.nextTag(text, from);
      if (at === -1) break;
      const rest = text.slice(at);
      const before = text.slice(0, at);
      const blanksFrom = blanksBefore(text, at);
      const trimmed = text.slice(0, blanksFrom);
      const open = OPEN.exec(rest);
      const close = open === null ? CLOSE.exec(rest) : null;
      const tag = open ?? close;
      if (tag === null) {
        if (!last && PARTIAL.test(rest) && couldBeTag(rest)) {
          show(trimmed);
          held = text.slice(trimmed.length);
          return "";
        }
        if (BROKEN_OPEN.test(rest)) {
          const broken = BROKEN_OPEN.exec(rest)?.[0] ?? "";
          show(before);
          return rest.slice(broken.length);
        }
        from = at + 1;
        continue;
      }
      const next = rest.charAt(tag[0].length);
      if (next === "" && !last && !(lineStart && before.trim() === "")) {
        // Whether this is prose depends on the next character.
        show(trimmed);
        held = text.slice(trimmed.length);
        return "";
      }
      const atStart = (lineStart && before.trim() === "") || text.charCodeAt(blanksFrom - 1) === 10;
      if (open !== null) {
        if (!atStart && (/^[ \t.,;:!?)'"’”]$/.test(next) || (next === "" && last))) {
          literalTag = true;
          from = at + tag[0].length;
          continue;
        }
        show(trimmed);
        blanks = before.slice(trimmed.length) || blanks; // of the reasoning right before it
        leading = "";
        inside = (open[1] ?? "think").toLowerCase();
        return rest.slice(tag[0].length);
      }
      // A closing tag alone.
      if (literalTag || (shown && !atStart && /^[ \t.,;:!?)'"’”]$/.test(next))) {
        from = at + tag[0].length;
        continue;
      }
      if (shown) restarted = true;
      if (before !== "") sink.thinking(before);
      shown = false;
      joined = true;
      stripNext = true;
      return rest.slice(tag[0].length);
    }
    show(text);
    return "";
  };
  const run = (input: string, last: boolean): void => {
    let text = held + input;
    held = "";
    // A surrogate pair cut in two would be two broken characters on screen.
    const tail = text.charCodeAt(text.length - 1);
    const half = !last && tail >= 0xd800 && tail <= 0xdbff ? text.slice(-1) : "";
    if (half !== "") text = text.slice(0, -1);
    while (text !== "") text = inside === undefined ? plain(text, last) : think(text, inside);
    held += half;
  };
  return {
    push: (text) => {
      // Nearly every delta: nothing to look for.
      if (
        held === "" &&
        inside === undefined &&
        !stripNext &&
        !code.active &&
        !text.includes("<") &&
        !text.includes("`")
      ) {
        const tail = text.charCodeAt(text.length - 1);
        if (tail < 0xd800 || tail > 0xdbff) {
          show(text);
          return;
        }
      }
      run(text, false);
    },
    end: () => {
      const rest = held;
      held = "";
      if (rest !== "" && inside !== undefined) sink.thinking(rest);
      else if (rest !== "") run(rest, true);
      if (leading !== "" && inside === undefined) sink.text(leading);
      leading = "";
    },
    get restarted() {
      return restarted;
    },
  };
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
