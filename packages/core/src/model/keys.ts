// Several keys for one provider: the next one when a key is refused or limited, before anything was shown.
import type { Clock, Millis } from "../contract/base.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import { RuntimeError, hasCode } from "../lib/errors/errors.ts";
import { asRecord } from "./failure-text.ts";
import { isShown } from "./shown.ts";

/** How long a key rests that was refused or limited without a time. */
const REST_MS = 60_000;

/**
 * One provider over several keys. A key that gets 401, 403, 429 or a quota error rests for the time the provider
 * named, otherwise 60 s; the request goes on with the next one. When every key rests, the one that is free soonest is
 * tried. The last error is thrown when none is left.
 * @param withKey Makes the provider for one key; called once per key.
 */
export function withKeys(
  id: string,
  keys: readonly string[],
  withKey: (key: string) => Provider,
  clock: Clock,
): Provider {
  if (keys.length === 0)
    throw new RuntimeError("provider.no-key", `No key is configured for ${id}. Set providers.${id}.apiKey.`);
  const [first = ""] = keys;
  if (keys.every((key) => key === first)) {
    let only: Provider | undefined; // nothing else to try
    return { id, stream: (request, signal) => (only ??= withKey(first)).stream(request, signal) };
  }
  const slots = [...new Set(keys)].map((key): Slot => ({ key, provider: undefined, restsUntil: 0 }));
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const left = new Set(slots);
    for (;;) {
      const slot = pick(left, clock.monotonic());
      left.delete(slot);
      slot.provider ??= withKey(slot.key);
      let shown = false;
      try {
        for await (const event of slot.provider.stream(request, signal)) {
          shown ||= isShown(event);
          yield event;
        }
        slot.restsUntil = 0;
        return;
      } catch (error) {
        if (signal.aborted || !isOfKey(error)) throw error;
        slot.restsUntil = clock.monotonic() + restMs(error);
        if (shown || left.size === 0) throw error;
      }
    }
  }
  return { id, stream };
}

/** Another key may do: this one is refused, limited or out of credit. */
export function isOfKey(error: unknown): error is RuntimeError {
  return hasCode(error, "provider.auth", "provider.rate-limited", "provider.quota");
}

interface Slot {
  readonly key: string;
  provider: Provider | undefined;
  /** Of the monotonic clock. */
  restsUntil: Millis;
}

/** The first that is not resting, in the configured order; otherwise the one that rests the shortest. */
function pick(slots: ReadonlySet<Slot>, now: Millis): Slot {
  let best: Slot | undefined;
  for (const slot of slots) {
    if (slot.restsUntil <= now) return slot;
    if (best === undefined || slot.restsUntil < best.restsUntil) best = slot;
  }
  if (best === undefined) throw new Error("withKeys ran out of keys without an error");
  return best;
}

function restMs(error: RuntimeError): Millis {
  const asked = asRecord(error.details)?.["retryAfterMs"];
  return typeof asked === "number" ? asked : REST_MS;
}
