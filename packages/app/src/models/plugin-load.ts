/** The plugin of a package: imported, and checked against the contract before anything is asked of it. */
import { pathToFileURL } from "node:url";
import { RuntimeError, type ProviderHost, type ProviderPlugin } from "@margay/core";
import { type ChannelPlugin, isProviderPlugin, isRecord, messageOf, systemClock } from "@margay/core/internal";
import { findPlugin, isSet, shortName } from "./known-plugins.ts";
import { locateProvider, type LookOptions, type PluginPlace } from "./plugin-locate.ts";

/** @throws RuntimeError `plugin.invalid`: it cannot be imported, or is no provider. */
export async function loadPlugin(place: PluginPlace): Promise<ProviderPlugin<ProviderHost>> {
  const exported = await exportedBy(place);
  if (isProviderPlugin(exported)) return exported;
  throw isNone(place, "provider/1");
}

/** @throws RuntimeError `plugin.invalid`: it cannot be imported, or is no channel. */
export async function loadChannelPlugin(place: PluginPlace): Promise<ChannelPlugin> {
  const exported = await exportedBy(place);
  if (isRecord(exported) && exported["contract"] === "channel/1" && typeof exported["create"] === "function")
    return exported as unknown as ChannelPlugin; // its contract was read
  throw isNone(place, "channel/1");
}

async function exportedBy(place: PluginPlace): Promise<unknown> {
  const { checkPin } = await import("./plugins/pin.ts");
  await checkPin(place, systemClock());
  try {
    const module: unknown = await import(pathToFileURL(place.entry).href);
    return typeof module === "object" && module !== null && "plugin" in module ? module.plugin : undefined;
  } catch (error) {
    throw new RuntimeError(
      "plugin.invalid",
      `The package ${place.package} cannot be loaded: ${messageOf(error)}. Install it again with \`margay plugin add ${shortName(place.package)}\`.`,
      { cause: error },
    );
  }
}

function isNone(place: PluginPlace, contract: string): RuntimeError {
  return new RuntimeError(
    "plugin.invalid",
    `The package ${place.package} exports no \`plugin\` of the contract ${contract}. Install one that \`margay plugin list\` shows.`,
  );
}

/**
 * Finds the plugin of a configured provider now and loads it later. Undefined: there is none of that name.
 * @throws RuntimeError `plugin.missing`, unless it is optional.
 */
export function pluginFor(
  id: string,
  options: LookOptions & { readonly optional: boolean },
): (() => Promise<ProviderPlugin<ProviderHost>>) | undefined {
  const place = locateProvider(id, options);
  const known = findPlugin(id);
  if (place === undefined && (known === undefined || options.optional)) return undefined;
  if (place === undefined)
    throw new RuntimeError(
      "plugin.missing",
      `The provider ${id} is a plugin that is not installed. Run \`margay plugin add ${shortName(known?.package ?? id)}\`.`,
      { details: { name: id } },
    );
  return async () => {
    const plugin = await loadPlugin(place);
    if (plugin.id === id) return plugin;
    throw new RuntimeError(
      "plugin.invalid",
      `The package ${place.package} is for the provider ${plugin.id}, not ${id}. Name the provider ${plugin.id} in the configuration.`,
    );
  };
}

/** What the plugin's settings are: configured, or in the environment; secrets only of plugins whose secrets we keep out of logs. */
export function settingsOf(
  plugin: ProviderPlugin<ProviderHost>,
  options: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const secrets = findPlugin(plugin.id)?.secrets ?? [];
  const settings: Record<string, string> = {};
  const take = (name: string, value: string | undefined): void => {
    if (isSet(value)) settings[name] = value;
  };
  for (const [name, variables] of Object.entries(plugin.settings))
    take(name, options[name] ?? variables.map((variable) => env[variable]).find(isSet));
  for (const [name, variables] of Object.entries(plugin.secrets))
    take(
      name,
      variables
        .filter((variable) => secrets.includes(variable))
        .map((variable) => env[variable])
        .find(isSet),
    );
  return settings;
}
