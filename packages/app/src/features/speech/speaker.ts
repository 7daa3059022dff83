/** What reads replies aloud, as it is configured: a model, or a program of this machine. */
import { join } from "node:path";
import { RuntimeError, type Clock, type Logger } from "@margay/core";
import {
  commandEnvironment,
  httpFetch,
  messageOf,
  secondsOf,
  type BlobStore,
  type Sandbox,
  type Speaker,
} from "@margay/core/internal";
import { modelRef } from "../../config/agent-settings.ts";
import type { Loaded } from "../../config/load.ts";
import { keysOf } from "../../models/choose-model.ts";
import { speak, speechCost, speechTokens } from "../../models/speak.ts";
import { readsAloud, withEach } from "../../models/transcriber.ts";
import { runProgram, type ProgramOptions } from "./run-program.ts";
import { conversionTo, soundName, soundType, withLength } from "./sound.ts";

export interface SpeechOptions {
  readonly loaded: Loaded;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly blobs: Pick<BlobStore, "put">;
  readonly sandbox: Pick<Sandbox, "wrap" | "hold">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
  /** Told of every key, so that it shows up in no log. */
  readonly secret: (value: string) => void;
}

/** Makes a sound of a text. */
interface Voice extends Pick<Speaker, "model"> {
  readonly name: string;
  make(text: string, kinds: readonly string[], signal: AbortSignal): Promise<Uint8Array>;
}

/** @returns undefined: neither is set, or nothing is to be read aloud. */
export function speakerOf(options: SpeechOptions): Speaker | undefined {
  const { loaded, blobs } = options;
  const { speech } = loaded.config;
  const voice = speech.reply === "never" ? undefined : (voiceOfModel(options) ?? voiceOfProgram(options));
  if (voice === undefined) return undefined;
  const { model } = voice;
  return {
    ...(model !== undefined && { model }),
    tokens: speechTokens,
    speak: async (text, kinds, signal) => {
      const sound = await fitting(withLength(await voice.make(text, kinds, signal)), kinds, options, signal);
      const type = soundType(sound);
      if (type === undefined)
        throw new RuntimeError("speech.failed", `What ${voice.name} made is no sound. Check speech.command.`);
      return {
        part: {
          type: "media",
          mediaType: type,
          blob: await blobs.put(sound),
          name: soundName(type),
          ...(kinds.includes(type) && { voice: true }),
        },
        ...(model !== undefined && { usage: speechCost(text, secondsOf(text), model) }),
      };
    },
  };
}

function voiceOfModel({ loaded: { config }, env, clock, secret }: SpeechOptions): Voice | undefined {
  const { model: name, voice } = config.speech;
  const model = name === null ? undefined : modelRef(name);
  const reached = name === null ? undefined : readsAloud(name, config);
  if (model === undefined || reached === undefined) return undefined;
  const { provider } = model;
  const { baseUrl } = reached;
  return {
    model,
    name: `${provider}/${model.model}`,
    make: async (text, kinds, signal) => {
      const keys = keysOf(provider, config, env);
      for (const key of keys) secret(key);
      const headers = config.providers[provider]?.headers ?? {};
      const format = kinds.includes("audio/ogg") ? "opus" : "mp3";
      const asked = {
        baseUrl,
        headers,
        fetch: httpFetch(),
        provider,
        model: model.model,
        voice,
        format,
        clock,
      } as const;
      return withEach(keys, (key) => speak(text, { ...asked, key }, signal));
    },
  };
}

function voiceOfProgram(options: SpeechOptions): Voice | undefined {
  const [command, ...args] = options.loaded.config.speech.command;
  if (command === undefined) return undefined;
  return {
    name: command,
    make: (text, _kinds, signal) =>
      runProgram([command, ...args], Buffer.from(`${text}\n`), programOptions(options), signal),
  };
}

function programOptions({ loaded, env, sandbox }: SpeechOptions): ProgramOptions {
  const { exec } = loaded.config.tools;
  return {
    ...(exec.sandbox !== "none" && { sandbox }),
    folder: join(loaded.places.home, "speech"),
    state: loaded.places.home,
    environment: commandEnvironment(env, [], exec.pathAppend),
  };
}

/** In a kind that the platform shows as a voice note, where there is a way; else it is a file. */
async function fitting(
  sound: Uint8Array,
  kinds: readonly string[],
  options: SpeechOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const [wanted] = kinds;
  const conversion = wanted === undefined ? undefined : conversionTo(wanted);
  if (conversion === undefined || kinds.includes(soundType(sound) ?? "")) return sound;
  try {
    return await runProgram(conversion, sound, programOptions(options), signal);
  } catch (error) {
    signal.throwIfAborted();
    options.log.warn("speech.not-converted", { message: messageOf(error) });
    return sound;
  }
}
