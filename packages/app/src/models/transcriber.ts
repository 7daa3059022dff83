/** The configured model for speech to text: which it is, and a recording asked of it with each key in turn. */
import { RuntimeError, type Clock, type ModelRef } from "@margay/core";
import { httpFetch, isOfKey } from "@margay/core/internal";
import type { Config } from "../config/config.ts";
import { modelRef } from "../config/agent-settings.ts";
import { keysOf } from "./choose-model.ts";
import { findVendor } from "./catalog.ts";
import { versioned } from "./create-provider.ts";
import { transcribe, type Recording, type SpeechApi, type Transcription } from "./transcribe.ts";

export interface Transcriber {
  readonly model: ModelRef;
  /** Of the provider: what errors must not say. */
  readonly keys: readonly string[];
  /** @throws RuntimeError `provider.*`; `signal.reason` when aborted. */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcription>;
}

export interface TranscriberOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** @returns undefined when no model is set, or its provider has nothing that turns speech into text. */
export function transcriberFor({ config, env, clock }: TranscriberOptions): Transcriber | undefined {
  const { transcriptionModel, requestTimeoutSeconds } = config.agent;
  if (transcriptionModel === null) return undefined;
  const model = modelRef(transcriptionModel);
  const { provider } = model;
  const reached = reachedAt(provider, config);
  if (reached === undefined) return undefined;
  const keys = keysOf(provider, config, env);
  const variable = findVendor(provider)?.keys[0];
  const fetch = httpFetch();
  const ask = async (key: string | undefined, recording: Recording, signal: AbortSignal): Promise<Transcription> => {
    const headers = config.providers[provider]?.headers ?? {};
    return transcribe(recording, { ...reached, key, headers, fetch, provider, model: model.model, clock }, signal);
  };
  return {
    model,
    keys,
    transcribe: async (recording, signal) => {
      if (keys.length === 0 && variable !== undefined)
        throw new RuntimeError(
          "provider.no-key",
          `No key is configured for ${provider}. Set ${variable} or providers.${provider}.apiKey.`,
          { details: { name: variable } },
        );
      const within = AbortSignal.timeout(requestTimeoutSeconds * 1000);
      try {
        return await withEach(keys, (key) => ask(key, recording, AbortSignal.any([signal, within])));
      } catch (error) {
        if (signal.aborted || !within.aborted) throw error;
        throw new RuntimeError(
          "provider.timeout",
          `${provider} did not write the recording down within ${requestTimeoutSeconds} s. Record less, or raise agent.requestTimeoutSeconds.`,
          { retryable: true, cause: error },
        );
      }
    },
  };
}

/** Whether recordings are taken. */
export function takesRecordings(config: Config): boolean {
  const { transcriptionModel: name } = config.agent;
  return name !== null && reachedAt(modelRef(name).provider, config) !== undefined;
}

/** Where replies can be read aloud by this model: OpenAI's API alone has it. @returns undefined: nowhere. */
export function readsAloud(name: string, config: Config): { readonly baseUrl: string } | undefined {
  const reached = reachedAt(modelRef(name).provider, config);
  return reached?.api === "google" ? undefined : reached;
}

function reachedAt(
  provider: string,
  { providers }: Config,
): { readonly api: SpeechApi; readonly baseUrl: string } | undefined {
  const vendor = findVendor(provider);
  const api = providers[provider]?.api ?? vendor?.api;
  const baseUrl = providers[provider]?.baseUrl ?? vendor?.baseUrl;
  if (api === undefined || api === "anthropic" || baseUrl === undefined) return undefined;
  return { api, baseUrl: versioned(baseUrl, api) };
}

/** The next key when that may help; the last error when there is none. */
export async function withEach<Value>(
  keys: readonly string[],
  ask: (key: string | undefined) => Promise<Value>,
): Promise<Value> {
  const [key, ...others] = keys;
  try {
    return await ask(key);
  } catch (error) {
    if (others.length === 0 || !isOfKey(error)) throw error;
    return withEach(others, ask);
  }
}
