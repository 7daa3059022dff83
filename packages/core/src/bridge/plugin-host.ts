// What a provider plugin is handed by the program, and the Provider that loads the plugin at its first request.
import type { Clock, Json } from "../contract/base.ts";
import type { PluginOptions, ProviderPlugin } from "./provider-plugin.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import type { ErrorCode } from "../lib/errors/error-codes.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { withKeys } from "../model/keys.ts";
import { languageModel } from "./language-model.ts";
import type { ModelSource } from "./language-model.ts";
import { createEndpoint, type EndpointOptions } from "../model/provider.ts";
import type { Quirks, WireKind } from "../model/quirks.ts";
import { createActivity, withWatchdog } from "../model/watchdog.ts";
import type { Timeouts } from "../model/watchdog.ts";
import { WIRES } from "../wires/wires.ts";

/** margay's side of a provider plugin. */
export interface ProviderHost {
  /** Arriving bytes count as signs of life for the deadlines. */
  readonly fetch: typeof fetch;
  /** A provider that speaks one of the known APIs at another address, or with a key said in another way. */
  readonly endpoint: (options: PluginEndpoint) => Provider;
  /** A model of an `@ai-sdk` package → Provider under the configured name. */
  readonly languageModel: (model: ModelSource, quirks?: Quirks) => Provider;
  /** The error to throw. `message` reads `what happened. what to do.`; `details.name` is what a person has to set. */
  readonly error: (code: ErrorCode, message: string, details?: Json) => Error;
  readonly clock: Clock;
}

/** Where one of the known APIs is spoken. */
export type PluginEndpoint = Pick<EndpointOptions, "baseUrl" | "headers" | "query" | "quirks"> & {
  readonly wire: WireKind;
  /** The headers that carry the key. */
  readonly auth: Readonly<Record<string, string>>;
};

export interface PluginProviderOptions extends Omit<PluginOptions, "apiKey" | "settings"> {
  readonly apiKeys: readonly string[];
  /** Values by name, after the plugin has said which it knows. */
  readonly settings: (plugin: ProviderPlugin<ProviderHost>) => Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timeouts?: Timeouts;
}

/** A provider whose plugin is loaded at the first request: a start costs nothing for a model nobody asks. */
export function pluginProvider(
  load: () => Promise<ProviderPlugin<ProviderHost>>,
  options: PluginProviderOptions,
): Provider {
  const { id, apiKeys, clock, timeouts } = options;
  const activity = createActivity();
  const host: ProviderHost = {
    fetch: watchedFetch(options.fetch, activity.touch),
    endpoint: ({ auth, wire, ...endpoint }) =>
      createEndpoint({
        ...endpoint,
        wire: WIRES[wire],
        id,
        clock,
        auth: () => auth,
        fetch: options.fetch,
        onBytes: activity.touch,
      })(undefined),
    languageModel: (model, quirks) => languageModel(model, { id, clock, ...(quirks !== undefined && { quirks }) }),
    error: (code, message, details) => new RuntimeError(code, message, { ...(details !== undefined && { details }) }),
    clock,
  };
  const withKey = (apiKey?: string): Provider =>
    lazy(id, async () => {
      const plugin = await load();
      return plugin.create(
        {
          id,
          headers: options.headers,
          settings: options.settings(plugin),
          ...(apiKey !== undefined && { apiKey }),
          ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
          ...(options.api !== undefined && { api: options.api }),
        },
        host,
      );
    });
  const inner = apiKeys.length === 0 ? withKey() : withKeys(id, apiKeys, withKey, clock);
  return withWatchdog(inner, clock, timeouts, activity);
}

/** Whether an export of a package is a plugin of this contract. */
export function isProviderPlugin(value: unknown): value is ProviderPlugin<ProviderHost> {
  if (typeof value !== "object" || value === null) return false;
  const { contract, id, name, keys, settings, secrets, create } = value as Readonly<Record<string, unknown>>; // read as unknown
  return (
    contract === "provider/1" &&
    typeof id === "string" &&
    /^[a-z0-9][a-z0-9-]*$/.test(id) &&
    typeof name === "string" &&
    isNames(keys) &&
    [settings, secrets].every((map) => typeof map === "object" && map !== null && Object.values(map).every(isNames)) &&
    typeof create === "function"
  );
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** A failed load is tried again: the plugin may have been installed meanwhile. */
function lazy(id: string, make: () => Promise<Provider>): Provider {
  let made: Promise<Provider> | undefined;
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    made ??= make();
    let provider: Provider;
    try {
      provider = await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
    yield* provider.stream(request, signal);
  }
  return { id, stream };
}

/** For APIs whose answers are read by the plugin's own library. */
function watchedFetch(inner: typeof fetch, onBytes: (signal: AbortSignal | undefined) => void): typeof fetch {
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await inner(input, init);
    const signal = init?.signal ?? undefined;
    onBytes(signal);
    if (!response.ok || response.body === null) return response;
    const reader = response.body.getReader();
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return;
          }
          onBytes(signal);
          controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = response;
    // What a client library reads of a response; a real Response would load undici.
    return { ok: true, status, statusText, headers, body } as unknown as Response;
  };
  return send as typeof fetch;
}
