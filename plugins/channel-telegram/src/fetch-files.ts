/** Files that people sent, fetched and kept. What cannot be had becomes a line: the message is not lost with it. */
import type { ChannelHost, InboundMessage, MediaPart } from "@margay/core/plugin";
import { type Api, NoAnswer, Refusal } from "./api.ts";
import type { Remote } from "./message.ts";

/** Telegram gives bots no larger ones. */
const MAX_BYTES = 20 * 1024 * 1024;

type Quote = NonNullable<InboundMessage["quotes"]>;

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
    const bytes = await bytesOf(file, api, signal).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 401) throw error;
      if (!(error instanceof Refusal || error instanceof NoAnswer)) throw error;
      host.log.warn("telegram.file-not-fetched", { name: file.name, message: error.message });
      return error.message;
    });
    if (typeof bytes === "string") lines.push(`[The file ${file.name} was sent and could not be fetched: ${bytes}]`);
    else {
      const part = await host.media.save(bytes, { name: file.name, mediaType: file.mediaType });
      media.push(file.voice === true ? { ...part, voice: true } : part);
    }
  }
  return { media, lines };
}

async function bytesOf({ id, bytes = 0 }: Remote, api: Api, signal: AbortSignal): Promise<Uint8Array> {
  if (bytes > MAX_BYTES)
    throw new Refusal(413, `it has ${Math.ceil(bytes / 1_000_000)} MB, and Telegram gives bots at most 20`);
  const { file_path: path } = await api.call("getFile", { file_id: id }, { signal });
  if (path === undefined) throw new Refusal(404, "Telegram does not say where it is");
  return api.download(path, MAX_BYTES, signal);
}

/** What a message answers, with the files of that, and with what cannot be had. */
export function withFiles(quotes: Quote, { media, lines }: Fetched): Quote {
  const text = [quotes.text ?? "", ...lines].filter((line) => line !== "").join("\n");
  return { ...quotes, media, ...(text !== "" && { text }) };
}
