/** A model of a vendor, over HTTP: what most embedders give to `createAgent`. */
import type { Provider } from "./contract/provider.ts";
import { httpFetch } from "./machine/http/http-fetch.ts";
import { systemClock } from "./machine/system/clock.ts";
import { createProvider, type ProviderOptions } from "./model/provider.ts";
import type { WireKind } from "./model/quirks.ts";
import { WIRES } from "./wires/wires.ts";

/** `fetch` and `clock` are the machine's, unless given. */
export type HttpProviderOptions = Omit<ProviderOptions, "wire" | "fetch" | "clock"> &
  Partial<Pick<ProviderOptions, "fetch" | "clock">> & { readonly wire: WireKind };

/**
 * A provider that speaks one of the four APIs that nearly every vendor has: `openai-chat`, `openai-responses`, `anthropic`,
 * `google`. Leaving the stream early, or aborting, closes the connection. A request is repeated with the next key only.
 * @throws RuntimeError `provider.*`, with `details.retryAfterMs` when the provider asked to wait.
 */
export function httpProvider(options: HttpProviderOptions): Provider {
  return createProvider({
    ...options,
    wire: WIRES[options.wire],
    fetch: options.fetch ?? httpFetch(),
    clock: options.clock ?? systemClock(),
  });
}
