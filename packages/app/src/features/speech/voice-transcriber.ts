/** The configured model for speech to text, for voice notes. */
import type { Transcriber } from "@margay/core/internal";
import { recordingOf, tokensAtMost } from "../../host/sessions/hear.ts";
import { mediaTypeOf } from "../../host/api/media-type.ts";
import { transcriberFor, type TranscriberOptions } from "../../models/transcriber.ts";

/** @returns undefined: no model is set, or its provider has nothing for it. */
export function voiceTranscriber(
  options: TranscriberOptions & { readonly secret: (value: string) => void },
): Transcriber | undefined {
  const asked = transcriberFor(options);
  if (asked === undefined) return undefined;
  for (const key of asked.keys) options.secret(key);
  return {
    model: asked.model,
    tokens: (bytes) => {
      const recording = recordingOf(bytes);
      return recording === undefined ? 0 : tokensAtMost(recording);
    },
    transcribe: async (bytes, signal) => {
      const recording = recordingOf(bytes);
      if (recording === undefined)
        throw new Error(`its bytes are ${mediaTypeOf(bytes).type}, and no recording that can be written down`);
      const { text, usage } = await asked.transcribe(recording, signal);
      return { value: text, usage };
    },
  };
}
