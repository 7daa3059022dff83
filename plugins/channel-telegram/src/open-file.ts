/** A file that somebody sent, for the host to keep. */
import type { Channel, ChannelHost } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import { faultOf } from "./faults.ts";

/** Telegram gives bots no larger ones. */
const MAX_BYTES = 20 * 1024 * 1024;

type Fetch = NonNullable<Channel["fetchMedia"]>;

/** @throws a fault. */
export async function openFile(
  { locator, mediaType }: Parameters<Fetch>[0],
  { api, host }: { readonly api: Api; readonly host: ChannelHost },
  signal: AbortSignal,
): ReturnType<Fetch> {
  const { id, bytes } = locator as { readonly id: string; readonly bytes: number }; // made by message.ts
  if (bytes > MAX_BYTES)
    throw host.fault("refused", `it has ${Math.ceil(bytes / 1_000_000)} MB, and Telegram gives bots at most 20`, {
      sent: "no",
    });
  const { file_path: path } = await api.call("getFile", { file_id: id }, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw faultOf(error, host);
  });
  if (path === undefined) throw host.fault("refused", "Telegram does not say where it is", { sent: "no" });
  return host.download(api.fileAt(path), { mediaType, signal });
}
