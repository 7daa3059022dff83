/** The provider plugins we publish: what must be known of them before they are installed or loaded. */

type Env = Readonly<Record<string, string | undefined>>;

export interface KnownPlugin {
  /** Of the provider: models are `ID/model`. */
  readonly id: string;
  readonly name: string;
  readonly package: string;
  /** As the plugin says: variables with the key. */
  readonly keys: readonly string[];
  /** As the plugin says: further secret variables. They are handed to it, and never written to a log. */
  readonly secrets: readonly string[];
  /** When all of these are set, no key is missed. */
  readonly insteadOfKey?: readonly string[];
}

export const KNOWN_PLUGINS: readonly KnownPlugin[] = [
  {
    id: "bedrock",
    name: "Amazon Bedrock",
    package: "@margay/provider-bedrock",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    secrets: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
    insteadOfKey: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  },
  {
    id: "azure",
    name: "Azure OpenAI",
    package: "@margay/provider-azure",
    keys: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"],
    secrets: [],
  },
];

export function findPlugin(id: string): KnownPlugin | undefined {
  return KNOWN_PLUGINS.find((plugin) => plugin.id === id);
}

/** `provider-bedrock`, as people type it. */
export function shortName(packageName: string): string {
  return packageName.replace(/^@margay\//, "");
}

/** Whether a plugin can authenticate without a key of its own. */
export function hasOtherCredentials(id: string, env: Env): boolean {
  const { insteadOfKey } = findPlugin(id) ?? {};
  return insteadOfKey?.every((name) => isSet(env[name])) === true;
}

/** Values in the environment that plugins authenticate with. */
export function pluginSecrets(env: Env): readonly string[] {
  return KNOWN_PLUGINS.flatMap((plugin) => plugin.secrets).flatMap((name) => {
    const value = env[name];
    return isSet(value) ? [value] : [];
  });
}

export function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
