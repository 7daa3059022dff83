import type { Provider } from "../contract/provider.ts";

/** How one provider is reached. A plugin reads no configuration and no environment: the host hands everything in. */
export interface PluginOptions {
  /** The provider's name in the configuration. */
  readonly id: string;
  /** One key. A plugin is asked once per configured key, and without one when there is none. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `providers.ID.api`, where a service speaks several. */
  readonly api?: string;
  /** The values of {@link ProviderPlugin.settings} and {@link ProviderPlugin.secrets} that are set, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * What a package exports as `plugin` to add a provider.
 *
 * It bundles its own libraries and takes what is margay's from the host, as a second copy of core would be another core.
 * @typeParam Host What `create` is handed; see `ProviderHost`.
 */
export interface ProviderPlugin<Host> {
  readonly contract: "provider/1";
  /** Name in the configuration: `providers.ID`, models are `ID/model`. */
  readonly id: string;
  /** As people write it. */
  readonly name: string;
  /** Environment variables with the key, the first that is set counts. */
  readonly keys: readonly string[];
  /** Settings: name in `providers.ID.options` → environment variables that count when it is not there. */
  readonly settings: Readonly<Record<string, readonly string[]>>;
  /** Like settings, but secret: taken from the environment only, never from the configuration file. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  /** Does no I/O. @throws an error made by the host. */
  create(options: PluginOptions, host: Host): Provider | Promise<Provider>;
}
