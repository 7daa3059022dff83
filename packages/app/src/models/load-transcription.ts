// The AI SDK package that turns speech into text with an API, imported at the first recording.
import type { TranscriptionSource, WireKind } from "@margay/core/internal";

/** Those in which something turns speech into text. */
export type SpeechApi = Exclude<WireKind, "anthropic">;

export interface TranscriptionSettings {
  readonly api: SpeechApi;
  readonly baseUrl: string;
  /** Local servers need none. */
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

export function loadTranscription(settings: TranscriptionSettings): TranscriptionSource {
  return async (model) => (await LOADERS[settings.api](settings))(model);
}

/** Nearly every server with OpenAI's API has its `POST /audio/transcriptions` too. */
const LOADERS: Readonly<Record<SpeechApi, (settings: TranscriptionSettings) => Promise<TranscriptionSource>>> = {
  "openai-chat": loadOpenAi,
  "openai-responses": loadOpenAi,
  google: loadGoogle,
};

async function loadOpenAi(settings: TranscriptionSettings): Promise<TranscriptionSource> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI(settingsOf(settings)).transcription;
}

async function loadGoogle(settings: TranscriptionSettings): Promise<TranscriptionSource> {
  const { createGoogle } = await import("@ai-sdk/google");
  return createGoogle(settingsOf(settings)).transcription;
}

function settingsOf({ baseUrl, key, headers, fetch }: TranscriptionSettings): {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
} {
  // The packages read environment variables when no key is given; a blank one keeps them from it.
  const own = { baseURL: baseUrl, apiKey: key ?? "none", headers: { ...headers } };
  return { ...own, fetch: encodedFetch(fetch, key !== undefined) };
}

/** Forms become bytes, which is all that our `fetch` sends. */
function encodedFetch(inner: typeof fetch, hasKey: boolean): typeof fetch {
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!hasKey) headers.delete("authorization");
    if (!(init.body instanceof FormData)) return inner(input, { ...init, headers });
    const form = new Response(init.body);
    headers.set("content-type", form.headers.get("content-type") ?? "multipart/form-data");
    return inner(input, { ...init, headers, body: new Uint8Array(await form.arrayBuffer()) });
  };
  return send as typeof fetch;
}
