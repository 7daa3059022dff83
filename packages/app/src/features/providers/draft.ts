/** A provider as a person has filled in: where its key may go, and what of it is written down. */
import type { Json, JsonObject } from "@margay/core";
import type { z } from "zod";
import type { ProviderConfig } from "../../config/config.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import type { Call } from "../../host/api/route.ts";
import { filled, words } from "../../host/api/words.ts";
import { isReadForm, writtenSecret } from "../../host/settings/mask.ts";
import { findVendor } from "../../models/catalog.ts";
import { findPlugin } from "../../models/known-plugins.ts";
import { addressFault, type AddressFault } from "./address.ts";
import type { ProviderBody } from "./schema.ts";
import { TEXT } from "./api-texts.ts";

type Draft = z.infer<typeof ProviderBody>;
type Caller = Pick<Call<unknown, unknown>, "services" | "language" | "t" | "credential">;

const ADDRESS_TEXTS: Readonly<Record<AddressFault, { readonly en: string; readonly "zh-CN": string }>> = {
  url: TEXT.url,
  credentials: TEXT.credentials,
  reserved: TEXT.reserved,
  plain: TEXT.plain,
  private: TEXT.private,
};

/** The catalog's own address of a local server needs no word of its own. */
export function refuseAddress(id: string, { baseUrl, allowPrivate }: Draft, language: "en" | "zh-CN"): void {
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
export function requireOwnerToMove(id: string, draft: Draft, baseUrl: string | undefined, call: Caller): void {
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
  if (keeps && has) requireOwner(call, filled(TEXT.sendingKeyAnother, { id }));
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : (URL.parse(address)?.origin ?? address);
}

/** The key the person pasted, or the one there is. */
export function draftOf(saved: ProviderConfig | undefined, draft: Draft): ProviderConfig {
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
export function providerPatch(id: string, { wire, baseUrl, key, headers }: Draft): JsonObject {
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

export function modelsPatch(id: string, { models = [] }: Draft): JsonObject {
  const windows = models.flatMap((model) =>
    model.window === undefined ? [] : [[`${id}/${model.id}`, { contextWindow: model.window }] as const],
  );
  return windows.length === 0 ? {} : { models: Object.fromEntries(windows) };
}
