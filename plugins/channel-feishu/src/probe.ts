/** Tries the settings: the app, its bot, where its long connection is, and its permissions by name. */
import { Refusal } from "./errors.ts";
import { isRecord, recordsOf, textOf } from "./json.ts";
import type { Account } from "./take.ts";
import { whoAmI } from "./who.ts";

const SCOPES = "/application/v6/scopes";
const GRANTED = 1;
/** What it cannot be without: of each line one. */
const NEEDED = [
  ["im:message:send_as_bot", "im:message"],
  ["im:message.p2p_msg:readonly", "im:message.p2p_msg"],
  ["im:resource"],
] as const;

/** @returns who we are there. @throws Refusal, NoAnswer, a fault: what is missing. */
export async function probe(account: Account, signal: AbortSignal): Promise<string> {
  const { api, host, settings } = account;
  const { name } = await whoAmI(account, signal);
  if (settings.mode === "socket") await api.endpoint(signal);
  const granted = await scopesOf(account, signal);
  const missing = NEEDED.filter((names) => granted !== undefined && !names.some((scope) => granted.has(scope)));
  if (missing.length > 0)
    throw host.fault(
      "auth",
      `The app lacks permissions: ${missing.map(([scope]) => scope).join(", ")}. Add them on the page Permissions & Scopes, publish a version, and test again.`,
      { sent: "no" },
    );
  return name;
}

/** Undefined: this platform does not say. @throws NoAnswer; the reason of the signal. */
async function scopesOf({ api }: Account, signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
  try {
    const body = await api.call("GET", SCOPES, { signal });
    const list = recordsOf(isRecord(body["data"]) ? body["data"]["scopes"] : undefined);
    const granted = list.filter(({ grant_status: status }) => status === GRANTED);
    return new Set(granted.flatMap(({ scope_name: scope }) => textOf(scope) ?? []));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
