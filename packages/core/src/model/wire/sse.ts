// Server-sent events from bytes, with a bound on one line. Cut anywhere: the same events come out.
import { RuntimeError } from "../../lib/errors/errors.ts";

/** No honest line or event is this large; a hostile one must not fill the memory. */
export const MAX_LINE_CHARS: number = 8 * 1024 * 1024;

export interface EventSplitter {
  /** Feeds text; calls back with the data lines of each complete event. */
  push(text: string): void;
  /** The end: an event without its closing blank line still counts. */
  end(): void;
}

/**
 * Splits on LF, CRLF and CR. Comments and the `event`, `id` and `retry` fields are ignored: every wire we read names
 * its events inside the JSON. @throws RuntimeError `provider.malformed` for a line or an event over {@link MAX_LINE_CHARS}.
 */
export function eventSplitter(provider: string, onEvent: (dataLines: readonly string[]) => void): EventSplitter {
  let pieces: string[] = []; // An unfinished line; joined once, so that a long line costs its length and no more.
  let held = 0;
  let afterReturn = false;
  let data: string[] = [];
  let dataChars = 0;
  const dispatch = (): void => {
    if (data.length === 0) return;
    const lines = data;
    data = [];
    dataChars = 0;
    onEvent(lines);
  };
  const add = (text: string): void => {
    data.push(text);
    // An empty line costs memory too.
    dataChars += text.length + 1;
    if (dataChars > MAX_LINE_CHARS) throw tooLong(provider, "an event");
  };
  const line = (text: string): void => {
    if (text === "") dispatch();
    else if (text.startsWith("data:")) add(text.slice(text.charCodeAt(5) === 32 ? 6 : 5));
    // Some servers send bare JSON lines; as a field name they would be ignored.
    else if (text.startsWith("{")) add(text);
  };
  const finishLine = (tail: string): void => {
    if (held === 0) line(tail);
    else {
      pieces.push(tail);
      const text = pieces.join("");
      pieces = [];
      held = 0;
      line(text);
    }
  };
  const push = (text: string): void => {
    let start = afterReturn && text.charCodeAt(0) === 10 ? 1 : 0;
    if (text !== "") afterReturn = false;
    let returnAt = text.indexOf("\r", start);
    for (;;) {
      const newline = text.indexOf("\n", start);
      if (returnAt !== -1 && returnAt < start) returnAt = text.indexOf("\r", start);
      const cut = returnAt !== -1 && (newline === -1 || returnAt < newline) ? returnAt : newline;
      if (cut === -1) break;
      finishLine(text.slice(start, cut));
      start = cut + 1;
      if (cut === returnAt) {
        if (start === text.length) afterReturn = true;
        else if (text.charCodeAt(start) === 10) start++;
      }
    }
    if (start >= text.length) return;
    pieces.push(start === 0 ? text : text.slice(start));
    held += text.length - start;
    if (held > MAX_LINE_CHARS) throw tooLong(provider, "a line");
  };
  const end = (): void => {
    if (held > 0) finishLine("");
    dispatch();
  };
  return { push, end };
}

function tooLong(provider: string, what: string): RuntimeError {
  return new RuntimeError(
    "provider.malformed",
    `${provider} sent ${what} of more than 8 MB. Check the base URL and the api kind.`,
  );
}
