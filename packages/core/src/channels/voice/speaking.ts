/** Reading replies aloud, loaded when the first one is to be. */
import type { VoiceOptions } from "../../contract/channel.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { SpeakOptions, SpokenReply } from "./reply.ts";

/** For the outbox. */
export function speakingOf(
  voice: VoiceOptions | undefined,
  rest: () => Omit<SpeakOptions, "voice">,
): { readonly speak?: (spoken: SpokenReply) => Promise<readonly JournalRecord[] | undefined> } {
  if (voice === undefined) return {};
  return {
    speak: async (spoken) => {
      const { speakReply } = await import("./reply.ts");
      return speakReply(spoken, { ...rest(), voice });
    },
  };
}
