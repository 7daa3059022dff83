/** Providers: which there are, what this machine offers, changing one, testing one. */
import { httpFetch } from "@margay/core/internal";
import { findVendor } from "../../models/catalog.ts";
import { detectKeys, detectServers } from "../../models/detect.ts";
import { vendorHere, vendorsHere } from "../../models/vendors-here.ts";
import { requireMatch, requireNone, tagged, tagOf } from "../../host/api/etag.ts";
import { Problem } from "../../host/api/problem.ts";
import { draftOf, modelsPatch, providerPatch, refuseAddress, requireOwnerToMove } from "./draft.ts";
import { keysOf } from "../../models/choose-model.ts";
import { modelsListed } from "./models-listed.ts";
import { testProvider } from "./test-provider.ts";
import { modelView, providerNamed, providerViews } from "./view.ts";
import { route, type Route } from "../../host/api/route.ts";
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
import { hashOf } from "../../config/load.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

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
      const servers = await detectServers({
        fetch: httpFetch(),
        clock: services.app.clock,
        vendors: vendorsHere(env),
      });
      return {
        body: {
          env: detectKeys(env).map(({ vendor, variable }) => ({ provider: vendor.id, variable })),
          local: servers.map(({ vendor, models }) => ({
            kind: LOCAL_KINDS[vendor.id] ?? vendor.id,
            provider: vendor.id,
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
    handle: async (call) => {
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
      await changeSettings(patchEdits(patch, call), call, { dryRun: false });
      const after = providerNamed(id, services.app.inside.loaded(), env, language);
      if (after === undefined)
        throw new Problem("settings.invalid", {
          ...told({ detail: TEXT.nothingGivenFor }, { id }),
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
    handle: async (call) => {
      const { services, params, language, headers } = call;
      const id = idOf(params["id"]);
      const loaded = services.app.inside.loaded();
      const before = providerNamed(id, loaded, services.loadOptions.env, language);
      if (before?.configured !== true) throw noProvider(id);
      requireMatch(headers, before.hash);
      await changeSettings(removalsBelow(["providers", id], loaded), call, { dryRun: false });
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
      requireOwnerToMove(id, body, saved?.baseUrl ?? vendorHere(id, env)?.baseUrl, call);
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
      const vendor = vendorHere(id, env);
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
  return new Problem(
    "provider.not-found",
    told({ detail: TEXT.noProvider, remedy: TEXT.listsThem }, { id: id.slice(0, 64) }),
  );
}

function idOf(text: string | undefined): string {
  const parsed = ProviderId.safeParse(text ?? "");
  if (!parsed.success) throw noProvider(text ?? "");
  return parsed.data;
}
