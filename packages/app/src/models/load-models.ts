// The AI SDK package of an API, imported at the first request: a cold start loads one of them and no other.
import type { ModelSource } from "@margay/core";
import type { WireKind } from "@margay/core/internal";

type Factory = Extract<ModelSource, (id: string) => unknown>;

export interface ModelSettings {
  readonly api: WireKind;
  readonly baseUrl: string;
  /** Local servers need none. */
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Last changes to an OpenAI-compatible body. */
  readonly body: (body: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

/** Models by name; the package is loaded once. */
export function loadModels(settings: ModelSettings): Factory {
  let loading: Promise<Factory> | undefined;
  return async (id) => (await (loading ??= load(settings)))(id);
}

async function load({ api, baseUrl, key, headers, fetch, body }: ModelSettings): Promise<Factory> {
  // The packages read environment variables when no key is given; a blank one keeps them from it.
  const settings = { baseURL: baseUrl, apiKey: key ?? "none", headers: { ...headers }, fetch };
  switch (api) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(settings);
    }
    case "openai-responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings).responses;
    }
    case "openai-chat": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { apiKey, ...rest } = settings;
      return createOpenAICompatible({
        ...rest,
        ...(key !== undefined && { apiKey }),
        name: "openaiCompatible",
        includeUsage: true,
        transformRequestBody: body,
      });
    }
  }
}
