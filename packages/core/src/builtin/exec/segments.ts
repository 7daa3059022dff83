// Splits a command line where a shell would start another command, without running anything.

export interface Segments {
  /** Each command with its redirections, the insides of substitutions after the command that holds them. */
  readonly texts: readonly string[];
  /** False when the text can't be split with certainty: here-documents, open quotes. Nothing may be allowed by it. */
  readonly certain: boolean;
}

/** Conservative: where shells differ, the text is cut more often or `certain` is false. */
export function splitCommand(command: string): Segments {
  return splitNested(command, 0);
}

function splitNested(command: string, depth: number): Segments {
  const state: State = { text: command, at: 0, depth, found: [], certain: true };
  readCommands(state, undefined);
  // `case` has closing parentheses without opening ones: inside a substitution the cut may come too early.
  return { texts: state.found, certain: state.certain && !state.found.some((text) => /\bcase\b/.test(text)) };
}

/** Nobody writes more substitutions inside each other. */
const MAX_DEPTH = 30;
const SEPARATORS = ";&|\n()";

interface State {
  readonly text: string;
  readonly depth: number;
  at: number;
  readonly found: string[];
  certain: boolean;
}

/** Reads up to `close` (or the end) and files every segment it meets. */
function readCommands(state: State, close: ")" | undefined): void {
  let segment = "";
  // The last unquoted character: an escaped `>` is no redirection, an escaped blank starts no comment.
  let previous = " ";
  // Substitutions are filed after the segment that holds them.
  let inner: string[] = [];
  const file = (): void => {
    const text = trimBlanks(segment);
    if (text !== "") state.found.push(text);
    state.found.push(...inner);
    segment = "";
    previous = " ";
    inner = [];
  };
  const keep = (count: number): void => {
    segment += state.text.slice(state.at, state.at + count);
    state.at += count;
    previous = state.text.charAt(state.at - 1);
  };
  while (state.at < state.text.length) {
    const rest = state.text.slice(state.at, state.at + 3);
    const char = rest.charAt(0);
    const quoted = char === close ? undefined : readQuoted(state, inner);
    if (quoted !== undefined) {
      segment += quoted;
      if (quoted !== "") previous = "";
    } else if (char === "#" && isBlank(previous)) {
      skipComment(state);
    } else if (rest.startsWith("<<")) {
      // The body of a here-document is data or commands: only the shell knows. `<<<` is a word like any other.
      if (rest !== "<<<") state.certain = false;
      keep(rest === "<<<" ? 3 : 2);
    } else if (char === "&" && (rest.startsWith("&>") || previous === ">" || previous === "<")) {
      keep(1); // 2>&1, <&3, &>file
    } else if (char === "&" && !rest.startsWith("&&") && trimBlanks(state.text.slice(state.at + 1)) === "") {
      keep(1); // a final `&` belongs to its command
    } else if (SEPARATORS.includes(char)) {
      state.at += 1;
      file();
      if (char === close) return;
    } else {
      keep(1);
    }
  }
  if (close !== undefined) state.certain = false;
  file();
}

/** A quoted or substituted piece at the present place, as written; undefined when there is none. */
function readQuoted(state: State, inner: string[]): string | undefined {
  const start = state.at;
  const rest = state.text.slice(start, start + 2);
  if (rest.startsWith("\\")) {
    state.at += 2;
    return rest === "\\\n" ? "" : rest;
  }
  if (rest.startsWith("'")) return readUntilQuote(state, 1, false);
  if (rest === "$'") return readUntilQuote(state, 2, true);
  if (rest.startsWith('"')) return readDoubleQuoted(state, inner);
  return readSubstitution(state, inner);
}

function readSubstitution(state: State, inner: string[]): string | undefined {
  const start = state.at;
  const rest = state.text.slice(start, start + 2);
  if (state.depth > MAX_DEPTH) {
    state.certain = false;
    return undefined;
  }
  if (rest === "$(" || rest === "<(" || rest === ">(") {
    state.at += 2;
    const nested: State = { text: state.text, depth: state.depth + 1, at: state.at, found: [], certain: true };
    readCommands(nested, ")");
    state.at = nested.at;
    state.certain &&= nested.certain;
    inner.push(...nested.found);
    return state.text.slice(start, state.at);
  }
  if (!rest.startsWith("`")) return undefined;
  const end = closing(state.text, start + 1, "`");
  state.certain &&= end !== -1;
  state.at = end === -1 ? state.text.length : end + 1;
  const body = state.text.slice(start + 1, end === -1 ? undefined : end).replace(/\\([`\\$])/g, "$1");
  const nested = splitNested(body, state.depth + 1);
  state.certain &&= nested.certain;
  inner.push(...nested.texts);
  return state.text.slice(start, state.at);
}

function readDoubleQuoted(state: State, inner: string[]): string {
  const start = state.at;
  state.at += 1;
  while (state.at < state.text.length) {
    const char = state.text.charAt(state.at);
    if (char === '"') {
      state.at += 1;
      return state.text.slice(start, state.at);
    }
    if (char === "\\") state.at += 2;
    else if ((char !== "$" && char !== "`") || readSubstitution(state, inner) === undefined) state.at += 1;
  }
  state.certain = false;
  return state.text.slice(start);
}

function readUntilQuote(state: State, opening: number, escapes: boolean): string {
  const start = state.at;
  const end = escapes ? closing(state.text, start + opening, "'") : state.text.indexOf("'", start + opening);
  state.certain &&= end !== -1;
  state.at = end === -1 ? state.text.length : end + 1;
  return state.text.slice(start, state.at);
}

/** The next `quote` that no backslash precedes. */
function closing(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += text.charAt(at) === "\\" ? 2 : 1) {
    if (text.charAt(at) === quote) return at;
  }
  return -1;
}

/** The end of line ends a comment even after a backslash. */
function skipComment(state: State): void {
  const end = state.text.indexOf("\n", state.at);
  state.at = end === -1 ? state.text.length : end;
}

function isBlank(char: string): boolean {
  return char === " " || char === "\t";
}

/** Only what the shell takes for blank: a no-break space is part of a word. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && (isBlank(text.charAt(start)) || text.charAt(start) === "\n")) start += 1;
  while (end > start && (isBlank(text.charAt(end - 1)) || text.charAt(end - 1) === "\n")) end -= 1;
  return text.slice(start, end);
}
