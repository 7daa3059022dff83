// The next model when one cannot answer, before the first byte of text.
import type { Clock, Millis } from "../contract/base.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import type { ErrorCode } from "../lib/errors/error-codes.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { heardWithin } from "../lib/async/heard-before.ts";
import { asRecord } from "./failure-text.ts";
import { isShown } from "./shown.ts";

export interface FallbackModel {
  readonly provider: Provider;
  /** Name sent to that provider. */
  readonly model: string;
  /** Tokens. */
  readonly contextWindow: number;
}
export interface FallbackProvider extends Provider {
  /** The budget of the chain: its smallest window. */
  readonly contextWindow: number;
}

/** Failures that another model may not have. Refusal, context length, 400, 404 and 422 are the request's own. */
const PASSED_ON: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "provider.timeout",
  "provider.connection",
  "provider.truncated",
  "provider.rate-limited",
  "provider.overloaded",
  "provider.quota",
  "provider.auth",
  "provider.no-key",
  "provider.malformed",
]);
const FAILURES_BEFORE_SKIP = 3;
const SKIP_MS = 60_000;

interface Link extends FallbackModel {
  readonly first: boolean;
  failures: number;
  /** Of the monotonic clock. */
  skipUntil: Millis;
}

/**
 * The first model that answers. `done.model` names it (`provider/model`) when it was not the first.
 *
 * A failure that may pass is thrown for the caller to retry, twice in a row; the third moves on to the next model, and
 * so does at once any failure that will not pass (key, quota, a wait of over a minute) or that the caller has no attempt
 * or no time left for. While a person waits, each model has an equal share of what is left until the first words, and
 * silence is not asked twice. Each empty answer of a turn moves on by one. A model that failed three times in a row is skipped for 60 s; the first request
 * after that is the probe. Opaque state of another provider is left out by the adapter, so the same request fits every link.
 * @throws RuntimeError of the last model tried.
 */
export function withFallback(models: readonly FallbackModel[], clock: Clock): FallbackProvider {
  const links = models.map((model, at): Link => ({ ...model, first: at === 0, failures: 0, skipUntil: 0 }));
  const id = models[0]?.provider.id;
  if (id === undefined) throw new RuntimeError("provider.unknown", "No model is configured. Set model.");
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const now = clock.monotonic();
    const ready = links.filter((link) => link.skipUntil <= now);
    // With all of them resting a request still deserves a try: the one that rests the shortest.
    const usable = ready.length > 0 ? ready : [...links].sort((a, b) => a.skipUntil - b.skipUntil).slice(0, 1);
    const { attempts = Infinity, empty = 0, firstMs = Infinity } = request.patience ?? {};
    const order = usable.slice(Math.min(empty, usable.length - 1));
    const until = now + firstMs;
    for (const [at, link] of order.entries()) {
      let shown = false;
      try {
        // The first link keeps the model the caller asked for.
        const asked = link.first ? request : { ...request, model: link.model };
        const last = at === order.length - 1;
        const shareMs = last ? Infinity : (until - clock.monotonic()) / (order.length - at);
        for await (const event of streamWithin(link.provider, asked, shareMs, clock, signal)) {
          shown ||= isShown(event);
          yield event.type === "done" && !link.first
            ? { ...event, model: event.model ?? `${link.provider.id}/${link.model}` }
            : event;
        }
        link.failures = 0;
        link.skipUntil = 0;
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof RuntimeError) || !PASSED_ON.has(error.code)) throw error;
        link.failures++;
        const exhausted = link.failures >= FAILURES_BEFORE_SKIP;
        if (exhausted) link.skipUntil = clock.monotonic() + SKIP_MS;
        const left = until - clock.monotonic();
        const silent = error.code === "provider.timeout" && firstMs !== Infinity; // a person waits: not asked twice
        const inTime = !silent && waitOf(error) < left / (order.length - at);
        const again = error.retryable && !exhausted && attempts > 0 && inTime;
        if (shown || at === order.length - 1 || again) throw error;
      }
    }
  }
  return { id, contextWindow: Math.min(...models.map((model) => model.contextWindow)), stream };
}

/** The last model has all the time that is left: its end is the caller's. */
function streamWithin(
  provider: Provider,
  request: ModelRequest,
  withinMs: Millis,
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  if (withinMs === Infinity) return provider.stream(request, signal);
  return heardWithin({
    open: (own) => provider.stream(request, own),
    isHeard: (event) => isShown(event) || event.type === "thinking.delta" || event.type === "tool-call.delta",
    withinMs,
    clock,
    tooLate: () =>
      new RuntimeError("provider.timeout", `${provider.id} said nothing for ${Math.round(withinMs / 1000)} s.`, {
        retryable: true,
      }),
    signal,
  });
}

/** How long the provider wants to be left alone. */
function waitOf({ details }: RuntimeError): Millis {
  const asked = asRecord(details)?.["retryAfterMs"];
  return typeof asked === "number" ? asked : 0;
}
