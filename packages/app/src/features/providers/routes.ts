/** Providers: which there are, what this machine offers, changing one, testing one. */
import { type Json, type JsonObject } from "@margay/core";
import { httpFetch } from "@margay/core/internal";
import type { z } from "zod";
import type { ProviderConfig } from "../../config/config.ts";
import { findPlugin } from "../../models/known-plugins.ts";
import { findVendor } from "../../models/catalog.ts";
import { detectKeys, detectServers } from "../../models/detect.ts";
import { requireMatch, requireNone, tagged, tagOf } from "../../host/api/etag.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { addressFault, type AddressFault } from "./address.ts";
import { keysOf } from "../../models/choose-model.ts";
import { modelsListed } from "./models-listed.ts";
import { testProvider } from "./test-provider.ts";
import { modelView, providerNamed, providerViews } from "./view.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import {
  DetectedSchema,
  ModelsSchema,
  ProviderBody,
  ProviderDraftBody,
  ProviderId,
  ProviderSchema,
  ProvidersSchema,
  ProviderTestBody,
} from "./schema.ts";
import { TestResultSchema } from "../../protocol/test-result.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { removalsBelow } from "../../host/settings/edits.ts";
import { isReadForm, writtenSecret } from "../../host/settings/mask.ts";
import { hashOf } from "../../config/load.ts";
import { words } from "../../host/api/words.ts";

type Draft = z.infer<typeof ProviderBody>;
type Caller = Pick<Call<unknown, unknown>, "services" | "language" | "t" | "credential">;

/** Kinds of local servers, by their ids in the catalog. */
const LOCAL_KINDS: Readonly<Record<string, string>> = { "llama-server": "llamacpp" };

export const PROVIDER_ROUTES: readonly Route[] = [
  route({
    id: "listProviders",
    method: "GET",
    path: "/providers",
    scope: "read",
    summary: "The catalog of providers and those of the configuration; keys as masks.",
    response: ProvidersSchema,
    handle: ({ services, language, headers }) => {
      const views = providerViews(services.app.inside.loaded(), services.loadOptions.env, language);
      return tagged(headers, hashOf(JSON.stringify(views)), views);
    },
  }),
  route({
    id: "detectProviders",
    method: "GET",
    path: "/providers/detect",
    scope: "admin",
    summary: "Keys in the environment, by name, and model servers on this machine.",
    response: DetectedSchema,
    handle: async ({ services }) => {
      const { env } = services.loadOptions;
      const servers = await detectServers({ fetch: httpFetch(), clock: services.app.clock });
      return {
        body: {
          env: detectKeys(env).map(({ vendor, variable }) => ({ provider: vendor.id, variable })),
          local: servers.map(({ vendor, models }) => ({
            kind: LOCAL_KINDS[vendor.id] ?? vendor.id,
            url: vendor.baseUrl,
            models,
          })),
        },
      };
    },
  }),
  route({
    id: "putProvider",
    method: "PUT",
    path: "/providers/{id}",
    scope: "admin",
    summary: "Configures a provider; from the next turn on.",
    body: ProviderBody,
    response: ProviderSchema,
    errors: [
      "provider.not-found",
      "settings.invalid",
      "settings.locked",
      "settings.unreadable-file",
      "precondition.required",
      "precondition.failed",
      "auth.fresh-required",
    ],
    handle: (call) => {
      const { services, params, body, language, headers } = call;
      const id = idOf(params["id"]);
      const loaded = services.app.inside.loaded();
      const { env } = services.loadOptions;
      const before = providerNamed(id, loaded, env, language);
      if (before === undefined) requireNone(headers, "");
      else requireMatch(headers, before.hash);
      refuseAddress(id, body, language);
      requireOwnerToMove(id, body, before?.baseUrl, call);
      const patch = { providers: { [id]: providerPatch(id, body) }, ...modelsPatch(id, body) };
      changeSettings(patchEdits(patch, call), call, { dryRun: false });
      const after = providerNamed(id, services.app.inside.loaded(), env, language);
      if (after === undefined)
        throw new Problem("settings.invalid", {
          detail: `Nothing was given for ${id}. A provider of your own needs wire and baseUrl.`,
          zh: { detail: `未给出 ${id} 的任何设置。自定义提供方需要 wire 和 baseUrl。` },
          errors: [{ path: "/baseUrl", code: "required", message: "is missing" }],
        });
      return { body: after, headers: { etag: tagOf(after.hash) } };
    },
  }),
  route({
    id: "deleteProvider",
    method: "DELETE",
    path: "/providers/{id}",
    scope: "admin",
    summary: "Removes what the configuration says of a provider, and its stored key.",
    status: 204,
    errors: ["provider.not-found", "settings.invalid", "precondition.required", "precondition.failed"],
    handle: (call) => {
      const { services, params, language, headers } = call;
      const id = idOf(params["id"]);
      const loaded = services.app.inside.loaded();
      const before = providerNamed(id, loaded, services.loadOptions.env, language);
      if (before?.configured !== true) throw noProvider(id);
      requireMatch(headers, before.hash);
      changeSettings(removalsBelow(["providers", id], loaded), call, { dryRun: false });
      return { status: 204 };
    },
  }),
  route({
    id: "testProvider",
    method: "POST",
    path: "/providers/test",
    scope: "admin",
    summary: "Tests a provider or a draft of one, step by step. Nothing is saved.",
    body: ProviderTestBody,
    response: TestResultSchema,
    errors: ["provider.not-found", "settings.invalid", "auth.fresh-required"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { services, body, language, signal } = call;
      const { config } = services.app.inside.loaded();
      const { env, places } = services.loadOptions;
      const id = body.id ?? "draft";
      const saved = config.providers[id];
      if (body.id !== undefined && body.baseUrl === undefined && saved === undefined && findVendor(id) === undefined)
        throw noProvider(id);
      refuseAddress(id, body, language);
      requireOwnerToMove(id, body, saved?.baseUrl ?? findVendor(id)?.baseUrl, call);
      const draft = draftOf(saved, body);
      return {
        body: await testProvider(
          {
            id,
            config: { ...config, providers: { ...config.providers, [id]: draft } },
            model: body.model,
            live: body.live === true,
            env,
            home: places.home,
            language,
            clock: services.app.clock,
            redact: services.app.inside.redact,
          },
          signal,
        ),
      };
    },
  }),
  route({
    id: "listDraftModels",
    method: "POST",
    path: "/providers/models",
    scope: "admin",
    summary: "The models that a provider, or a draft of one, lists now. Nothing is saved.",
    body: ProviderDraftBody,
    response: ModelsSchema,
    compressed: true,
    errors: [
      "provider.not-found",
      "provider.unreachable",
      "provider.failed",
      "provider.auth",
      "provider.rate-limited",
      "settings.invalid",
      "auth.fresh-required",
    ],
    handle: async (call) => {
      const { services, body } = call;
      const { config } = services.app.inside.loaded();
      const { env } = services.loadOptions;
      const { id } = body;
      const vendor = findVendor(id);
      const saved = config.providers[id];
      refuseAddress(id, body, call.language);
      requireOwnerToMove(id, body, saved?.baseUrl ?? vendor?.baseUrl, call);
      const draft = draftOf(saved, body);
      const api = draft.api ?? vendor?.api;
      const baseUrl = draft.baseUrl ?? vendor?.baseUrl;
      if (api === undefined || baseUrl === undefined) throw noProvider(id);
      const providers = { ...config.providers, [id]: draft };
      const key = keysOf(id, { ...config, providers }, env)[0];
      const names = await modelsListed(id, { api, baseUrl, key, headers: draft.headers ?? {} }, call);
      return { body: (names ?? []).map((name) => modelView(`${id}/${name}`, config)) };
    },
  }),
];

export function noProvider(id: string): Problem {
  return new Problem("provider.not-found", {
    detail: `There is no provider ${id.slice(0, 64)}.`,
    remedy: "GET /api/v1/providers lists them.",
    zh: { detail: `没有提供方 ${id.slice(0, 64)}。`, remedy: "GET /api/v1/providers 列出全部。" },
  });
}

function idOf(text: string | undefined): string {
  const parsed = ProviderId.safeParse(text ?? "");
  if (!parsed.success) throw noProvider(text ?? "");
  return parsed.data;
}

const ADDRESS_TEXTS: Readonly<Record<AddressFault, { readonly en: string; readonly "zh-CN": string }>> = {
  url: { en: "is not an http or https address", "zh-CN": "不是 http 或 https 地址" },
  credentials: { en: "holds a name or password; use the key", "zh-CN": "含有用户名或密码；请使用密钥字段" },
  reserved: { en: "is a reserved address, where no model is", "zh-CN": "是保留地址，不会有模型" },
  plain: { en: "is plain http beyond the local network; use https", "zh-CN": "是局域网之外的明文 http；请使用 https" },
  private: {
    en: "is on this machine or the local network; send allowPrivate: true if that is meant",
    "zh-CN": "位于本机或局域网；如确有此意，请发送 allowPrivate: true",
  },
};

/** The catalog's own address of a local server needs no word of its own. */
function refuseAddress(id: string, { baseUrl, allowPrivate }: Draft, language: "en" | "zh-CN"): void {
  if (baseUrl === undefined || baseUrl === findVendor(id)?.baseUrl) return;
  const fault = addressFault(baseUrl, allowPrivate === true);
  if (fault === undefined) return;
  const message = words(language, ADDRESS_TEXTS[fault]);
  throw new Problem("settings.invalid", {
    detail: `baseUrl ${message}`,
    errors: [{ path: "/baseUrl", code: fault, message }],
  });
}

/** A key that is kept goes to the new address: that moves a secret. */
function requireOwnerToMove(id: string, draft: Draft, baseUrl: string | undefined, call: Caller): void {
  if (draft.baseUrl === undefined || originOf(draft.baseUrl) === originOf(baseUrl)) return;
  const keeps = draft.key === undefined || (draft.key !== null && isReadForm(draft.key as Json));
  const { config } = call.services.app.inside.loaded();
  const stored = config.providers[id];
  const has =
    (stored?.apiKey ?? "") !== "" ||
    (stored?.apiKeys ?? []).length > 0 ||
    Object.keys(stored?.headers ?? {}).length > 0 ||
    (findVendor(id)?.keys ?? findPlugin(id)?.keys ?? []).some(
      (name) => (call.services.loadOptions.env[name] ?? "") !== "",
    );
  if (keeps && has)
    requireOwner(call, { en: `Sending the key of ${id} to another address`, "zh-CN": `将 ${id} 的密钥发送到其他地址` });
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : (URL.parse(address)?.origin ?? address);
}

/** The key the person pasted, or the one there is. */
function draftOf(saved: ProviderConfig | undefined, draft: Draft): ProviderConfig {
  const { apiKey, apiKeys, ...rest } = saved ?? {};
  const written = draft.key === undefined || draft.key === null ? undefined : writtenSecret(draft.key as Json);
  const headers = Object.entries(draft.headers ?? {}).flatMap(([name, value]): readonly [string, string][] => {
    const text = typeof value === "string" ? value : value === null ? undefined : writtenSecret(value as Json);
    const kept = text ?? (value === null ? undefined : saved?.headers?.[name]);
    return kept === undefined ? [] : [[name, kept]];
  });
  return {
    ...rest,
    ...(draft.wire !== undefined && { api: draft.wire }),
    ...(draft.baseUrl !== undefined && { baseUrl: draft.baseUrl }),
    ...(draft.headers !== undefined && { headers: Object.fromEntries(headers) }),
    ...(written !== undefined
      ? { apiKey: written }
      : draft.key !== null && {
          ...(apiKey !== undefined && { apiKey }),
          ...(apiKeys !== undefined && { apiKeys }),
        }),
  };
}

/** What is as in the catalog is not written down. */
function providerPatch(id: string, { wire, baseUrl, key, headers }: Draft): JsonObject {
  const vendor = findVendor(id);
  return {
    ...(wire !== undefined && { api: wire === vendor?.api ? null : wire }),
    ...(baseUrl !== undefined && { baseUrl: baseUrl === vendor?.baseUrl ? null : baseUrl }),
    ...(key !== undefined && {
      apiKey: key as Json,
      ...(key !== null && !isReadForm(key as Json) && { apiKeys: null }),
    }),
    ...(headers !== undefined && { headers: headers as Json }),
  };
}

function modelsPatch(id: string, { models = [] }: Draft): JsonObject {
  const windows = models.flatMap((model) =>
    model.window === undefined ? [] : [[`${id}/${model.id}`, { contextWindow: model.window }] as const],
  );
  return windows.length === 0 ? {} : { models: Object.fromEntries(windows) };
}
