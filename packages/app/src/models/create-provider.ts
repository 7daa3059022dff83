// A configured provider → Provider: catalog row, keys, deadlines.
import { httpProvider, RuntimeError } from "@margay/core";
import type { Clock, ModelEvent, Provider } from "@margay/core";
import type { Quirks, Timeouts, WireKind } from "@margay/core/internal";
import { findVendor } from "./catalog.ts";

export interface ProviderOptions {
  /** A catalog name, or one of your own with `api` and `baseUrl`. */
  readonly id: string;
  /** Default: the catalog's. */
  readonly api?: WireKind;
  readonly baseUrl?: string;
  readonly apiKeys: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timeouts?: Timeouts;
}

/**
 * @throws RuntimeError `provider.unknown` for a name that is neither in the catalog nor described. A missing key is
 * an error of the first request (`provider.no-key`), so that a gateway can start without one.
 */
export function createProvider(options: ProviderOptions): Provider {
  const vendor = findVendor(options.id);
  const api = options.api ?? vendor?.api;
  const baseUrl = options.baseUrl ?? vendor?.baseUrl;
  if (api === undefined || baseUrl === undefined)
    throw new RuntimeError(
      "provider.unknown",
      `Provider "${options.id}" is not in the catalog. Use one of the names of \`margay models list\`, or set providers.${options.id}.api and providers.${options.id}.baseUrl.`,
    );
  const quirks: Quirks = { brokenArguments: "text", ...(api === vendor?.api ? vendor.quirks : undefined), wire: api };
  const variable = vendor?.keys[0];
  if (options.apiKeys.length === 0 && variable !== undefined) return withoutKey(options.id, variable);
  // Reading a long prompt on a home machine takes minutes before the first word.
  const timeouts: Timeouts = {
    ...(vendor?.local === true && { firstByteMs: options.timeouts?.totalMs ?? 300_000 }),
    ...options.timeouts,
  };
  return httpProvider({
    id: options.id,
    wire: api,
    baseUrl: versioned(baseUrl, api),
    keys: options.apiKeys,
    headers: options.headers ?? {},
    quirks,
    fetch: options.fetch,
    clock: options.clock,
    timeouts,
  });
}

/** Most people leave out the version that the API's paths begin with. */
export function versioned(baseUrl: string, api: WireKind): string {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "");
  const missing = api === "anthropic" ? !/\/v\d/.test(path) : path === "";
  url.pathname = missing ? `${path}${api === "google" ? "/v1beta" : "/v1"}` : path;
  return url.href.replace(/\/$/, "");
}

function withoutKey(id: string, variable: string): Provider {
  return {
    id,
    // oxlint-disable-next-line require-yield -- the interface is a stream; this one only fails
    async *stream(): AsyncGenerator<ModelEvent> {
      throw new RuntimeError(
        "provider.no-key",
        `No key is configured for ${id}. Set ${variable} or providers.${id}.apiKey.`,
        { details: { name: variable } },
      );
    },
  };
}
