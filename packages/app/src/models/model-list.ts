/** The list of models a provider offers, asked of the provider itself; each wire has its own question. */
import type { WireKind } from "@margay/core/internal";
import { versioned } from "./create-provider.ts";

export interface Endpoint {
  readonly api: WireKind;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export type ModelList =
  | { readonly status: "listed"; readonly models: readonly string[] }
  /** It has no such list: many compatible servers do not. */
  | { readonly status: "none" }
  | { readonly status: "refused"; readonly http: number };

const MAX_MODELS = 2000;
const MAX_BYTES = 8 * 1024 * 1024;

/** @throws what the connection throws. */
export async function listModels(
  { api, baseUrl, key, headers }: Endpoint,
  get: typeof fetch,
  signal: AbortSignal,
): Promise<ModelList> {
  const response = await get(`${versioned(baseUrl, api)}/models${api === "google" ? "?pageSize=1000" : ""}`, {
    headers: { accept: "application/json", ...keyHeaders(api, key), ...headers },
    signal,
  });
  if (response.status === 404 || response.status === 405) return { status: "none" };
  if (!response.ok) return { status: "refused", http: response.status };
  const text = await response.text();
  const models = text.length > MAX_BYTES ? undefined : namesIn(text);
  return models === undefined ? { status: "none" } : { status: "listed", models };
}

function keyHeaders(api: WireKind, key: string | undefined): Readonly<Record<string, string>> {
  const version = api === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  if (key === undefined) return version;
  switch (api) {
    case "anthropic":
      return { ...version, "x-api-key": key };
    case "google":
      return { "x-goog-api-key": key };
    case "openai-chat":
    case "openai-responses":
      return { authorization: `Bearer ${key}` };
  }
}

/** `data[].id`, or Gemini's `models[].name`. */
function namesIn(text: string): readonly string[] | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined; // something else listens there
  }
  if (typeof body !== "object" || body === null) return undefined;
  const { data, models } = body as Readonly<Record<string, unknown>>;
  const list: readonly unknown[] | undefined = Array.isArray(data) ? data : Array.isArray(models) ? models : undefined;
  return list?.slice(0, MAX_MODELS).flatMap((item) => {
    if (typeof item !== "object" || item === null) return [];
    const { id, name } = item as Readonly<Record<string, unknown>>;
    const found = typeof id === "string" ? id : typeof name === "string" ? name.replace(/^models\//, "") : "";
    return found === "" ? [] : [found];
  });
}
