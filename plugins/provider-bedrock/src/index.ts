/** `@margay/provider-bedrock`: the models of Amazon Bedrock through its Converse API. */
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { PluginOptions, ProviderHost, ProviderPlugin } from "@margay/core";
import { forConverse } from "./for-converse.ts";

/** A Bedrock API key, or an access key pair whose requests are signed; a session token comes with temporary pairs. */
export const plugin: ProviderPlugin<ProviderHost> = {
  contract: "provider/1",
  id: "bedrock",
  name: "Amazon Bedrock",
  keys: ["AWS_BEARER_TOKEN_BEDROCK"],
  settings: { region: ["AWS_REGION", "AWS_DEFAULT_REGION"] },
  secrets: {
    accessKeyId: ["AWS_ACCESS_KEY_ID"],
    secretAccessKey: ["AWS_SECRET_ACCESS_KEY"],
    sessionToken: ["AWS_SESSION_TOKEN"],
  },
  create: (options, host) => {
    const bedrock = createAmazonBedrock({
      ...credentials(options, host),
      ...(options.baseUrl !== undefined && { baseURL: options.baseUrl }),
      headers: { ...options.headers },
      fetch: host.fetch,
    });
    return host.languageModel((id) => forConverse(bedrock(id)), {
      wire: "openai-chat",
      thinking: "effort",
      cacheControl: "blocks",
      toolResultImages: true,
      files: true,
    });
  },
};

interface Credentials {
  readonly region?: string;
  /** Blank keeps the library from looking for one itself. */
  readonly apiKey: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
}

function credentials({ apiKey, baseUrl, id, settings }: PluginOptions, host: ProviderHost): Credentials {
  const { region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const signed = apiKey === undefined;
  if (region === undefined && (signed || baseUrl === undefined))
    throw host.error(
      "config.invalid",
      `Bedrock needs a region. Set AWS_REGION, or run \`margay config set providers.${id}.options '{"region":"us-east-1"}'\`.`,
    );
  const place = region === undefined ? {} : { region };
  if (!signed) return { ...place, apiKey };
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw host.error(
      "provider.no-key",
      `No key is configured for ${id}. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
      { name: "AWS_BEARER_TOKEN_BEDROCK" },
    );
  return {
    ...place,
    apiKey: "",
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  };
}
