/** Files that people sent, fetched and kept. What cannot be had becomes a line: the message is not lost with it. */
import type { ChannelHost, MediaPart } from "@margay/core/plugin";
import { type Api, NoAnswer, Refusal } from "./api.ts";
import { isRecord } from "./json.ts";
import { fileOf, type Remote } from "./message.ts";

const MAX_BYTES = 25 * 1024 * 1024;

export interface Fetched {
  readonly media: readonly MediaPart[];
  readonly lines: readonly string[];
}

/** @param isAdmitted Of strangers nothing is fetched. @throws what keeping a file throws; the reason of the signal. */
export async function fetchFiles(
  files: readonly Remote[],
  { api, host }: { readonly api: Api; readonly host: ChannelHost },
  isAdmitted: boolean,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!isAdmitted)
    return {
      media: [],
      lines: files.map(({ name }) => `[The file ${name} was not fetched: it was not meant for us.]`),
    };
  const media: MediaPart[] = [];
  const lines: string[] = [];
  for (const file of files) {
    const { name, mediaType, voice } = file;
    const found = await fetchOne(file, api, signal).catch((error: unknown) => {
      if (!(error instanceof Refusal || error instanceof NoAnswer)) throw error;
      host.log.warn("slack.file-not-fetched", { name, message: error.message });
      return error.message;
    });
    if (typeof found === "string") lines.push(`[The file ${name} was sent and could not be fetched: ${found}]`);
    else {
      const saved = await host.media.save(found, { name, mediaType });
      media.push(voice === true ? { ...saved, mediaType, voice } : saved);
    }
  }
  return { media, lines };
}

async function fetchOne(file: Remote, api: Api, signal: AbortSignal): Promise<Uint8Array | string> {
  let { url, bytes } = file;
  // Of another organization: what it is has to be asked for.
  if (file.isHidden) {
    const { body } = await api.call("files.info", { file: file.id }, signal);
    const about = isRecord(body["file"]) ? fileOf(body["file"]) : undefined;
    url = about?.url;
    bytes = about?.bytes ?? 0;
  }
  if (url === undefined) return "it does not lie at Slack";
  if (bytes > MAX_BYTES) return "it is larger than 25 MB";
  return api.download({ url, mediaType: file.mediaType }, MAX_BYTES, signal);
}
