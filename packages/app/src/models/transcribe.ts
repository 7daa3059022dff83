/** A recording → its text and what it cost: one request to a service that turns speech into text. */
import { hasCode, RuntimeError, type Clock, type Usage } from "@margay/core";
import { costOf, fromHttp, modelInfo, NO_USAGE, toBase64, toFailure, type WireKind } from "@margay/core/internal";

/** Those in which something turns speech into text. */
export type SpeechApi = Exclude<WireKind, "anthropic">;

export interface Recording {
  readonly bytes: Uint8Array;
  /** As its bytes say: `audio/webm`. */
  readonly mediaType: string;
}

export interface Transcription {
  /** `""`: nobody said anything. */
  readonly text: string;
  readonly usage: Usage;
}

export interface TranscribeOptions {
  readonly api: SpeechApi;
  readonly baseUrl: string;
  /** Local servers need none. */
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Who is asked, as a person knows it: the provider's id. */
  readonly provider: string;
  readonly model: string;
  readonly clock: Pick<Clock, "now">;
}

/** More is not what anybody said in a recording that we take. */
const MAX_TEXT_CHARS = 1_000_000;

/**
 * One request; nothing is repeated.
 * @throws RuntimeError `provider.*`; `signal.reason` when aborted.
 */
export async function transcribe(
  recording: Recording,
  options: TranscribeOptions,
  signal: AbortSignal,
): Promise<Transcription> {
  signal.throwIfAborted();
  const { api, provider, clock } = options;
  const context = { provider, now: clock.now(), media: true };
  try {
    const { path, ...request } = api === "google" ? interaction(recording, options) : form(recording, options);
    const response = await options.fetch(options.baseUrl + path, { method: "POST", ...request, signal });
    const body = await response.text();
    const { status } = response;
    if (!response.ok) throw fromHttp({ status, headers: Object.fromEntries(response.headers), body }, context);
    const answer = record(JSON.parse(body));
    const text = api === "google" ? textOfSteps(answer) : answer["text"];
    if (typeof text !== "string") throw new Error("The answer has no text.");
    return { text: text.slice(0, MAX_TEXT_CHARS).trim(), usage: usageOf(answer, options) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const failure = toFailure(error, context);
    throw hasCode(failure, "provider.context-length", "provider.media-rejected")
      ? rejected(failure, provider)
      : failure;
  }
}

interface SpeechRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

function interaction({ bytes, mediaType }: Recording, { key, headers, model }: TranscribeOptions): SpeechRequest {
  return {
    path: "/interactions",
    headers: { "content-type": "application/json", "x-goog-api-key": key ?? "none", ...headers },
    body: JSON.stringify({ model, input: [{ type: "audio", data: toBase64(bytes), mime_type: mediaType }] }),
  };
}

/** The names of files by which services tell formats. */
const ENDINGS: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
};

/** Nearly every server with OpenAI's API has its `POST /audio/transcriptions` too. */
function form({ bytes, mediaType }: Recording, { key, headers, model }: TranscribeOptions): SpeechRequest {
  const boundary = `margay-${crypto.randomUUID()}`;
  const ending = ENDINGS[mediaType] ?? mediaType.replace("audio/", "");
  const fields = { model, ...formatOf(model) };
  const before = [
    ...Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="audio.${ending}"\r\ncontent-type: ${mediaType}\r\n\r\n`,
  ].join("");
  return {
    path: "/audio/transcriptions",
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: new Uint8Array(Buffer.concat([Buffer.from(before), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])),
  };
}

/** What tells the length, which is what these cost by. */
function formatOf(model: string): Readonly<Record<string, string>> {
  if (model === "whisper-1") return { response_format: "verbose_json", "timestamp_granularities[]": "segment" };
  if (model === "gpt-4o-transcribe-diarize") return { response_format: "diarized_json", chunking_strategy: "auto" };
  return {};
}

function textOfSteps(answer: Readonly<Record<string, unknown>>): string {
  return list(answer["steps"])
    .flatMap((step) => list(record(step)["content"]).map(record))
    .map(({ type, text }) => (type === "text" && typeof text === "string" ? text : ""))
    .join("");
}

/** What is too long, or an unknown format, is said of pictures and conversations elsewhere. */
function rejected(cause: RuntimeError, provider: string): RuntimeError {
  return new RuntimeError(
    "provider.media-rejected",
    `${provider} rejected the recording. Record less, or in another format.`,
    { cause, ...(cause.details !== undefined && { details: cause.details }) },
  );
}

/** OpenAI counts `input_tokens`, Google `total_input_tokens`; services that bill by the minute count none. */
function usageOf(answer: Readonly<Record<string, unknown>>, { provider, model }: TranscribeOptions): Usage {
  const reported = record(answer["usage"]);
  const count = (...values: readonly unknown[]): number | undefined => {
    const value = values.find((one) => typeof one === "number");
    return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : undefined;
  };
  const usage: Usage = {
    ...NO_USAGE,
    input: count(reported["input_tokens"], reported["total_input_tokens"]) ?? 0,
    output: count(reported["output_tokens"], reported["total_output_tokens"]) ?? 0,
  };
  const seconds = count(answer["duration"], reported["type"] === "duration" ? reported["seconds"] : undefined);
  const perMinute = PER_MINUTE.find((row) => row.provider === provider && row.pattern.test(model))?.usd;
  const byToken = usage.input + usage.output === 0 ? undefined : costOf(usage, modelInfo(provider, model).price);
  const byMinute = perMinute === undefined || seconds === undefined ? undefined : (perMinute * seconds) / 60;
  const costUsd = byMinute ?? byToken;
  return costUsd === undefined ? usage : { ...usage, costUsd };
}

/** US dollars. openrouter.ai/openai/whisper-1, getmaxim.ai/bifrost/model-library (gpt-transcribe), read 2026-11-22. */
const PER_MINUTE: readonly { readonly provider: string; readonly pattern: RegExp; readonly usd: number }[] = [
  { provider: "openai", pattern: /^whisper-1$/, usd: 0.006 },
  { provider: "openai", pattern: /^gpt-transcribe/, usd: 0.006 },
];

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
