// What is there without any configuration: keys in the environment, model servers on this machine.
import type { Clock } from "@margay/core";
import { VENDORS } from "./catalog.ts";
import type { Vendor } from "./vendor.ts";

export interface FoundKey {
  readonly vendor: Vendor;
  /** Name of the variable; its value stays where it is. */
  readonly variable: string;
}
export interface FoundServer {
  readonly vendor: Vendor;
  /** As the server names them, in its order. */
  readonly models: readonly string[];
}

/** A server that does not answer at once is not there; nobody should wait for a question to a closed port. */
const PROBE_MS = 300;
const MAX_MODELS = 200;

/** Vendors whose key is set, in catalog order. Blank values do not count. */
export function detectKeys(environment: Readonly<Record<string, string | undefined>>): readonly FoundKey[] {
  return VENDORS.flatMap((vendor) => {
    const variable = vendor.keys.find((name) => (environment[name] ?? "").trim() !== "");
    return variable === undefined ? [] : [{ vendor, variable }];
  });
}

/** Asks the default ports on loopback for their models, all at once. Never throws. */
export async function detectServers(options: {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly vendors?: readonly Vendor[];
}): Promise<readonly FoundServer[]> {
  const vendors = (options.vendors ?? VENDORS).filter((vendor) => vendor.local === true);
  const found = await Promise.all(vendors.map((vendor) => probe(vendor, options.fetch, options.clock)));
  return found.filter((server) => server !== undefined);
}

async function probe(vendor: Vendor, get: typeof fetch, clock: Clock): Promise<FoundServer | undefined> {
  const request = new AbortController();
  const watch = new AbortController();
  clock.sleep(PROBE_MS, watch.signal).then(
    () => request.abort(new Error("too slow")),
    () => {}, // The answer came first.
  );
  try {
    const response = await get(`${vendor.baseUrl}/models`, { signal: request.signal });
    if (!response.ok) return undefined;
    const models = modelNames(await response.json());
    return models === undefined ? undefined : { vendor, models };
  } catch {
    return undefined; // Closed port, another kind of server, too slow: not there.
  } finally {
    watch.abort();
  }
}

/** The `data[].id` of a model list; undefined for something else that listens there. */
function modelNames(body: unknown): readonly string[] | undefined {
  if (typeof body !== "object" || body === null || !("data" in body) || !Array.isArray(body.data)) return undefined;
  const items: readonly unknown[] = body.data;
  return items
    .slice(0, MAX_MODELS)
    .flatMap((item) =>
      typeof item === "object" && item !== null && "id" in item && typeof item.id === "string" ? [item.id] : [],
    );
}
