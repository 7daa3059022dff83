/** One file from its platform into the blob store, without ever being whole in memory; or the line that says why not. */
import type { Clock, Logger, Millis } from "../../contract/base.ts";
import type { Channel } from "../../contract/channel.ts";
import type { BlobRef, ContentPart, MediaPart, SentFile } from "../../contract/message.ts";
import type { BlobStore } from "../../contract/services.ts";
import { raceAbort } from "../../lib/async/abort.ts";
import { ChannelFault, channelFault } from "../../lib/errors/channel-fault.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { plainName, typeOf } from "../../lib/media/media-type.ts";
import { neutral } from "../../lib/neutral.ts";
import { MAX_FILE_BYTES } from "./download.ts";

export interface KeepOptions {
  readonly blobs: Pick<BlobStore, "put" | "putStream">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
  readonly redact: (text: string) => string;
}

/** What tells a type by its bytes stands at the beginning. */
const HEAD_BYTES = 4096;
/** A turn waits no longer than that for one attempt, whatever its line or its platform does. */
const ATTEMPT_MS: Millis = 300_000;
const PAUSES_MS: readonly Millis[] = [1000, 5000];
/** The time that a platform may ask for. */
const MAX_WAIT_MS: Millis = 60_000;

/** @param channel Undefined: it is not there, and may come. @throws the reason of the signal. */
export async function fetchedPart(
  file: SentFile,
  channel: () => Channel | undefined,
  options: KeepOptions,
  signal: AbortSignal,
): Promise<ContentPart> {
  const pauses = [...PAUSES_MS];
  for (;;)
    try {
      return await kept(file, channel(), options, signal);
    } catch (error) {
      signal.throwIfAborted();
      const fault = channelFault(error);
      const pause = fault?.kind === "again" || fault?.kind === "slow-down" ? pauses.shift() : undefined;
      const wait = Math.max(pause ?? 0, fault?.retryAfterMs ?? 0);
      if (pause === undefined || wait > MAX_WAIT_MS) return lineOf(file, fault, error, options);
      await options.clock.sleep(wait, signal);
    }
}

/** @throws a fault; what a blob store throws. */
async function kept(
  { file, name, mediaType, bytes = 0, voice, locator }: SentFile,
  channel: Channel | undefined,
  { blobs, clock }: KeepOptions,
  signal: AbortSignal,
): Promise<MediaPart> {
  if (channel?.fetchMedia === undefined) throw new ChannelFault("again", "its channel is not there", { sent: "no" });
  const max = Math.min(channel.can.maxFileBytes ?? MAX_FILE_BYTES, MAX_FILE_BYTES);
  if (bytes > max) throw tooLarge(max);
  const late = new AbortController();
  using _late = clock.timer(ATTEMPT_MS, () =>
    late.abort(new ChannelFault("again", `it did not come within ${ATTEMPT_MS / 60_000} min`, { sent: "no" })),
  );
  const within = AbortSignal.any([signal, late.signal]);
  const said = mediaType === undefined ? {} : { mediaType };
  const stream = await raceAbort(channel.fetchMedia({ locator, ...said }, within), within);
  const { blob, head } = await keepStream(blobs, limited(stream, max, within));
  const type = typeOf(head, mediaType);
  return {
    type: "media",
    mediaType: voice === true ? type.replace(/^video\//, "audio/") : type, // one container holds both
    blob,
    name: plainName(name),
    ...(voice === true && { voice }),
    file,
  };
}

/** Without ever being whole in memory, where the store can. @returns its beginning too. @throws what the stream throws. */
export async function keepStream(
  blobs: KeepOptions["blobs"],
  stream: AsyncIterable<Uint8Array>,
): Promise<{ readonly blob: BlobRef; readonly head: Uint8Array }> {
  const head: Uint8Array[] = [];
  const seen = noted(stream, head);
  const blob = await (blobs.putStream?.(seen) ?? whole(seen).then((all) => blobs.put(all)));
  return { blob, head: Buffer.concat(head) };
}

async function* noted(stream: AsyncIterable<Uint8Array>, head: Uint8Array[]): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of stream) {
    if (size < HEAD_BYTES) head.push(part.slice(0, HEAD_BYTES - size));
    size += part.length;
    yield part;
  }
}

/** As far as it may be long, and no longer than anybody waits, whoever makes the stream. */
async function* limited(
  stream: AsyncIterable<Uint8Array>,
  max: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const parts = stream[Symbol.asyncIterator]();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await raceAbort(Promise.resolve(parts.next()), signal);
      if (done === true) return;
      size += value.length;
      if (size > max) throw tooLarge(max);
      yield value;
    }
  } finally {
    parts.return?.().catch(() => {}); // nobody waits for what it does at its end
  }
}

async function whole(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

function tooLarge(max: number): ChannelFault {
  return new ChannelFault("refused", `it is larger than ${sizeText(max)}`, { sent: "no" });
}

function sizeText(bytes: number): string {
  const [size, unit] = bytes < 1_048_576 ? [bytes / 1024, "kB"] : [bytes / 1_048_576, "MB"];
  return `${Number(size.toFixed(1))} ${unit}`;
}

/** A bug, or a full disk, is for the log: nothing of this machine is told to a model. */
function lineOf(
  { name }: SentFile,
  fault: ChannelFault | undefined,
  error: unknown,
  { log, redact }: KeepOptions,
): ContentPart {
  const file = neutral(redact(plainName(name)));
  log.warn("media.not-fetched", { name: file, message: redact(messageOf(error)) });
  const why = fault === undefined ? "something went wrong here" : neutral(redact(fault.message));
  return { type: "text", text: `[The file ${file} was sent and could not be fetched: ${why.replace(/[\s.]+$/, "")}]` };
}
