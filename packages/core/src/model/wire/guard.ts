// A `fetch` that reads an event stream leniently and hands the AI SDK a strict one: bounded lines, only objects, one
// choice, joined deltas, errors in order. Why: its schemas reject a whole answer for one odd field, and each event
// passes about ten of its stream stages.
import type { Millis } from "../../contract/base.ts";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { asRecord } from "../failure-text.ts";
import { fromHttp, toFailure } from "../failures.ts";
import { failureText } from "./failure-event.ts";
import { eventSplitter } from "./sse.ts";
import type { Wire, WireEvent, WireReader } from "./wire.ts";

/** A whole answer as one JSON body; larger ones are not answers. */
const MAX_BODY_CHARS = 32 * 1024 * 1024;
/** A whole stream: a million tokens, each in an event of its own. */
const MAX_STREAM_CHARS = 512 * 1024 * 1024;

export interface GuardOptions {
  /** For error texts. */
  readonly provider: string;
  readonly now: () => Millis;
  /** Told whenever bytes arrive for a request, known by its signal: also comments and pings keep a stream alive. */
  readonly onBytes?: (signal: AbortSignal | undefined) => void;
}

/**
 * Wraps `inner` for one API. Successful answers are rewritten; others pass. Deltas of the same kind in one network
 * chunk are joined: the text is the same, the events are fewer.
 */
export function guardFetch(inner: typeof fetch, wire: Wire, options: GuardOptions): typeof fetch {
  const guarded = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await inner(input, init);
    const signal = init?.signal ?? undefined;
    options.onBytes?.(signal);
    if (!response.ok || response.body === null) return response;
    const body = strictStream(response.body.getReader(), wire, options, signal);
    const headers = new Map<string, string>([...response.headers]);
    headers.set("content-type", "text/event-stream");
    headers.delete("content-length");
    // What the AI SDK reads of a response; a real Response would load undici.
    return { ok: true, status: response.status, statusText: response.statusText, headers, body } as unknown as Response;
  };
  return guarded as typeof fetch;
}

function strictStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  wire: Wire,
  options: GuardOptions,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const context = { provider: options.provider, now: options.now(), media: false };
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let out = "";
  const reading = wire({
    send: (event) => {
      out += `data: ${JSON.stringify(event)}\n\n`;
    },
    failed: (status, body) => fromHttp({ status, body: JSON.stringify(body) }, context),
  });
  const input = bodyReader(reading, options.provider);
  /** True when the stream is over. */
  const step = async (): Promise<boolean> => {
    try {
      const { done, value } = await reader.read();
      if (done) {
        input.push(decoder.decode());
        input.end();
        return true;
      }
      options.onBytes?.(signal);
      input.push(decoder.decode(value, { stream: true }));
      reading.flush();
      return reading.closed;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      // A connection that breaks after the finish has told everything.
      if (reading.finished && !(error instanceof RuntimeError)) {
        reading.end();
        return true;
      }
      reading.flush();
      out += `data: ${JSON.stringify(reading.failure(failureText(toFailure(error, context))))}\n\n`;
      return true;
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let over = false;
        while (!over && out === "") over = await step();
        if (out !== "") controller.enqueue(encoder.encode(out));
        out = "";
        if (!over) return;
        controller.close();
        await reader.cancel();
      },
      async cancel(reason) {
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Decides by the first character, not by the content type, whether this is a stream, JSON or a web page. */
function bodyReader(reading: WireReader, provider: string): { push(text: string): void; end(): void } {
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
