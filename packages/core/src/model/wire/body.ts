// The bytes of an answer → events of its wire: a stream, or one JSON body, bounded.
import { RuntimeError } from "../../lib/errors/errors.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { asRecord } from "../failure-text.ts";
import { eventSplitter } from "./sse.ts";
import type { WireEvent, WireReader } from "./wire.ts";

/** A whole answer as one JSON body; larger ones are not answers. */
const MAX_BODY_CHARS = 32 * 1024 * 1024;
/** A whole stream: a million tokens, each in an event of its own. */
const MAX_STREAM_CHARS = 512 * 1024 * 1024;

export interface BodyReader {
  push(text: string): void;
  /** @throws RuntimeError `provider.truncated` when the answer did not say how it ended. */
  end(): void;
}

/** Decides by the first character, not by the content type, whether this is a stream, JSON or a web page. */
export function bodyReader(reading: WireReader, provider: string): BodyReader {
  const splitter = eventSplitter(provider, (lines) => onEvent(lines, reading, provider));
  let kind: "unknown" | "events" | "json" = "unknown";
  let text = "";
  let streamed = 0;
  const push = (chunk: string): void => {
    streamed += chunk.length;
    if (streamed > MAX_STREAM_CHARS)
      throw new RuntimeError("provider.malformed", `${provider} answered with more than 512 MB. Check the base URL.`);
    if (kind === "events") {
      splitter.push(chunk);
      return;
    }
    text += chunk;
    if (kind === "unknown") {
      const first = text.trimStart().charAt(0);
      if (first === "") {
        text = ""; // Blanks before anything mean nothing, however many there are.
        return;
      }
      if (first === "<")
        throw new RuntimeError("provider.malformed", `${provider} answered with a web page. Check the base URL.`);
      kind = first === "{" || first === "[" ? "json" : "events";
      if (kind === "events") {
        splitter.push(text);
        text = "";
      }
    }
    if (text.length > MAX_BODY_CHARS)
      throw new RuntimeError("provider.malformed", `${provider} answered with more than 32 MB. Check the base URL.`);
  };
  const end = (): void => {
    if (kind === "json") wholeBody(text, reading, provider);
    else splitter.end();
    if (reading.closed || reading.finished) {
      reading.end();
      return;
    }
    reading.flush();
    throw new RuntimeError(
      "provider.truncated",
      `${provider} ended the answer before it was finished. It is asked again when nothing was shown.`,
      { retryable: true },
    );
  };
  return { push, end };
}

function onEvent(lines: readonly string[], reading: WireReader, provider: string): void {
  if (reading.closed) return;
  const text = lines.length === 1 ? (lines[0] ?? "") : lines.join("\n");
  if (text === "" || text === "[DONE]") {
    if (text !== "") reading.marker();
    return;
  }
  const value = parseJson(text);
  if (value !== undefined) {
    const event = asRecord(value);
    if (event !== undefined) reading.event(event);
    return;
  }
  // Events without the blank line between them.
  if (lines.length > 1) for (const line of lines) onEvent([line], reading, provider);
  else
    throw new RuntimeError(
      "provider.truncated",
      `${provider} sent a broken event. It is asked again when nothing was shown.`,
      { retryable: true },
    );
}

function wholeBody(text: string, reading: WireReader, provider: string): void {
  const value = parseJson(text);
  // Several lines of JSON without `data:` are events too.
  const items: readonly unknown[] =
    value === undefined
      ? text.split("\n").map((line) => (line.trim() === "" ? undefined : parseJson(line)))
      : Array.isArray(value)
        ? value
        : [value];
  const events = items.map(asRecord).filter((item): item is WireEvent => item !== undefined);
  if (events.length === 0)
    throw new RuntimeError(
      "provider.malformed",
      `${provider} answered with broken JSON. Check the base URL and the api kind.`,
    );
  for (const event of events) reading.body(event);
}
