/** Settings: values, where they come from, and changes that hold from the next turn on. */
import type { JsonObject } from "@margay/core";
import { missingKey } from "../../models/model-check.ts";
import { effectiveModel } from "../../models/choose-model.ts";
import { tagged, tagOf, requireMatch } from "../../host/api/etag.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { DryRunQuery, ProfileBody, ProfileChange, SettingsChange, SettingsPatch, SettingsSchema } from "./schema.ts";
import { changeSettings, patchEdits, type Changed } from "../../host/settings/change.ts";
import { isSafetyKey } from "../../host/settings/safety.ts";
import { differing, settingsHash, settingsView } from "../../host/settings/view.ts";
import { filled, words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export const SETTINGS_ROUTES: readonly Route[] = [
  route({
    id: "getSettings",
    method: "GET",
    path: "/settings",
    scope: "read",
    summary: "Every setting with its value, where it comes from, and a schema to draw a form from.",
    response: SettingsSchema,
    handle: ({ services, language, t, headers }) => {
      const view = settingsView(services, language, t);
      return tagged(headers, view.hash, view);
    },
  }),
  route({
    id: "patchSettings",
    method: "PATCH",
    path: "/settings",
    scope: "admin",
    summary: "Changes settings by a JSON Merge Patch; all of it or nothing.",
    query: DryRunQuery,
    body: SettingsPatch,
    response: SettingsChange,
    errors: [
      "settings.invalid",
      "settings.locked",
      "settings.unreadable-file",
      "precondition.required",
      "precondition.failed",
      "auth.fresh-required",
    ],
    handle: async (call) => {
      const { services, query, body, headers } = call;
      const dryRun = isDry(query);
      if (!dryRun) requireMatch(headers, settingsHash(services.app.inside.loaded()));
      const edits = patchEdits(body as JsonObject, call); // z.json() with readonly types
      const safety = edits.filter(({ key }) => isSafetyKey(key.path)).map(({ names }) => names.join("."));
      if (!dryRun && safety.length > 0)
        requireOwner(
          call,
          filled(TEXT.safetyKeys, {
            keys: { en: safety.join(", "), "zh-CN": safety.join(words("zh-CN", TEXT.comma)) },
          }),
        );
      const changed = await changeSettings(edits, call, { dryRun });
      const { applied, restart, hash } = changed;
      return { body: { applied, restart, warnings: warningsOf(changed, call), hash }, headers: { etag: tagOf(hash) } };
    },
  }),
  route({
    id: "putSettingsProfile",
    method: "PUT",
    path: "/settings/profile",
    scope: "admin",
    summary: "Chooses a profile; a dry run lists every value that changes.",
    query: DryRunQuery,
    body: ProfileBody,
    response: ProfileChange,
    errors: ["settings.invalid", "settings.locked", "settings.unreadable-file", "precondition.failed"],
    handle: async (call) => {
      const { services, body, query, headers } = call;
      const before = services.app.inside.loaded();
      const dryRun = isDry(query);
      if (!dryRun) requireMatch(headers, settingsHash(before));
      const { loaded, hash } = await changeSettings(patchEdits({ profile: body.profile }, call), call, { dryRun });
      const changes = differing(before, loaded).map(({ path, from, to, restart }) => ({
        path,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        restart,
      }));
      return {
        body: {
          profile: body.profile,
          changes,
          restart: changes.filter(({ restart }) => restart).map(({ path }) => path),
          hash,
        },
        headers: { etag: tagOf(hash) },
      };
    },
  }),
];

export function isDry({ dryRun }: { readonly dryRun?: "" | "true" | "false" | undefined }): boolean {
  return dryRun === "" || dryRun === "true";
}

/** What is allowed and hardly meant. */
function warningsOf(
  { loaded }: Changed,
  { services, language }: Pick<Call<unknown, unknown>, "services" | "language">,
) {
  const { config } = loaded;
  const model = effectiveModel(config);
  const variable = model === null ? undefined : missingKey(model, config, services.loadOptions.env);
  const everyone = Object.entries(config.channelsById).filter(([, one]) => one.enabled && one.allowFrom.includes("*"));
  return [
    ...(variable === undefined ? [] : [words(language, TEXT.hasNoKey, { model: model ?? "", variable })]),
    ...everyone.map(([id]) => words(language, TEXT.everyoneMayWrite, { id })),
  ];
}
