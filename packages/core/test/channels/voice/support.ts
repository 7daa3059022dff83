// Voice notes of a test: what was asked of whoever writes down and reads aloud, and a chat that has both.
import { createHash } from "node:crypto";
import type { MediaPart, ModelRef, Usage } from "../../../src/contract/message.ts";
import type { BlobStore } from "../../../src/contract/services.ts";
import type { VoiceOptions } from "../../../src/contract/channel.ts";
import type { RecordingChannel } from "../../../src/internal-testing.ts";
import { recordingChannel } from "../../../src/testing.ts";

export const EARS: ModelRef = { provider: "ears", model: "whisper" };
export const MOUTH: ModelRef = { provider: "mouth", model: "tts" };
export const USAGE: Usage = { input: 70, output: 5, cacheRead: 0, cacheWrite: 0, costUsd: 0.001 };

export interface TestVoice extends VoiceOptions {
  /** What was written down, byte for byte. */
  readonly heard: string[];
  /** What was read aloud. */
  readonly spoken: string[];
}

export interface TestVoiceOptions {
  /** What is said in the recording with these bytes. Absent: no model is set. */
  readonly transcribe?: (bytes: string, signal: AbortSignal) => string | Promise<string>;
  /** Absent: nothing reads aloud. */
  readonly speak?: (text: string, signal: AbortSignal) => string | Promise<string>;
  /** That reading aloud takes, at most. */
  readonly tokens?: number;
  /** A program of this machine. */
  readonly free?: true;
}

export function testVoice({ transcribe, speak, free, tokens }: TestVoiceOptions): TestVoice {
  const heard: string[] = [];
  const spoken: string[] = [];
  return {
    heard,
    spoken,
    transcriber: () =>
      Promise.resolve(
        transcribe && {
          model: EARS,
          tokens: (bytes) => bytes.length,
          transcribe: async (bytes, signal) => {
            const words = Buffer.from(bytes).toString();
            heard.push(words);
            return { value: await transcribe(words, signal), usage: USAGE };
          },
        },
      ),
    speaker: () =>
      Promise.resolve(
        speak && {
          ...(free === undefined && { model: MOUTH }),
          tokens: (text) => tokens ?? text.length,
          speak: async (text, kinds, signal) => {
            spoken.push(text);
            const sound = await speak(text, signal);
            const part: MediaPart = {
              ...audio(sound, kinds[0] ?? "audio/wav"),
              ...(kinds.length > 0 && { voice: true }),
            };
            return { part, usage: USAGE };
          },
        },
      ),
  };
}

export function audio(sound: string, mediaType = "audio/ogg"): MediaPart {
  const sha256 = createHash("sha256").update(sound).digest("hex");
  return { type: "media", mediaType, name: "voice.ogg", blob: { sha256, bytes: sound.length } };
}

/** A platform that shows voice notes. */
export function voiceChannel(can: Parameters<typeof recordingChannel>[1] = {}): RecordingChannel {
  return recordingChannel("test", { media: { maxBytes: 1000 }, voice: ["audio/ogg"], ...can });
}

/** A voice note with these bytes, as a channel hands it on. */
export async function note(blobs: Pick<BlobStore, "put">, sound: string): Promise<MediaPart> {
  return { ...audio(sound), blob: await blobs.put(Buffer.from(sound)), voice: true };
}
