/** Voice notes, in and out, as they are configured when there is one: until then nothing of them is loaded. */
import type { VoiceOptions } from "@margay/core/internal";
import type { SpeechOptions } from "./speaker.ts";

export interface VoiceParts extends Omit<SpeechOptions, "loaded"> {
  /** As it is now. */
  readonly loaded: () => SpeechOptions["loaded"];
}

export function voiceOptions({ loaded, ...rest }: VoiceParts): VoiceOptions {
  return {
    transcriber: async () => {
      const { config } = loaded();
      if (config.agent.transcriptionModel === null) return undefined;
      const { voiceTranscriber } = await import("./voice-transcriber.ts");
      return voiceTranscriber({ ...rest, config });
    },
    speaker: async () => {
      const { speech } = loaded().config;
      if (speech.reply === "never" || (speech.model === null && speech.command.length === 0)) return undefined;
      const { speakerOf } = await import("./speaker.ts");
      return speakerOf({ ...rest, loaded: loaded() });
    },
  };
}
