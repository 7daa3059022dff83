// A TranscriptionModelV4 (any @ai-sdk package) → the text of a recording and what it cost.
import type { JSONObject, TranscriptionModelV4 } from "@ai-sdk/provider";
import type { Clock } from "../contract/base.ts";
import type { Usage } from "../contract/message.ts";
import { hasCode, RuntimeError } from "../lib/errors/errors.ts";
import { asRecord } from "../model/failure-text.ts";
import { toFailure } from "../model/failures.ts";
import { costOf, modelInfo } from "../model/models.ts";

/** A model by name; its package may be loaded first. */
export type TranscriptionSource = (model: string) => TranscriptionModelV4 | Promise<TranscriptionModelV4>;

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
  source: TranscriptionSource,
  { bytes, mediaType }: Recording,
  { provider, model, clock }: TranscribeOptions,
  signal: AbortSignal,
): Promise<Transcription> {
  signal.throwIfAborted();
  try {
    const made = await source(model);
    const { text, durationInSeconds, usage } = await made.doGenerate({ audio: bytes, mediaType, abortSignal: signal });
    return {
      text: text.slice(0, MAX_TEXT_CHARS).trim(),
      usage: priced(tokensOf(usage), durationInSeconds, provider, model),
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const failure = toFailure(error, { provider, now: clock.now(), media: true });
    throw hasCode(failure, "provider.context-length", "provider.media-rejected")
      ? rejected(failure, provider)
      : failure;
  }
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
function tokensOf(usage: JSONObject | undefined): Usage {
  const count = (...names: readonly string[]): number => {
    const value = names.map((name) => asRecord(usage)?.[name]).find((one) => typeof one === "number");
    return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : 0;
  };
  return {
    input: count("input_tokens", "total_input_tokens"),
    output: count("output_tokens", "total_output_tokens"),
    cacheRead: 0,
    cacheWrite: 0,
  };
}

/** With what it costs, when the price is known: by the minute, or by the token. */
function priced(usage: Usage, seconds: number | undefined, provider: string, model: string): Usage {
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
