/** Models: what a provider offers, what is known of them, and which ones answer. */
import type { Clock } from "@margay/core";
import { keysOf, knownModel } from "../../models/choose-model.ts";
import { findVendor } from "../../models/catalog.ts";
import { requireMatch, tagOf } from "../../host/api/etag.ts";
import { Problem } from "../../host/api/problem.ts";
import { insteadOf, offeredModels } from "./instead.ts";
import { modelsListed } from "./models-listed.ts";
import { activeModel, modelView, providerNamed } from "./view.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { ActiveModelBody, ActiveModelSchema, InsteadQuery, InsteadSchema, ModelsSchema } from "./schema.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { settingsHash } from "../../host/settings/view.ts";
import { noProvider } from "./routes.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

const KEPT_MS = 600_000;

export const MODEL_ROUTES: readonly Route[] = [
  route({
    id: "listProviderModels",
    method: "GET",
    path: "/providers/{id}/models",
    scope: "read",
    summary: "The models a provider lists now; kept for ten minutes.",
    response: ModelsSchema,
    compressed: true,
    errors: ["provider.not-found", "provider.unreachable", "provider.failed", "provider.auth", "provider.rate-limited"],
    handle: async (call) => {
      const { services, params } = call;
      const names = await services.once(createModelCache).get(params["id"] ?? "", call);
      const { config } = services.app.inside.loaded();
      return { body: names.map((name) => modelView(`${params["id"] ?? ""}/${name}`, config)) };
    },
  }),
  route({
    id: "listModels",
    method: "GET",
    path: "/models",
    scope: "read",
    summary: "Models that are configured, and the default one of each provider that could answer.",
    response: ModelsSchema,
    compressed: true,
    handle: ({ services }) => ({
      body: [...offeredModels(services.app.inside.loaded(), services.loadOptions.env)],
    }),
  }),
  route({
    id: "modelsInstead",
    method: "GET",
    path: "/models/instead",
    scope: "read",
    summary: "Which models could answer in the place of one that does not.",
    query: InsteadQuery,
    response: InsteadSchema,
    handle: ({ services, query }) => ({
      body: insteadOf(query.model, services.app.inside.loaded(), services.loadOptions.env),
    }),
  }),
  route({
    id: "getActiveModel",
    method: "GET",
    path: "/models/active",
    scope: "read",
    summary: "Which models answer, in order.",
    response: ActiveModelSchema,
    handle: ({ services }) => {
      const loaded = services.app.inside.loaded();
      const hash = settingsHash(loaded);
      return { body: activeModel(loaded, services.loadOptions.env, hash), headers: { etag: tagOf(hash) } };
    },
  }),
  route({
    id: "putActiveModel",
    method: "PUT",
    path: "/models/active",
    scope: "admin",
    summary: "Chooses the model, its fallbacks and the model for memory; from the next turn on.",
    body: ActiveModelBody,
    response: ActiveModelSchema,
    errors: ["model.not-found", "settings.invalid", "settings.locked", "precondition.failed"],
    handle: async (call) => {
      const { services, body, headers } = call;
      const before = services.app.inside.loaded();
      // The choice is a whole, so nobody's other change can be lost: If-Match is looked at when it is there.
      if (headers["if-match"] !== undefined) requireMatch(headers, settingsHash(before));
      const { model, fallbackModels, memoryModel } = body;
      const { home } = services.loadOptions.places;
      for (const name of [model, ...(fallbackModels ?? []), memoryModel])
        if (typeof name === "string" && knownModel(name, { config: before.config, home }) === undefined)
          throw new Problem(
            "model.not-found",
            told({ detail: TEXT.noProviderKnown, remedy: TEXT.useProviderModel }, { name }),
          );
      const patch = {
        model,
        ...(fallbackModels !== undefined && { fallbackModels }),
        ...(memoryModel !== undefined && { memory: { model: memoryModel } }),
      };
      await changeSettings(patchEdits(patch, call), call, { dryRun: false });
      const loaded = services.app.inside.loaded();
      const hash = settingsHash(loaded);
      return { body: activeModel(loaded, services.loadOptions.env, hash), headers: { etag: tagOf(hash) } };
    },
  }),
];

interface ModelCache {
  get(id: string, call: Pick<Call<unknown, unknown>, "services" | "signal" | "language">): Promise<readonly string[]>;
}

/** A change of address or key asks anew. */
function createModelCache({ clock }: { readonly clock: Pick<Clock, "monotonic"> }): ModelCache {
  const kept = new Map<string, { readonly hash: string; readonly at: number; readonly models: readonly string[] }>();
  return {
    get: async (id, { services, signal, language }) => {
      const loaded = services.app.inside.loaded();
      const { env } = services.loadOptions;
      const provider = providerNamed(id, loaded, env, language);
      if (provider === undefined) throw noProvider(id);
      const found = kept.get(id);
      if (found?.hash === provider.hash && clock.monotonic() - found.at < KEPT_MS) return found.models;
      const configured = loaded.config.providers[id];
      const api = configured?.api ?? findVendor(id)?.api;
      const { baseUrl } = provider;
      if (api === undefined || baseUrl === undefined) return provider.models; // a plugin: what is configured
      const key = keysOf(id, loaded.config, env)[0];
      const endpoint = { api, baseUrl, key, headers: configured?.headers ?? {} };
      const models = (await modelsListed(id, endpoint, { services, signal })) ?? provider.models;
      kept.set(id, { hash: provider.hash, at: clock.monotonic(), models });
      return models;
    },
  };
}
