/** Webhooks: the way in itself, and its settings. */
import type { Json, JsonObject } from "@margay/core";
import type { z } from "zod";
import type { HookConfig } from "../../config/config.ts";
import { hashOf } from "../../config/load.ts";
import { valueAt } from "../../config/value-at.ts";
import { createDeliveries } from "./deliveries.ts";
import { fitsFilter, parseFilter } from "./filter.ts";
import { callOf, receiveHook } from "./receive.ts";
import { RECEIVE_CHANNEL_HOOK } from "./receive-channel.ts";
import { otherSecrets } from "../../config/secrets/other-secrets.ts";
import { makeSecret, secretFault, type SecretFault } from "./secret.ts";
import { renderHook } from "./template.ts";
import { requireMatch, requireNone, tagOf } from "../../host/api/etag.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { PageQuery } from "../../protocol/common.ts";
import {
  DeliveriesSchema,
  HookAnswer,
  HookBody,
  HookName,
  HookSaved,
  HooksSchema,
  HookTestBody,
  type HookView,
} from "./schema.ts";
import { TestResultSchema } from "../../protocol/test-result.ts";
import type { Services } from "../../host/api/services.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { removalsBelow } from "../../host/settings/edits.ts";
import { maskOf, UNSET, writtenSecret } from "../../host/settings/mask.ts";
import { runSteps, StepFault } from "../../host/api/test-steps.ts";
import { sayer, told, words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export const HOOK_ROUTES: readonly Route[] = [
  route({
    id: "receiveHook",
    method: "POST",
    path: "/!/hooks/{name}",
    scope: "public",
    summary: "A signed call of a program; every failure is a 401 without a body.",
    rawBody: "hook",
    unlimited: true,
    errors: ["auth.invalid"],
    status: 202,
    response: HookAnswer,
    handle: (call) => receiveHook(call.params["name"] ?? "", { ...call, body: call.body as unknown as Uint8Array }), // rawBody
  }),
  RECEIVE_CHANNEL_HOOK,
  route({
    id: "listHooks",
    method: "GET",
    path: "/hooks",
    scope: "read",
    summary: "The configured webhooks; secrets as masks.",
    response: HooksSchema,
    handle: ({ services }) => ({
      body: Object.keys(services.app.inside.loaded().config.gateway.hooks).flatMap(
        (name) => hookView(name, services) ?? [],
      ),
    }),
  }),
  route({
    id: "putHook",
    method: "PUT",
    path: "/hooks/{name}",
    scope: "owner",
    summary: "Configures a webhook; without a secret one is made and shown this once.",
    body: HookBody,
    response: HookSaved,
    errors: ["settings.invalid", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const { services, params, body, headers } = call;
      const name = HookName.safeParse(params["name"]);
      if (!name.success) throw invalid("", "name", words(call.language, NAME_TEXT));
      const before = hookView(name.data, services);
      if (before === undefined) requireNone(headers, "");
      else requireMatch(headers, before.hash);
      const { config } = services.app.inside.loaded();
      const given = body.secret === undefined ? undefined : writtenSecret(body.secret as Json);
      const generated = given === undefined && before?.secret.$secret.set !== true ? makeSecret() : undefined;
      if (given !== undefined) refuseSecret(secretFault(given, otherSecrets(name.data, config)), call.language);
      if (typeof body.filter === "string" && parseFilter(body.filter) === undefined)
        throw invalid("/filter", "filter", words(call.language, FILTER_TEXT));
      const secret = generated === undefined ? (body.secret as Json | undefined) : { $secret: generated };
      await changeSettings(patchEdits({ gateway: { hooks: { [name.data]: patchOf(body, secret) } } }, call), call, {
        dryRun: false,
      });
      services.app.audit.record("hook.changed", { hook: name.data });
      const after = hookView(name.data, services);
      if (after === undefined) throw noHook(name.data);
      return {
        body: { ...after, ...(generated !== undefined && { generated }) },
        headers: { etag: tagOf(after.hash) },
      };
    },
  }),
  route({
    id: "deleteHook",
    method: "DELETE",
    path: "/hooks/{name}",
    scope: "owner",
    summary: "Removes a webhook and its secret.",
    status: 204,
    errors: ["request.not-found", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const { services, headers } = call;
      const view = hookOf(call);
      requireMatch(headers, view.hash);
      const edits = removalsBelow(["gateway", "hooks", view.name], services.app.inside.loaded());
      await changeSettings(edits, call, { dryRun: false });
      services.app.audit.record("hook.removed", { hook: view.name });
      return { status: 204 };
    },
  }),
  route({
    id: "testHook",
    method: "POST",
    path: "/hooks/{name}/test",
    scope: "admin",
    summary: "What a call would become; nothing is sent to the agent.",
    body: HookTestBody,
    response: TestResultSchema,
    errors: ["request.not-found"],
    handle: async (call) => {
      const { services, body, language, signal } = call;
      const { name } = hookOf(call);
      const { app } = services;
      const hook = app.inside.loaded().config.gateway.hooks[name];
      if (hook === undefined) throw noHook(name);
      const lower = Object.fromEntries(
        Object.entries(body.headers ?? {}).map(([key, value]) => [key.toLowerCase(), value]),
      );
      const made = callOf(new TextEncoder().encode(body.body ?? "{}"), lower);
      return {
        body: await runSteps(stepsOf(name, hook, made, call), {
          language,
          clock: app.clock,
          redact: app.inside.redact,
          signal,
        }),
      };
    },
  }),
  route({
    id: "listHookDeliveries",
    method: "GET",
    path: "/hooks/{name}/deliveries",
    scope: "read",
    summary: "The last calls since the start, newest first.",
    query: PageQuery,
    response: DeliveriesSchema,
    errors: ["request.not-found"],
    handle: (call) => {
      const { name } = hookOf(call);
      const list = call.services.once(createDeliveries).of(name);
      const numbered = list.map((delivery, index) => ({ delivery, key: timeKey(delivery.at, list.length - index) }));
      const { items, next } = pageOf(numbered, call.query, ({ key }) => key);
      return { body: { items: items.map(({ delivery }) => delivery), next } };
    },
  }),
];

function hookView(name: string, { app, once }: Services): HookView | undefined {
  const loaded = app.inside.loaded();
  const { hooks } = loaded.config.gateway;
  const hook = Object.hasOwn(hooks, name) ? hooks[name] : undefined;
  if (hook === undefined) return undefined;
  const raw = valueAt(loaded.raw, ["gateway", "hooks", name, "secret"]);
  const last = once(createDeliveries).of(name)[0];
  const shown = {
    name,
    path: `/hooks/${name}`,
    scheme: hook.scheme,
    secret: raw === undefined ? UNSET : maskOf(raw, loaded),
    session: hook.session,
    prompt: hook.prompt,
    deliver: [...hook.deliver],
    ...(hook.filter !== undefined && { filter: hook.filter }),
    ...(hook.budgetUsdPerDay !== undefined && { budgetUsdPerDay: hook.budgetUsdPerDay }),
    ...(hook.agent !== undefined && { agent: hook.agent }),
  };
  return {
    ...shown,
    hash: hashOf(JSON.stringify(shown)),
    ...(last !== undefined && { last: { at: last.at, status: last.status } }),
  };
}

function hookOf({ services, params }: Pick<Call<unknown, unknown>, "services" | "params">): HookView {
  const view = hookView(params["name"] ?? "", services);
  if (view === undefined) throw noHook(params["name"] ?? "");
  return view;
}

function noHook(name: string): Problem {
  return new Problem(
    "request.not-found",
    told({ detail: TEXT.noWebhook, remedy: TEXT.listsThem }, { name: name.slice(0, 64) }),
  );
}

function invalid(path: string, code: string, message: string): Problem {
  return new Problem("settings.invalid", { detail: message, errors: [{ path, code, message }] });
}

const NAME_TEXT = TEXT.nameWebhookLetters;
const FILTER_TEXT = TEXT.filterUnderstoodWrite;
const SECRET_TEXTS: Readonly<Record<SecretFault, { readonly en: string; readonly "zh-CN": string }>> = {
  short: TEXT.short,
  placeholder: TEXT.placeholder,
  used: TEXT.used,
};

function refuseSecret(fault: SecretFault | undefined, language: "en" | "zh-CN"): void {
  if (fault !== undefined) throw invalid("/secret", fault, words(language, SECRET_TEXTS[fault]));
}

function patchOf(body: z.infer<typeof HookBody>, secret: Json | undefined): JsonObject {
  const { scheme, session, prompt, deliver, filter, budgetUsdPerDay, agent } = body;
  return {
    ...(scheme !== undefined && { scheme: scheme as Json }),
    ...(secret !== undefined && { secret }),
    ...(session !== undefined && { session }),
    ...(prompt !== undefined && { prompt }),
    ...(deliver !== undefined && { deliver }),
    ...(filter !== undefined && { filter }),
    ...(budgetUsdPerDay !== undefined && { budgetUsdPerDay }),
    ...(agent !== undefined && { agent }),
  };
}

function stepsOf(
  name: string,
  hook: HookConfig,
  made: ReturnType<typeof callOf>,
  { services, language }: Pick<Call<unknown, unknown>, "services" | "language">,
): Parameters<typeof runSteps>[0] {
  const say = sayer(language);
  return [
    {
      id: "secret",
      title: TEXT.secretSet,
      run: () => {
        if ((hook.secret ?? "") !== "") return undefined;
        throw new StepFault("settings.invalid", say(TEXT.noSecretSet));
      },
    },
    {
      id: "filter",
      title: TEXT.callPassesFilter,
      run: () => {
        if (hook.filter === undefined) return { skipped: say(TEXT.thereIsNone) };
        if (fitsFilter(hook.filter, made)) return undefined;
        throw new StepFault("request.invalid", say(TEXT.filterWouldIgnore));
      },
    },
    {
      id: "prompt",
      title: TEXT.theMessage,
      run: () => renderHook(name, hook.prompt, made).slice(0, 4000),
    },
    {
      id: "deliver",
      title: TEXT.chatsGetAnswer,
      run: () => {
        if (hook.deliver.length === 0) return { skipped: say(TEXT.noneStaysIn) };
        const { channelsById } = services.app.inside.loaded().config;
        const off = hook.deliver.filter((chat) => {
          const channel = chat.slice(0, chat.indexOf(":"));
          return !["cli", "web", "api"].includes(channel) && channelsById[channel]?.enabled !== true;
        });
        if (off.length === 0) return hook.deliver.join(", ");
        throw new StepFault("channel.disabled", `${off.join(", ")}: ${say(TEXT.channelOff)}`);
      },
    },
  ];
}
