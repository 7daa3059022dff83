/** The configured model and its fallbacks → one provider. */
import { withFallback, type Clock, type ModelEvent, type ModelRef, type Provider } from "@margay/core";
import { costOf, httpFetch, modelInfo, pluginProvider } from "@margay/core/internal";
import type { Config } from "../config/config.ts";
import { modelRef } from "../config/agent-settings.ts";
import { findPlugin } from "./known-plugins.ts";
import { pluginFor, settingsOf } from "./plugin-load.ts";
import { locateProvider } from "./plugin-locate.ts";
import { findVendor } from "./catalog.ts";
import { createProvider } from "./create-provider.ts";
import { vendorHere } from "./vendors-here.ts";

export interface ChosenModel {
  readonly provider: Provider;
  readonly model: ModelRef;
  /** Tokens; of a chain of fallbacks the smallest. */
  readonly contextWindow: number;
  readonly practice: boolean;
}

export interface ModelOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The state directory, where plugins are installed. */
  readonly home?: string;
  /** The configuration at the time of a request, for providers that are kept. Default: `config`. */
  readonly now?: () => Config;
  /** A request is about to be made: the connection to the model is opened while the rest is constructed. */
  readonly asksAtOnce?: boolean;
}

/**
 * @returns undefined without a model: practice mode, and nothing pretends otherwise.
 * @throws RuntimeError `provider.unknown`, `plugin.missing`. A missing key is an error of the first request, naming the key.
 */
export function chooseModel(options: ModelOptions): ChosenModel | undefined {
  const { config, clock } = options;
  const ref = effectiveModel(config);
  if (ref === null) return undefined;
  const model = modelRef(ref);
  const provider = providerFor(model, options);
  const contextWindow = windowOf(ref, config);
  if (config.fallbackModels.length === 0) return { provider, model, contextWindow, practice: false };
  const others = config.fallbackModels.map((ref) => ({
    provider: providerFor(modelRef(ref), { ...options, asksAtOnce: false }),
    model: modelRef(ref).model,
    contextWindow: windowOf(ref, config),
  }));
  const chain = withFallback([{ provider, model: model.model, contextWindow }, ...others], clock);
  return { provider: chain, model, contextWindow: chain.contextWindow, practice: false };
}

/** `model`, or the default model of the first provider that is configured; null: practice mode. */
export function effectiveModel(config: Config): string | null {
  if (config.model !== null) return config.model;
  const defaults = Object.keys(config.providers).flatMap((id) => {
    const model = findVendor(id)?.defaultModel;
    return model === undefined ? [] : [`${id}/${model}`];
  });
  return defaults[0] ?? null;
}

export function providerFor(model: ModelRef, options: ModelOptions): Provider {
  return withOwnPrices(unpriced(model, options), options.now ?? (() => options.config));
}

function unpriced(model: ModelRef, { config, env, clock, home, asksAtOnce }: ModelOptions): Provider {
  const id = model.provider;
  const configured = config.providers[id];
  const baseUrl = configured?.baseUrl ?? vendorHere(id, env)?.baseUrl;
  const apiKeys = keysOf(id, config, env);
  const address = baseUrl ?? findVendor(id)?.baseUrl;
  const soon = asksAtOnce === true && address !== undefined && (apiKeys.length > 0 || baseUrl !== undefined);
  const common = {
    id,
    apiKeys,
    fetch: httpFetch(soon ? { connectTo: address } : {}),
    clock,
    timeouts: { totalMs: config.agent.requestTimeoutSeconds * 1000, idleMs: config.agent.idleTimeoutSeconds * 1000 },
    ...(configured?.api !== undefined && { api: configured.api }),
    ...(baseUrl !== undefined && { baseUrl }),
    headers: configured?.headers ?? {},
  };
  if (findVendor(id) !== undefined) return createProvider(common);
  const load = pluginFor(id, { home, optional: isDescribed(id, config) });
  if (load === undefined) return createProvider(common);
  return pluginProvider(load, {
    ...common,
    settings: (plugin) => settingsOf(plugin, configured?.options ?? {}, env),
  });
}

/** Configured keys first, then the variables the provider's own tools use. */
export function keysOf(
  provider: string,
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { apiKey, apiKeys = [] } = config.providers[provider] ?? {};
  const configured = [...(apiKey === undefined ? [] : [apiKey]), ...apiKeys].filter((key) => key !== "");
  if (configured.length > 0) return configured;
  return (findVendor(provider)?.keys ?? findPlugin(provider)?.keys ?? [])
    .flatMap((name) => (env[name] === undefined || env[name] === "" ? [] : [env[name]]))
    .slice(0, 1);
}

type Price = NonNullable<ReturnType<typeof modelInfo>["price"]>;

/** What the person set, else what is known; undefined: nobody knows. */
export function priceOf(model: ModelRef, config: Config): Price | undefined {
  return ownPrice(model, config) ?? modelInfo(model.provider, model.model).price;
}

/** Nothing of a turn with it is paid, also when a model of `fallbackModels` answers in its place. */
export function isFree(model: ModelRef, config: Config): boolean {
  const main = effectiveModel(config);
  const stands = main !== null && modelRef(main).provider === model.provider; // the chain is of that provider
  return [model, ...(stands ? config.fallbackModels.map(modelRef) : [])].every((one) => {
    const price = priceOf(one, config);
    return price === undefined ? findVendor(one.provider)?.local === true : price.input + price.output === 0;
  });
}

function ownPrice({ provider, model }: ModelRef, config: Config): Price | undefined {
  return config.models[`${provider}/${model}`]?.price;
}

/** A price that the person set holds over the table and over what a provider says. */
function withOwnPrices(provider: Provider, config: () => Config): Provider {
  return {
    ...provider,
    stream: (request, signal) => {
      const price = ownPrice({ provider: provider.id, model: request.model }, config());
      const events = provider.stream(request, signal);
      return price === undefined ? events : atPrice(events, price);
    },
  };
}

async function* atPrice(events: AsyncIterable<ModelEvent>, price: Price): AsyncGenerator<ModelEvent> {
  for await (const event of events)
    yield event.type === "done"
      ? { ...event, usage: { ...event.usage, costUsd: costOf(event.usage, price) ?? 0 } } // it has a price
      : event;
}

export function windowOf(ref: string, config: Config): number {
  const { provider, model } = modelRef(ref);
  const local = findVendor(provider)?.local === true;
  return config.models[ref]?.contextWindow ?? modelInfo(provider, model, { local }).contextWindow;
}

/**
 * `provider/model` when requests for it can be sent: the provider is in the catalog, one of our plugins, installed, or
 * described in full; undefined otherwise.
 */
export function knownModel(
  name: string,
  { config, home }: Pick<ModelOptions, "config" | "home">,
): ModelRef | undefined {
  if (!/^[^/]+\/.+$/.test(name)) return undefined;
  const ref = modelRef(name);
  const id = ref.provider;
  const known = findVendor(id) ?? findPlugin(id) ?? locateProvider(id, { home });
  return known === undefined && !isDescribed(id, config) ? undefined : ref;
}

/** Such a provider needs no plugin, even under the name of one. */
function isDescribed(id: string, { providers }: Config): boolean {
  return providers[id]?.api !== undefined && providers[id].baseUrl !== undefined;
}
