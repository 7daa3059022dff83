/** What the policy needs to keep an answer for all conversations: where it is kept, and what an MCP tool is. */
import { type Clock, type Logger, type ToolRegistry } from "@margay/core";
import { sha256, type Docs, type SavedRules } from "@margay/core/internal";
import type { McpServerConfig } from "../../config/config.ts";
import { openSavedRules, type RuleChanged } from "./saved-rules.ts";

/** Longer names end in a hash instead. */
const LONGEST_PREFIX = 55;

export interface RulesOptions {
  readonly docs: Docs;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tools: ToolRegistry;
  readonly changed: RuleChanged;
  /** SHA-256 of the files of the plugin that has a tool. */
  readonly pluginPin: (tool: string) => string | undefined;
  readonly servers: () => Readonly<Record<string, McpServerConfig>>;
}

export function openRules({ docs, clock, log, tools, changed, servers, pluginPin }: RulesOptions): {
  readonly saved: SavedRules;
  readonly pinOf: (tool: string) => string | undefined;
} {
  return {
    saved: openSavedRules(docs, clock, log, changed),
    /** Another definition, command or address is another tool. */
    pinOf: (name) => {
      const tool = tools.get(name);
      if (tool === undefined) return undefined;
      if (tool.reach !== undefined) return pluginPin(name);
      const source = Object.entries(servers())
        .filter(([server]) => name.startsWith(`mcp_${server.replaceAll(/[^\w-]/g, "_")}_`.slice(0, LONGEST_PREFIX)))
        .map(([server, { command, args, url }]) => [server, command, args, url]);
      if (source.length === 0) return undefined;
      const schema = tool.input["~standard"].jsonSchema.input({ target: "draft-2020-12" });
      return sha256(JSON.stringify([name, tool.description, tool.effect, schema, source]));
    },
  };
}
