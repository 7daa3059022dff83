/** A file that somebody sent, for the host to keep. */
import type { Channel } from "@margay/core/plugin";
import type { Account } from "./account.ts";
import { faultOf } from "./faults.ts";
import { isRecord, textOf } from "./json.ts";
import { fileOf } from "./message.ts";
import { isSlacks } from "./settings.ts";

type Fetch = NonNullable<Channel["fetchMedia"]>;

/** @throws a fault. */
export async function openFile(
  { locator, mediaType }: Parameters<Fetch>[0],
  account: Pick<Account, "api" | "host" | "settings">,
  signal: AbortSignal,
): ReturnType<Fetch> {
  const { host, settings } = account;
  const { url, id } = isRecord(locator) ? locator : {};
  const address = URL.parse(textOf(url) ?? (await hiddenAt(textOf(id), account, signal)) ?? "");
  if (address === null) throw host.fault("refused", "it does not lie at Slack", { sent: "no" });
  // The token goes with it.
  if (!isSlacks(address, settings))
    throw host.fault("refused", `${address.host} is no place where Slack keeps files`, { sent: "no" });
  return host.download(address, {
    headers: { authorization: `Bearer ${settings.token}` },
    mediaType,
    signal,
    // Who may not read a file is shown the page where people sign in.
    refusal: ({ ok, headers }) =>
      Promise.resolve(
        ok && headers.get("content-type")?.startsWith("text/html") === true && mediaType?.startsWith("text/") !== true
          ? host.fault("refused", "Slack showed a page instead: the scope files:read may be missing", { sent: "no" })
          : undefined,
      ),
  });
}

/** Of another organization: what it is has to be asked for. */
async function hiddenAt(
  file: string | undefined,
  { api, host }: Pick<Account, "api" | "host">,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const { body } = await api.call("files.info", { file }, signal);
    const { locator } = isRecord(body["file"]) ? fileOf(body["file"]) : {};
    return isRecord(locator) ? textOf(locator["url"]) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}
