/** A recording → what is said in it: by the configured model, within the budgets, counted for who sent it. */
import { RuntimeError } from "@margay/core";
import type { Recording } from "../../models/transcribe.ts";
import { transcriberFor } from "../../models/transcriber.ts";
import type { Credential } from "../auth/credential.ts";
import { mediaTypeOf } from "../api/media-type.ts";
import type { Services } from "../api/services.ts";

export type Heard =
  /** `""`: nobody said anything. */
  | { readonly status: "heard"; readonly text: string }
  /** No model is set, or its provider has nothing for it. */
  | { readonly status: "unset" }
  | { readonly status: "unsupported"; readonly mediaType: string }
  | { readonly status: "no-budget" };

/**
 * @param owner Of `ownerOf`: where the cost is counted.
 * @throws RuntimeError `provider.*`, `system.stopped`; `signal.reason` when aborted.
 */
export async function hear(
  bytes: Uint8Array,
  owner: string,
  { app, loadOptions }: Pick<Services, "app" | "loadOptions">,
  signal: AbortSignal,
): Promise<Heard> {
  const transcriber = transcriberFor({
    config: app.inside.loaded().config,
    env: loadOptions.env,
    clock: app.clock,
  });
  if (transcriber === undefined) return { status: "unset" };
  const recording = recordingOf(bytes);
  if (recording === undefined) return { status: "unsupported", mediaType: mediaTypeOf(bytes).type };
  const { model, keys } = transcriber;
  for (const key of keys) app.inside.secret(key);
  try {
    const counted = await app.agent.countCost(
      accountOf(owner),
      { purpose: "transcription", model, tokens: tokensAtMost(recording) },
      async (stopped) => {
        const { text, usage } = await transcriber.transcribe(recording, stopped);
        return { value: text, usage };
      },
      signal,
    );
    return counted === undefined ? { status: "no-budget" } : { status: "heard", text: counted.value };
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const { code, message, details, retryable } = error;
    const quoted = { retryable, cause: error, ...(details !== undefined && { details }) };
    throw new RuntimeError(code, app.inside.redact(message), quoted); // some quote the key
  }
}

/** The session in which nothing is said: it holds what the recordings of somebody cost. */
export function accountOf(owner: string): string {
  return `voice:${owner}`;
}

/** A token pays for itself; browsers and commands are the operator's. */
export function ownerOf({ kind, id }: Pick<Credential, "kind" | "id">): string {
  return kind === "token" ? id : "operator";
}

/** What the services take, by how many bytes a second of it has at least: 8 kHz in 8 bits, and the thriftiest speech codecs. */
const BYTES_PER_SECOND: Readonly<Record<string, number>> = {
  "audio/wav": 8000,
  "audio/flac": 4000,
  "audio/mpeg": 1000,
  "audio/mp4": 1000,
  "audio/ogg": 750,
  "audio/webm": 750,
};
const TOKENS_PER_SECOND = 32; // ai.google.dev/gemini-api/docs/audio; OpenAI's models count fewer
const TEXT_TOKENS = 2000; // the longest answer of gpt-4o-transcribe

/** For the budgets, before anything is asked. */
export function tokensAtMost({ bytes, mediaType }: Recording): number {
  const seconds = bytes.length / (BYTES_PER_SECOND[mediaType] ?? 1000);
  return Math.ceil(seconds * TOKENS_PER_SECOND) + TEXT_TOKENS;
}

/** Undefined: these bytes are none. */
export function recordingOf(bytes: Uint8Array): Recording | undefined {
  const { type } = mediaTypeOf(bytes);
  // Phones put sound into files whose first bytes say that there may be pictures too.
  const mediaType = type === "video/mp4" ? "audio/mp4" : type;
  return Object.hasOwn(BYTES_PER_SECOND, mediaType) ? { bytes, mediaType } : undefined;
}
