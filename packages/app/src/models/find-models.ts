/** Models that could answer on this machine now, for the set-up dialogue: keys in the environment, servers on loopback. */
import { httpFetch, systemClock } from "@margay/core/internal";
import { VENDORS } from "./catalog.ts";
import { detectKeys, detectServers } from "./detect.ts";
import { vendorsHere } from "./vendors-here.ts";
import type { Vendor } from "./vendor.ts";

/** A model that could answer now. */
export interface FoundModel {
  /** `provider/model`. */
  readonly model: string;
  /** The variable that holds its key, or the address of a local server. */
  readonly from: { readonly type: "key"; readonly name: string } | { readonly type: "server"; readonly url: string };
}

/** One that a key can be pasted for. */
export interface KnownVendor {
  readonly id: string;
  readonly name: string;
  readonly defaultModel: string;
}

/** A server may list hundreds; the first ones are enough to choose from, any other can be typed. */
const MAX_PER_SERVER = 4;

/** Keys first, in the order of the catalog. @param vendors Whose servers are looked for. Default: the catalog's, as it holds here. */
export async function findModels(
  env: Readonly<Record<string, string | undefined>>,
  vendors: readonly Vendor[] = vendorsHere(env),
): Promise<readonly FoundModel[]> {
  const keys = detectKeys(env).flatMap(({ vendor: { id, defaultModel }, variable }): readonly FoundModel[] =>
    defaultModel === undefined ? [] : [{ model: `${id}/${defaultModel}`, from: { type: "key", name: variable } }],
  );
  const servers = await detectServers({ fetch: httpFetch(), clock: systemClock(), vendors });
  const local = servers.flatMap(({ vendor, models }) =>
    models
      .filter((model) => /^\S+$/.test(model) && !/embed/i.test(model))
      .slice(0, MAX_PER_SERVER)
      .map((model): FoundModel => ({ model: `${vendor.id}/${model}`, from: { type: "server", url: vendor.baseUrl } })),
  );
  return [...keys, ...local];
}

/** Those a key can be pasted for. */
export function keyVendors(): readonly KnownVendor[] {
  return VENDORS.flatMap(({ id, name, keys, defaultModel }) =>
    keys.length === 0 || defaultModel === undefined ? [] : [{ id, name, defaultModel }],
  );
}
