// A vendor over HTTP: encode, send, read, decode; the next key, deadlines, and one kind of failure.
import type { Clock } from "../contract/base.ts";
import type { MediaPart, Message } from "../contract/message.ts";
import type { ModelEvent, ModelRequest, Prefix, Provider, ToolSpec } from "../contract/provider.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { fromHttp, toFailure, type FailureContext } from "./failures.ts";
import { withKeys } from "./keys.ts";
import type { Price } from "./model-info.ts";
import { costOf, modelInfo } from "./models.ts";
import { resolveQuirks, type Quirks } from "./quirks.ts";
import { estimatedUsage } from "./usage.ts";
import { createActivity, withWatchdog, type Timeouts } from "./watchdog.ts";
import { createAnswer, type Answer } from "./wire/answer.ts";
import { bodyReader } from "./wire/body.ts";
import { createMediaReader, readMedia } from "./wire/media.ts";
import { createRows } from "./wire/rows.ts";
import type { Encoding, Wire, WireReader } from "./wire/wire.ts";

export interface EndpointOptions {
  /** Name of the provider: its opaque state is returned only to a provider of the same name. */
  readonly id: string;
  readonly wire: Wire;
  /** With the version that the API's paths begin with. */
  readonly baseUrl: string;
  /** Instead of the API's own way to say a key. */
  readonly auth?: (key: string | undefined) => Readonly<Record<string, string>>;
  /** Added to those of the API, and instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to each address. */
  readonly query?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  readonly fetch: typeof fetch;
  /** For HTTP dates in Retry-After. */
  readonly clock: Pick<Clock, "now">;
  /** Told whenever bytes arrive for a request, known by its signal: also comments and pings keep a stream alive. */
  readonly onBytes?: (signal: AbortSignal) => void;
}
export interface ProviderOptions extends Omit<EndpointOptions, "onBytes" | "clock"> {
  /** Tried in order, when one is refused or limited. None: the server needs none. */
  readonly keys?: readonly string[];
  readonly clock: Clock;
  readonly timeouts?: Timeouts;
}

/**
 * A Provider over HTTP. Leaving the stream early, or aborting, closes the connection. Requests are never repeated here, but
 * for the next key.
 * @throws RuntimeError `provider.*`, with `details.retryAfterMs` when the provider asked to wait.
 */
export function createProvider({ keys = [], timeouts, ...options }: ProviderOptions): Provider {
  const activity = createActivity();
  const withKey = createEndpoint({ ...options, onBytes: activity.touch });
  const inner = keys.length === 0 ? withKey(undefined) : withKeys(options.id, keys, withKey, options.clock);
  return withWatchdog(inner, options.clock, timeouts, activity);
}

/** Providers that share what is known of histories, one for each key. */
export function createEndpoint(options: EndpointOptions): (key: string | undefined) => Provider {
  const encode = createEncoder(options);
  const prices = new Map<string, Price | undefined>();
  const priceOf = (model: string): Price | undefined => {
    if (!prices.has(model)) prices.set(model, modelInfo(options.id, model).price);
    return prices.get(model);
  };
  return (key) => ({
    id: options.id,
    stream: (request, signal) => exchange({ options, encode, priceOf, key }, request, signal),
  });
}

type Encode = (request: ModelRequest) => Promise<string>;

function createEncoder({ id, wire, quirks }: EndpointOptions): Encode {
  const resolved = resolveQuirks({ ...quirks, wire: wire.kind }, "");
  const read = createMediaReader(resolved);
  /** Reasoning belongs to the model that made it, and so does what is remembered. */
  const byModel = new Map<string, Kept>();
  return async (request) => {
    const { model, messages } = request;
    const kept = byModel.get(model) ?? {
      rows: createRows({ provider: id, model, quirks: resolved }),
      tool: rememberTools(),
      prefixes: new WeakMap(),
    };
    byModel.set(model, kept);
    const segments = kept.rows(messages);
    const media: MediaPart[] = [];
    for (const segment of segments) if (segment.media.length > 0) media.push(...segment.media);
    const lookup = await readMedia(media, read(request.media));
    const ofPrefix: Encoding["ofPrefix"] = (make) => {
      const made = kept.prefixes.get(request.prefix) ?? make(request.prefix);
      kept.prefixes.set(request.prefix, made);
      return made;
    };
    return wire.encode({ request, quirks: resolved, segments, media: lookup, tool: kept.tool, ofPrefix });
  };
}

interface Kept extends Pick<Encoding, "tool"> {
  readonly rows: ReturnType<typeof createRows>;
  readonly prefixes: WeakMap<Prefix, ReturnType<Encoding["ofPrefix"]>>;
}

function rememberTools(): Encoding["tool"] {
  const made = new WeakMap<ToolSpec, string>();
  return (spec, make) => {
    const text = made.get(spec) ?? JSON.stringify(make(spec));
    made.set(spec, text);
    return text;
  };
}

interface Exchange {
  readonly options: EndpointOptions;
  readonly encode: Encode;
  readonly priceOf: (model: string) => Price | undefined;
  readonly key: string | undefined;
}

async function* exchange(
  { options, encode, priceOf, key }: Exchange,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const { id, wire } = options;
  const context: FailureContext = { provider: id, now: options.clock.now(), media: hasMedia(request.messages) };
  try {
    const own = { ...(options.auth ?? wire.auth)(key), ...wire.headers?.(request) };
    const headers = headersOf(own, options.headers);
    const body = await encode(request);
    const address = addressOf(options, wire.path(request.model));
    const response = await options.fetch(address, { method: "POST", headers, body, signal });
    options.onBytes?.(signal);
    if (!response.ok || response.body === null) throw await refusal(response, context);
    const answer = createAnswer({
      provider: id,
      requestId: request.id,
      estimate: (parts) => estimatedUsage(request, parts),
    });
    const reading = wire.decode(answer, (status, news) => fromHttp({ status, body: JSON.stringify(news) }, context));
    yield* heard(response.body.getReader(), { answer, reading, options, context, signal });
    for (const event of answer.end()) yield priced(event, priceOf(request.model));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toFailure(error, context);
  }
}

interface Hearing {
  readonly answer: Answer;
  readonly reading: WireReader;
  readonly options: EndpointOptions;
  readonly context: FailureContext;
  readonly signal: AbortSignal;
}

/** Deltas, chunk by chunk. What came before a failure is heard before it. */
async function* heard(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { answer, reading, options, context, signal }: Hearing,
): AsyncGenerator<ModelEvent> {
  const decoder = new TextDecoder();
  const input = bodyReader(reading, options.id);
  try {
    for (let over = false; !over;) {
      let failure: RuntimeError | undefined;
      try {
        const { done, value } = await reader.read();
        if (!done) options.onBytes?.(signal);
        input.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
        if (done) input.end();
        else reading.flush();
        over = done || reading.closed;
      } catch (error) {
        if (signal.aborted) throw error;
        over = true;
        // A connection that breaks after the finish has told everything.
        if (reading.finished && !(error instanceof RuntimeError)) reading.end();
        else {
          reading.flush();
          failure = toFailure(error, context);
        }
      }
      const { events } = answer;
      for (const event of events) yield event;
      events.length = 0;
      if (answer.cut) return;
      if (failure !== undefined) throw failure;
    }
  } finally {
    // Not awaited: it may be stuck in the very read that timed out.
    void reader.cancel().catch(() => undefined);
  }
}

/** Names in lower case, so that a configured one stands instead of ours; betas of both are asked for. */
function headersOf(
  own: Readonly<Record<string, string>>,
  configured: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json", "user-agent": "margay", ...own };
  for (const [given, value] of Object.entries(configured)) {
    const name = given.toLowerCase();
    const betas = name === "anthropic-beta" ? own[name] : undefined;
    headers[name] = betas === undefined ? value : `${value},${betas}`;
  }
  return headers;
}

function addressOf({ baseUrl, query }: EndpointOptions, path: string): string {
  if (query === undefined) return baseUrl + path;
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

async function refusal(response: Response, context: FailureContext): Promise<RuntimeError> {
  const { status } = response;
  const body = await response.text().catch(() => ""); // the status says enough
  return fromHttp({ status, headers: Object.fromEntries(response.headers), body }, context);
}

export function hasMedia(messages: readonly Message[]): boolean {
  return messages.some((message) => message.role !== "notice" && message.parts.some((part) => part.type === "media"));
}

/** With what it costs, when the price is known. */
export function priced(event: ModelEvent, price: Price | undefined): ModelEvent {
  if (event.type !== "done") return event;
  const { usage } = event;
  const costUsd = usage.costUsd ?? costOf(usage, price);
  return costUsd === undefined ? event : { ...event, usage: { ...usage, costUsd } };
}
