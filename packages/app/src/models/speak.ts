/** A text → its sound: one request to a service with OpenAI's `POST /audio/speech`. */
import { RuntimeError, type Usage } from "@margay/core";
import { fromHttp, NO_USAGE, toFailure } from "@margay/core/internal";
import type { TranscribeOptions } from "./transcribe.ts";

export interface SpeakOptions extends Omit<TranscribeOptions, "api"> {
  /** As the service calls it. */
  readonly voice: string;
  /** `opus` comes in an Ogg file. */
  readonly format: "opus" | "mp3";
}

/** More than minutes of the thickest sound. */
const MAX_SOUND_BYTES = 32 * 1024 * 1024;

/**
 * One request; nothing is repeated.
 * @throws RuntimeError `provider.*`; `signal.reason` when aborted.
 */
export async function speak(text: string, options: SpeakOptions, signal: AbortSignal): Promise<Uint8Array> {
  signal.throwIfAborted();
  const { baseUrl, key, headers, provider, model, voice, format, clock } = options;
  const context = { provider, now: clock.now(), media: true };
  try {
    const response = await options.fetch(`${baseUrl}/audio/speech`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: JSON.stringify({ model, voice, input: text, response_format: format }),
      signal,
    });
    const { status } = response;
    if (!response.ok)
      throw fromHttp({ status, headers: Object.fromEntries(response.headers), body: await response.text() }, context);
    const bytes = await soundOf(response, provider);
    if (bytes.length > 0) return bytes;
    throw new RuntimeError("provider.malformed", `${provider} sent no sound. Choose another model with speech.model.`);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toFailure(error, context);
  }
}

async function soundOf({ body }: Response, provider: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_SOUND_BYTES)
      throw new RuntimeError(
        "provider.malformed",
        `${provider} sent more than ${MAX_SOUND_BYTES} bytes of sound. Choose another model with speech.model.`,
      );
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** What it costs, about: nobody says it in the answer. @param seconds That it takes to read the text. */
export function speechCost(
  text: string,
  seconds: number,
  { provider, model }: Pick<SpeakOptions, "provider" | "model">,
): Usage {
  const price = PRICES.find((row) => row.provider === provider && row.pattern.test(model));
  const costUsd =
    price === undefined
      ? undefined
      : (price.usdPerMillionChars ?? 0) * (text.length / 1_000_000) + (price.usdPerMinute ?? 0) * (seconds / 60);
  return { ...NO_USAGE, input: speechTokens(text), estimated: true, ...(costUsd !== undefined && { costUsd }) };
}

/** Rather too many: of scripts without letters a character is a token. */
export function speechTokens(text: string): number {
  return text.length;
}

/** US dollars. platform.openai.com/docs/pricing, read 2026-11-22: of gpt-4o-mini-tts the estimate for a minute. */
const PRICES: readonly {
  readonly provider: string;
  readonly pattern: RegExp;
  readonly usdPerMillionChars?: number;
  readonly usdPerMinute?: number;
}[] = [
  { provider: "openai", pattern: /^tts-1-hd/, usdPerMillionChars: 30 },
  { provider: "openai", pattern: /^tts-1/, usdPerMillionChars: 15 },
  { provider: "openai", pattern: /^gpt-4o-mini-tts/, usdPerMinute: 0.015 },
];
