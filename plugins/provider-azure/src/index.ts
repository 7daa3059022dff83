/** `@margay/provider-azure`: the models of Azure OpenAI and Azure AI Foundry; a model is named by its deployment. */
import { createAzure } from "@ai-sdk/azure";
import type { PluginOptions, ProviderHost, ProviderPlugin } from "@margay/core";

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
    const { id, apiKey, settings } = options;
    if (apiKey === undefined)
      throw host.error(
        "provider.no-key",
        `No key is configured for ${id}. Set AZURE_API_KEY or providers.${id}.apiKey.`,
        {
          name: "AZURE_API_KEY",
        },
      );
    const chat = options.api === "openai-chat";
    const azure = createAzure({
      apiKey,
      ...place(options, host),
      ...(settings["apiVersion"] !== undefined && { apiVersion: settings["apiVersion"] }),
      headers: { ...options.headers },
      fetch: host.wireFetch(chat ? "openai-chat" : "openai-responses"),
    });
    return chat
      ? host.languageModel((name) => azure.chat(name), {
          wire: "openai-chat",
          brokenArguments: "text",
          thinking: "effort",
        })
      : host.languageModel((name) => azure.responses(name), { wire: "openai-responses", brokenArguments: "text" });
  },
};

type Place = { readonly baseURL: string } | { readonly resourceName: string };

function place({ id, baseUrl, settings }: PluginOptions, host: ProviderHost): Place {
  const address = baseUrl ?? settings["endpoint"];
  if (address !== undefined) return { baseURL: withPath(address, host) };
  const { resourceName } = settings;
  if (resourceName !== undefined) return { resourceName };
  throw host.error(
    "config.invalid",
    `Azure needs the address of your resource. Set AZURE_RESOURCE_NAME or AZURE_OPENAI_ENDPOINT, or run \`margay config set providers.${id}.baseUrl https://NAME.openai.azure.com\`.`,
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
