/** Tries the tokens, and says what the app may not do. */
import { faultOf } from "./faults.ts";
import { textOf } from "./json.ts";
import type { Account } from "./account.ts";

/** Without these nothing comes, or nothing leaves. */
const NEEDED = ["chat:write", "im:history"];
/** Without each of these something is missing. */
const WANTED = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:write",
  "metadata.message:read",
  "mpim:history",
  "users:read",
];

/** @returns who we are, and what is missing. @throws a fault. */
export async function probe({ api, host, settings }: Account, signal: AbortSignal): Promise<string> {
  try {
    const { body, scopes } = await api.call("auth.test", {}, signal);
    if (settings.mode === "socket") await api.call("apps.connections.open", {}, signal, "app");
    const who = `${textOf(body["user"]) ?? ""} (${textOf(body["team"]) ?? ""})`;
    if (scopes === undefined) return who; // something stands in front of Slack
    const missing = (names: readonly string[]): readonly string[] => names.filter((name) => !scopes.includes(name));
    const needed = missing(NEEDED);
    if (needed.length > 0)
      throw host.fault(
        "config",
        `The app ${who} lacks the scopes ${[...needed, ...missing(WANTED)].join(", ")}. Add them on the page OAuth & Permissions and install the app again.`,
        { sent: "no" },
      );
    const wanted = missing(WANTED);
    return wanted.length === 0 ? who : `${who}, without ${wanted.join(", ")}`;
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}
