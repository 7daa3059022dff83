/** `@margay/provider-azure`: the models of Azure OpenAI and Azure AI Foundry; a model is named by its deployment. */
import type { ModelRequest, PluginOptions, Provider, ProviderHost, ProviderPlugin } from "@margay/core";

/** Speaks the Responses API, and Chat Completions when `providers.azure.api` is `openai-chat`. */
export const plugin: ProviderPlugin<ProviderHost> = {
  contract: "provider/1",
  id: "azure",
  name: "Azure OpenAI",
  keys: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"],
  settings: {
    resourceName: ["AZURE_RESOURCE_NAME"],
    endpoint: ["AZURE_OPENAI_ENDPOINT"],
    apiVersion: ["AZURE_API_VERSION"],
  },
  secrets: {},
  create: (options, host) => {
    const { id, apiKey } = options;
    if (apiKey === undefined)
      throw host.error(
        "provider.no-key",
        `No key is configured for ${id}. Set AZURE_API_KEY or providers.${id}.apiKey.`,
        {
          name: "AZURE_API_KEY",
        },
      );
    const place = { ...addressOf(options, host), headers: options.headers, auth: { "api-key": apiKey } };
    if (options.api !== "openai-chat")
      return host.endpoint({ ...place, wire: "openai-responses", quirks: { brokenArguments: "text" } });
    const quirks = { brokenArguments: "text", thinking: "effort" } as const;
    return chat(
      host.endpoint({ ...place, wire: "openai-chat", quirks }),
      host.endpoint({ ...place, wire: "openai-chat", quirks: { ...quirks, maxTokensField: "max_completion_tokens" } }),
    );
  },
};

/** Models that reason, but for those made to chat: they take no temperature, and have another name for the limit. */
const REASONING = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!-chat))/;

function chat(plain: Provider, reasoning: Provider): Provider {
  return {
    id: plain.id,
    stream: (request, signal) =>
      REASONING.test(request.model)
        ? reasoning.stream(withoutTemperature(request), signal)
        : plain.stream(request, signal),
  };
}

function withoutTemperature(request: ModelRequest): ModelRequest {
  const { temperature: _, ...sampling } = request.sampling;
  return { ...request, sampling };
}

interface Place {
  readonly baseUrl: string;
  readonly query?: Readonly<Record<string, string>>;
}

function addressOf({ id, baseUrl, settings }: PluginOptions, host: ProviderHost): Place {
  const { endpoint, resourceName, apiVersion = "v1" } = settings;
  const address = baseUrl ?? endpoint ?? named(resourceName, id, host);
  const url = new URL(withPath(address, host));
  const azure = /\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/.test(url.hostname);
  // Other addresses, and those with a version, are taken as they are.
  if (!azure || /\/openai\/v1$/i.test(url.pathname)) return { baseUrl: url.href.replace(/\/$/, "") };
  const project = url.hostname.endsWith(".services.ai.azure.com") && url.pathname.startsWith("/api/projects/");
  const versioned = `${url.href.replace(/\/$/, "")}/v1`;
  return project ? { baseUrl: versioned } : { baseUrl: versioned, query: { "api-version": apiVersion } };
}

function named(resource: string | undefined, id: string, host: ProviderHost): string {
  if (resource === undefined)
    throw host.error(
      "config.invalid",
      `Azure needs the address of your resource. Set AZURE_RESOURCE_NAME or AZURE_OPENAI_ENDPOINT, or run \`margay config set providers.${id}.baseUrl https://NAME.openai.azure.com\`.`,
    );
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(resource)) return `https://${resource}.openai.azure.com`;
  throw host.error(
    "config.invalid",
    `The name of the Azure resource is "${resource}", which is no name of a host. Write the NAME of https://NAME.openai.azure.com in AZURE_RESOURCE_NAME.`,
  );
}

/** The portal shows the address without the path that its API begins with. */
function withPath(address: string, host: ProviderHost): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw host.error(
      "config.invalid",
      `The address of Azure is "${address}", which is no URL. Write it as https://NAME.openai.azure.com in AZURE_OPENAI_ENDPOINT or providers.azure.baseUrl.`,
    );
  const url = new URL(address);
  if (/\.azure\.(?:com|us|cn)$/.test(url.hostname) && url.pathname === "/") url.pathname = "/openai";
  return url.href.replace(/\/$/, "");
}
