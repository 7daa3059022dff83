/** One message to the push service of one browser. */
import { createSafeFetch, type Millis, type SafeFetch } from "@margay/core/internal";
import type { Services } from "../../host/api/services.ts";
import { sealed, signature, type VapidKey } from "./encrypt.ts";
import type { Owed, Subscription } from "./store.ts";

/** `gone`: the subscription has ended. `later`: what it said may pass. `refused`: it never takes this. */
export type Delivered =
  | { readonly outcome: "sent" | "gone" }
  | { readonly outcome: "later"; readonly afterMs: number; readonly why: string }
  | { readonly outcome: "refused"; readonly why: string };

/** How long a service keeps it for a device that is off. */
const KEPT_SECONDS = 24 * 3600;
/** One name for all: what is newer takes the place of what has not come yet (RFC 8030, section 5.4). */
const TOPIC = "waits";
/** Services want somebody to write to. Without an address of this gateway it is nobody's. */
const NOBODY = "mailto:operator@example.com";
/** The endpoint is no more (RFC 8030, section 7.3), or was made for another key than ours. */
const GONE: ReadonlySet<number> = new Set([401, 403, 404, 410]);
const LONGEST_WAIT_MS = 3_600_000;

/** @throws never: what cannot be reached may be reached later. */
export async function deliver(
  services: Services,
  key: VapidKey,
  { endpoint, keys, language, for: person }: Subscription,
  owed: Owed,
): Promise<Delivered> {
  const { clock, inside } = services.app;
  const { tools, gateway } = inside.loaded().config;
  // Exceptions to the check of addresses are the owner's to make use of: a person names no host in their network.
  const allowHosts = person === undefined ? tools.webFetch.allowHosts : [];
  const post: SafeFetch = createSafeFetch({ clock, allowHosts });
  const { count, to, quiet } = owed;
  const subject = gateway.publicUrl?.startsWith("https:") === true ? new URL(gateway.publicUrl).origin : NOBODY;
  const headers = {
    authorization: signature(key, { endpoint, now: clock.now(), subject }),
    "content-type": "application/octet-stream",
    "content-encoding": "aes128gcm",
    ttl: String(KEPT_SECONDS),
    urgency: quiet ? "low" : "high",
    topic: TOPIC,
  };
  try {
    const body = sealed(JSON.stringify({ count, to, quiet, language }), keys);
    const result = await post(endpoint, { method: "POST", headers, body }, services.closing);
    if (result.status === "refused") return { outcome: "refused", why: result.refusal.fact };
    const { status, headers: said } = result.response;
    if (status >= 200 && status < 300) return { outcome: "sent" };
    if (GONE.has(status)) return { outcome: "gone" };
    if (status !== 429 && status < 500) return { outcome: "refused", why: `it answered ${status}` };
    return { outcome: "later", afterMs: waitOf(said["retry-after"], clock.now()), why: `it answered ${status}` };
  } catch (error) {
    return { outcome: "later", afterMs: 0, why: error instanceof Error ? error.message : String(error) };
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function waitOf(said: string | undefined, now: Millis): number {
  if (said === undefined) return 0;
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_WAIT_MS) : 0;
}
