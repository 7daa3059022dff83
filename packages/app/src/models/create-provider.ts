// A configured provider → Provider: catalog row, keys, deadlines and the AI SDK package of its API, loaded when used.
import { RuntimeError, languageModel } from "@margay/core";
import { chatBody, createActivity, createSplicer, wireFetch, withKeys, withWatchdog } from "@margay/core/internal";
import type { Clock, ModelEvent, Provider } from "@margay/core";
import type { Activity, Quirks, Timeouts, WireKind } from "@margay/core/internal";
import { findVendor } from "./catalog.ts";
import { loadModels } from "./load-models.ts";

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
  const activity = createActivity();
  const withKey = (key: string | undefined): Provider =>
    keyed(options, { api, baseUrl: versioned(baseUrl, api), quirks, key, activity });
  const variable = vendor?.keys[0];
  const inner =
    options.apiKeys.length > 0
      ? withKeys(options.id, options.apiKeys, withKey, options.clock)
      : variable === undefined
        ? withKey(undefined)
        : withoutKey(options.id, variable);
  // Reading a long prompt on a home machine takes minutes before the first word.
  const timeouts: Timeouts = {
    ...(vendor?.local === true && { firstByteMs: options.timeouts?.totalMs ?? 300_000 }),
    ...options.timeouts,
  };
  return withWatchdog(inner, options.clock, timeouts, activity);
}

interface Keyed {
  readonly api: WireKind;
  readonly baseUrl: string;
  readonly quirks: Quirks;
  readonly key: string | undefined;
  readonly activity: Activity;
}

function keyed(options: ProviderOptions, { api, baseUrl, quirks, key, activity }: Keyed): Provider {
  const splicer = createSplicer();
  const guarded = wireFetch(options.fetch, api, {
    provider: options.id,
    now: () => options.clock.now(),
    onBytes: activity.touch,
    splicer,
  });
  const models = loadModels({
    api,
    baseUrl,
    key,
    headers: options.headers ?? {},
    fetch: guarded,
    body: chatBody(quirks),
  });
  return languageModel(models, { id: options.id, quirks, clock: options.clock, splicer });
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
