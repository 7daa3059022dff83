/** Models that could answer on this machine now: keys in the environment, and local servers on loopback. */
import type { Cli } from "./cli/command.ts";
import type { KnownVendor } from "./cli/onboard-dialogue.ts";
import type { FoundModel } from "./cli/onboard-plan.ts";
import { VENDORS, type Vendor } from "./providers/catalog.ts";

/** A local server answers at once or is not there. */
const PROBE_MS = 700;

/** In the order of the catalog, keys first. */
export async function findModels(
  { environment, signal }: Pick<Cli, "environment" | "signal">,
  vendors: readonly Vendor[] = VENDORS,
): Promise<readonly FoundModel[]> {
  const keyed = vendors.flatMap((vendor): readonly FoundModel[] => {
    const name = vendor.keys.find((key) => (environment.env[key] ?? "").trim() !== "");
    return name === undefined || vendor.local === true
      ? []
      : [{ model: `${vendor.id}/${vendor.defaultModel}`, from: { type: "key", name } }];
  });
  const probed = await Promise.all(
    vendors.filter((vendor) => vendor.local === true).map((vendor) => probe(vendor, signal)),
  );
  return [...keyed, ...probed.flatMap((found) => found ?? [])];
}

/** Those a key can be pasted for. */
export function keyVendors(): readonly KnownVendor[] {
  return VENDORS.filter((vendor) => vendor.local !== true && vendor.keys.length > 0);
}

/** The first model that a server of the OpenAI kind lists. */
async function probe({ id, baseUrl }: Vendor, signal: AbortSignal): Promise<FoundModel | undefined> {
  if (!/^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::|\/|$)/.test(baseUrl)) return undefined;
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
      redirect: "error",
    });
    const model = response.ok ? firstModel(await response.json()) : undefined;
    return model === undefined ? undefined : { model: `${id}/${model}`, from: { type: "server", url: baseUrl } };
  } catch {
    signal.throwIfAborted();
    return undefined; // nothing listens there, which is the usual case
  }
}

function firstModel(answer: unknown): string | undefined {
  const data = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  const id = typeof first === "object" && first !== null && "id" in first ? first.id : undefined;
  return typeof id === "string" && /^\S{1,200}$/.test(id) ? id : undefined;
}
