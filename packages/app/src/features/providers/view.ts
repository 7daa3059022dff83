/** Providers and models as the API shows them. */
import { modelInfo } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import { hashOf, type Loaded } from "../../config/load.ts";
import { modelRef } from "../../config/agent-settings.ts";
import { valueAt } from "../../config/value-at.ts";
import type { Language } from "../../texts/text.ts";
import { knownProviders, missingKey, type KnownProvider } from "../../models/model-check.ts";
import { effectiveModel, windowOf } from "../../models/choose-model.ts";
import { findPlugin, hasOtherCredentials } from "../../models/known-plugins.ts";
import { CHINESE_VENDORS } from "../../models/catalog-china.ts";
import { findVendor } from "../../models/catalog.ts";
import { keyPageOf } from "../../models/key-pages.ts";
import type { ActiveModel, ModelView, ProviderView } from "./schema.ts";
import type { Mask } from "../settings/schema.ts";
import { fromEnvironment, maskOf, UNSET } from "../../host/settings/mask.ts";
import { words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** When the built-in table of prices was read. */
const PRICES_READ = "2026-11-21";

export function providerViews(loaded: Loaded, env: Env, language: Language): readonly ProviderView[] {
  return knownProviders(loaded.config, env).map((provider) => providerView(provider, loaded, env, language));
}

/** Undefined: neither known nor configured. */
export function providerNamed(id: string, loaded: Loaded, env: Env, language: Language): ProviderView | undefined {
  return providerViews(loaded, env, language).find((provider) => provider.id === id);
}

function providerView(provider: KnownProvider, loaded: Loaded, env: Env, language: Language): ProviderView {
  const { id, name, variables, baseUrl, defaultModel } = provider;
  const { config } = loaded;
  const configured = config.providers[id];
  const wire = configured?.api ?? findVendor(id)?.api;
  const key = keyMask(id, variables, loaded, env);
  const page = keyPageOf(id);
  const headers = Object.fromEntries(
    Object.keys(configured?.headers ?? {}).map((header) => [
      header,
      maskOf(valueAt(loaded.raw, ["providers", id, "headers", header]), loaded),
    ]),
  );
  const models = modelsOf(id, config, defaultModel);
  const shown = {
    id,
    title: name,
    ...(wire !== undefined && { wire }),
    group: groupOf(id, provider.local),
    ...(baseUrl !== undefined && { baseUrl }),
    key,
    headers,
    configured: configured !== undefined,
    usable: variables.length === 0 || key.$secret.set || hasOtherCredentials(id, env),
    keyHelp: keyHelp(variables, language),
    ...(page !== undefined && { keyPage: page.page }),
    keyPrefixes: [...(page?.prefixes ?? [])],
    aliases: [...(page?.aliases ?? [])],
    models,
  };
  return { ...shown, hash: hashOf(JSON.stringify([shown.baseUrl, wire, key, headers, shown.configured])) };
}

/** Of the configuration first, then of the variables that the provider's own tools use. */
function keyMask(id: string, variables: readonly string[], loaded: Loaded, env: Env): Mask {
  const { apiKey, apiKeys = [] } = loaded.config.providers[id] ?? {};
  if (apiKey !== undefined && apiKey !== "") return maskOf(valueAt(loaded.raw, ["providers", id, "apiKey"]), loaded);
  if (apiKeys.length > 0) return maskOf(valueAt(loaded.raw, ["providers", id, "apiKeys", "0"]), loaded);
  const variable = variables.find((name) => (env[name] ?? "") !== "");
  return variable === undefined ? UNSET : fromEnvironment(variable);
}

function groupOf(id: string, local: boolean): ProviderView["group"] {
  if (local) return "local";
  if (CHINESE_VENDORS.some((vendor) => vendor.id === id)) return "china";
  if (findVendor(id) !== undefined) return "cloud";
  return findPlugin(id) === undefined ? "custom" : "plugin";
}

function keyHelp(variables: readonly string[], language: Language): string {
  const [variable] = variables;
  if (variable === undefined) return words(language, TEXT.mayNeedNo);
  return words(language, TEXT.pasteKeyFrom, { variable });
}

function modelsOf(id: string, config: Config, defaultModel: string | undefined): string[] {
  const named = namedModels(config).filter((name) => modelRef(name).provider === id);
  const all = [...(defaultModel === undefined ? [] : [defaultModel]), ...named.map((name) => modelRef(name).model)];
  return [...new Set(all)];
}

/** Every model the configuration speaks of. */
export function namedModels(config: Config): readonly string[] {
  const model = effectiveModel(config);
  const { memory, fallbackModels, models } = config;
  return [
    ...(model === null ? [] : [model]),
    ...fallbackModels,
    ...(memory.model === null ? [] : [memory.model]),
    ...Object.keys(models),
  ];
}

export function modelView(name: string, config: Config): ModelView {
  const { provider, model } = modelRef(name);
  const info = modelInfo(provider, model, { local: findVendor(provider)?.local === true });
  return {
    id: name,
    window: windowOf(name, config),
    maxOutput: info.maxOutputTokens,
    vision: info.images,
    tools: true,
    thinking: info.thinking,
    ...priceView(name, config),
  };
}

function priceView(name: string, config: Config): Pick<ModelView, "price"> {
  const own = config.models[name]?.price;
  if (own !== undefined) return { price: { ...own, source: "settings" } };
  const { provider, model } = modelRef(name);
  const { price } = modelInfo(provider, model);
  return price === undefined ? {} : { price: { ...price, asOf: PRICES_READ, source: "built-in" } };
}

export function activeModel(loaded: Loaded, env: Env, hash: string): ActiveModel {
  const { config } = loaded;
  const model = effectiveModel(config);
  const chain = model === null ? [] : [model, ...config.fallbackModels];
  return {
    chain: chain.map((name) => {
      const variable = missingKey(name, config, env);
      return { model: name, window: windowOf(name, config), ...(variable !== undefined && { missingKey: variable }) };
    }),
    memoryModel: config.memory.model,
    practice: model === null,
    hash,
  };
}
