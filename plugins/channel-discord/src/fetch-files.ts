/** Files that people sent, fetched and kept. What cannot be had becomes a line: the message is not lost with it. */
import type { ChannelHost, InboundMessage, MediaPart } from "@margay/core/plugin";
import type { Remote } from "./message.ts";
import { NoAnswer, Refusal, type Rest } from "./rest.ts";

const MAX_BYTES = 25 * 1024 * 1024;

type Quote = NonNullable<InboundMessage["quotes"]>;

export interface Fetched {
  readonly media: readonly MediaPart[];
  readonly lines: readonly string[];
}

/** @param isAdmitted Of strangers nothing is fetched. @throws what keeping a file throws; the reason of the signal. */
export async function fetchFiles(
  files: readonly Remote[],
  { rest, host }: { readonly rest: Rest; readonly host: ChannelHost },
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
  for (const { name, url, bytes, mediaType, voice } of files) {
    const found =
      bytes > MAX_BYTES
        ? "it is larger than 25 MB"
        : await rest.download(url, MAX_BYTES, signal).catch((error: unknown) => {
            if (!(error instanceof Refusal || error instanceof NoAnswer)) throw error;
            host.log.warn("discord.file-not-fetched", { name, message: error.message });
            return error.message;
          });
    if (typeof found === "string") lines.push(`[The file ${name} was sent and could not be fetched: ${found}]`);
    else media.push({ ...(await host.media.save(found, { name, mediaType })), ...(voice === true && { voice }) });
  }
  return { media, lines };
}

/** What a message answers, with the files of that, and with what cannot be had. */
export function withFiles(quotes: Quote, { media, lines }: Fetched): Quote {
  const text = [quotes.text ?? "", ...lines].filter((line) => line !== "").join("\n");
  return { ...quotes, media, ...(text !== "" && { text }) };
}
