/** MCP servers that may be configured while the agent runs: nothing of them is loaded before there is one. */
import { type ToolRegistry } from "@margay/core";
import { raceAbort } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import type { Mcp } from "./client/servers.ts";

export interface LateMcp extends AsyncDisposable {
  readonly current: Mcp | undefined;
  /** `own`, and what the servers that are for this room offer as soon as there are any. */
  view: Mcp["view"];
  ready(signal: AbortSignal): Promise<void>;
  configure(loaded: Loaded): void;
  /** Told when something changed with a server. @returns the function that ends it. */
  watch(changed: (name: string) => void): () => void;
}

/** @param load Imports the code and makes the servers of a configuration. */
export async function lateMcp(
  loaded: Loaded,
  load: (loaded: Loaded, changed: (name: string) => void) => Promise<Mcp>,
): Promise<LateMcp> {
  const watchers = new Set<(name: string) => void>();
  const changed = (name: string): void => {
    for (const watcher of watchers) watcher(name);
  };
  let current: Mcp | undefined;
  let loading: Promise<void> | undefined;
  let wanted = loaded;
  const make = async (): Promise<void> => {
    current = await load(wanted, changed);
    current.configure(wanted.config.mcpServers); // it may have changed meanwhile
  };
  /** What failed is tried again by whoever needs it next: the disk may have been full. */
  const begin = (): Promise<void> =>
    (loading ??= make().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  if (hasServers(loaded)) await make();
  return {
    get current() {
      return current;
    },
    view: (own, isFor) => {
      let seen: { readonly mcp: Mcp; readonly view: ToolRegistry } | undefined;
      const view = (): ToolRegistry => {
        if (current === undefined) return own;
        if (seen?.mcp !== current) seen = { mcp: current, view: current.view(own, isFor) };
        return seen.view;
      };
      return { list: () => view().list(), get: (name) => view().get(name) };
    },
    ready: async (signal) => {
      if (current === undefined && hasServers(wanted)) await raceAbort(begin(), signal);
      await current?.ready(signal);
    },
    configure: (next) => {
      wanted = next;
      if (current !== undefined) current.configure(next.config.mcpServers);
      else if (hasServers(next)) begin().catch(() => {}); // told to whoever waits for the tools
    },
    watch: (seen) => {
      watchers.add(seen);
      return () => void watchers.delete(seen);
    },
    [Symbol.asyncDispose]: async () => {
      await loading?.catch(() => {}); // nothing was made
      await current?.[Symbol.asyncDispose]();
    },
  };
}

function hasServers({ config }: Loaded): boolean {
  return Object.keys(config.mcpServers).length > 0;
}
