/** Files of a piece: each is brought to Slack, then all are shown in one message. */
import { createHash } from "node:crypto";
import type { Json } from "@margay/core/plugin";
import { needed, textOf } from "./json.ts";
import type { Place } from "./places.ts";
import type { Sender } from "./account.ts";

const PREFIX = "upload-";
/** By then nothing is sent again. */
const KEEP_MS = 7 * 86_400_000;

/** @throws Refusal, NoAnswer; the reason of the signal. */
export async function shareFiles(
  files: readonly File[],
  { to, reply }: { readonly to: Place; readonly reply: string },
  { api, host }: Pick<Sender, "api" | "host">,
  signal: AbortSignal,
): Promise<void> {
  const uploaded: { id: string; title: string }[] = [];
  for (const file of files) {
    const { name, size } = file;
    const { body } = await api.call("files.getUploadURLExternal", { filename: name, length: String(size) }, signal);
    await api.upload(needed(body["upload_url"], "upload_url"), file, signal);
    uploaded.push({ id: needed(body["file_id"], "file_id"), title: name });
  }
  // A message with files has no key of ours: by their ids it is known again.
  await host.state.forget(PREFIX, host.clock.now() - KEEP_MS);
  await host.state.setValue(
    nameOf(reply),
    uploaded.map(({ id }) => id),
  );
  await api.call(
    "files.completeUploadExternal",
    { files: uploaded, channel_id: to.channel, ...(to.thread !== undefined && { thread_ts: to.thread }) },
    signal,
  );
}

/** The ids of files that may have been shown for a piece. */
export function uploadsOf(value: (name: string) => Json | undefined, reply: string): readonly string[] {
  const kept = value(nameOf(reply));
  return Array.isArray(kept) ? kept.flatMap((id) => textOf(id) ?? []) : [];
}

function nameOf(reply: string): string {
  return PREFIX + createHash("sha256").update(reply).digest("hex").slice(0, 40);
}
