/** Plugins where there are any: without one nothing of them is loaded, and the tools are the others as they are. */
import { createRegistry, type ToolRegistry } from "@margay/core";
import type { Hooks } from "@margay/core/internal";
import type { PluginToolsOptions } from "./plugin-tools.ts";
import type { Plugins, PluginsOptions } from "./plugins.ts";

export interface LatePlugins extends Disposable {
  /** Undefined: nobody approved one. */
  readonly plugins: Plugins | undefined;
  /** Of those that stand anywhere. */
  readonly hooks: Hooks | undefined;
  /** `own`, and the tools of the plugins that were approved when margay started. */
  with(own: ToolRegistry): ToolRegistry;
  /** SHA-256 of the files of the plugin with that tool; undefined: it is none of theirs. */
  pinOf(tool: string): string | undefined;
}

/** @param isThere whether anything was ever approved. */
export async function latePlugins(
  isThere: boolean,
  options: PluginsOptions,
  tools: PluginToolsOptions,
  owner: string,
): Promise<LatePlugins> {
  if (!isThere) return NONE;
  const { openPlugins, pluginOf, pluginTools } = await import("./plugin-tools.ts"); // one file of the bundle
  const plugins = openPlugins(options);
  const stands = [...plugins.approved.values()].some(({ points }) => points.length > 0);
  const hooks = stands ? (await import("./plugin-hooks.ts")).pluginHooks(plugins, options.clock, owner) : undefined;
  return {
    plugins,
    hooks,
    with: (own) => {
      let seen: { readonly list: ReturnType<ToolRegistry["list"]>; readonly all: ToolRegistry } | undefined;
      const all = (): ToolRegistry => {
        const list = own.list();
        if (seen === undefined || !isSame(seen.list, list))
          seen = { list, all: createRegistry([...list, ...pluginTools(plugins, own, tools)]) };
        return seen.all;
      };
      return { list: () => all().list(), get: (name) => own.get(name) ?? all().get(name) };
    },
    pinOf: (tool) => pluginOf(plugins, tool)?.hash,
    [Symbol.dispose]: () => plugins[Symbol.dispose](),
  };
}

const NONE: LatePlugins = {
  plugins: undefined,
  hooks: undefined,
  with: (own) => own,
  pinOf: () => undefined,
  [Symbol.dispose]: () => {},
};

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
