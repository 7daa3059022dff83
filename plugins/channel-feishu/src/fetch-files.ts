/** Files that people sent, fetched and kept. What cannot be had becomes a line: the message is not lost with it. */
import type { ChannelHost, InboundMessage, MediaPart } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import type { Remote } from "./content.ts";
import { NoAnswer, Refusal } from "./errors.ts";
import { missingScopes } from "./faults.ts";

type Quote = NonNullable<InboundMessage["quotes"]>;

export interface Fetched {
  readonly media: readonly MediaPart[];
  readonly lines: readonly string[];
}

/** @throws what keeping a file throws; the reason of the signal. */
export async function fetchFiles(
  message: string,
  files: readonly Remote[],
  { api, host }: { readonly api: Api; readonly host: ChannelHost },
  signal: AbortSignal,
): Promise<Fetched> {
  const media: MediaPart[] = [];
  const lines: string[] = [];
  for (const { kind, key, name } of files) {
    const path = `/im/v1/messages/${encodeURIComponent(message)}/resources/${encodeURIComponent(key)}`;
    const found = await api.download(path, { type: kind }, signal).catch((error: unknown) => {
      if (!(error instanceof Refusal || error instanceof NoAnswer)) throw error;
      const missing = missingScopes(error);
      const why = missing === undefined ? error.message : `the app lacks the permission ${missing}`;
      host.log.warn("feishu.file-not-fetched", { name, message: why });
      return why;
    });
    if (typeof found === "string") lines.push(`[The file ${name} was sent and could not be fetched: ${found}]`);
    else media.push(await host.media.save(found, { name }));
  }
  return { media, lines };
}

/** Of strangers nothing is fetched. */
export function unfetched(files: readonly Remote[]): Fetched {
  return {
    media: [],
    lines: files.map(({ name }) => `[The file ${name} was not fetched: it was not meant for us.]`),
  };
}

/** What a message answers, with the files of that, and with what cannot be had. */
export function withFiles(quotes: Quote, { media, lines }: Fetched): Quote {
  const text = [quotes.text ?? "", ...lines].filter((line) => line !== "").join("\n");
  return { ...quotes, media, ...(text !== "" && { text }) };
}
