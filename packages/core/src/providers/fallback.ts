// The next model when one cannot answer, before the first byte of text.
import type { Clock, Millis } from "../contract/base.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import type { ErrorCode } from "../lib/error-codes.ts";
import { RuntimeError } from "../lib/errors.ts";
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
 * A failure that may pass is thrown for the caller to retry, twice in a row; the third, and at once any failure that
 * will not pass (key, quota, a wait of over a minute), moves on to the next model. A model that failed three times in
 * a row is skipped for 60 s; the first request after that is the probe. Opaque state of another provider is left out
 * by the adapter, so the same request fits every link.
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
    const order = ready.length > 0 ? ready : [...links].sort((a, b) => a.skipUntil - b.skipUntil).slice(0, 1);
    for (const [at, link] of order.entries()) {
      let shown = false;
      try {
        // The first link keeps the model the caller asked for.
        for await (const event of link.provider.stream(
          link.first ? request : { ...request, model: link.model },
          signal,
        )) {
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
        if (shown || at === order.length - 1 || (error.retryable && !exhausted)) throw error;
      }
    }
  }
  return { id, contextWindow: Math.min(...models.map((model) => model.contextWindow)), stream };
}
