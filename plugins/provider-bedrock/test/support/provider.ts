// The plugin as the program uses it: through the host, over real HTTP.
import { type ModelEvent, type ModelRequest, type Provider } from "@margay/core";
import { httpFetch, pluginProvider } from "@margay/core/internal";
import { fakeClock } from "@margay/core/testing";
import { plugin } from "../../src/index.ts";

export function bedrock(
  url: string,
  settings: Readonly<Record<string, string>> = {},
  keys: readonly string[] = ["key-1"],
): Provider {
  return pluginProvider(() => Promise.resolve(plugin), {
    id: "bedrock",
    apiKeys: keys,
    baseUrl: url,
    headers: {},
    settings: () => settings,
    fetch: httpFetch(),
    clock: fakeClock(),
  });
}

export function request(change: Partial<ModelRequest> = {}): ModelRequest {
  const text = { type: "text" as const, text: "Hello" };
  return {
    id: "turn-1-a",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    prefix: {
      hash: "h",
      system: "Be brief.",
      tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }],
    },
    messages: [{ role: "user", id: "m", at: 0, from: { id: "p", kind: "person" }, parts: [text] }],
    sampling: { maxOutputTokens: 1000, thinking: "off", toolChoice: "auto" },
    cacheKey: "session-1",
    media: () => Promise.reject(new Error("There is no blob.")),
    ...change,
  };
}

export async function hear(provider: Provider, asked: ModelRequest = request()): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}
