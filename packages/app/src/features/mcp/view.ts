/** A configured MCP server as the API shows it. */
import { visible, type TextChange } from "@margay/core/internal";
import type { McpServerConfig } from "../../config/config.ts";
import { hashOf, type Loaded } from "../../config/load.ts";
import { valueAt } from "../../config/value-at.ts";
import { pinnedHash, standingOf, waitingReview } from "./review.ts";
import type { McpServerView } from "./schema.ts";
import type { Mask } from "../settings/schema.ts";
import type { Services } from "../../host/api/services.ts";
import { maskOf } from "../../host/settings/mask.ts";

export function serverViews(services: Services): readonly McpServerView[] {
  const { mcpServers } = services.app.inside.loaded().config;
  return Object.keys(mcpServers).flatMap((name) => serverView(name, services) ?? []);
}

export function serverView(name: string, { app }: Services): McpServerView | undefined {
  const loaded = app.inside.loaded();
  const { mcpServers, mcp } = loaded.config;
  const config = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
  if (config === undefined) return undefined;
  const server = app.inside.mcp?.find(name);
  const review = waitingReview(name, loaded);
  const manifestHash = pinnedHash(name, loaded);
  const shown = shownConfig(name, config, loaded);
  return {
    ...shown,
    timeoutMs: mcp.callTimeoutSeconds * 1000,
    state: server?.state ?? "off",
    approved: standingOf(name, loaded) === "approved",
    tools: server?.count ?? 0,
    ...(manifestHash !== undefined && { manifestHash }),
    changes: (review?.tools ?? []).map(({ tool, kind, effect, parameters, ...description }) => ({
      tool: visible(tool),
      kind,
      ...shownChange(description),
      ...(effect !== undefined && { effect }),
      ...(parameters !== undefined && { parameters: shownChange(parameters) }),
    })),
    ...(review?.instructions !== undefined && { instructions: shownChange(review.instructions) }),
    hash: hashOf(JSON.stringify(shown)),
    ...(server?.error !== undefined && { error: app.inside.redact(visible(server.error)) }),
  };
}

/** With what cannot be seen in a stranger's text written out. */
function shownChange({ before, after }: TextChange): { before?: string; after?: string } {
  return {
    ...(before !== undefined && { before: visible(before) }),
    ...(after !== undefined && { after: visible(after) }),
  };
}

/** With what cannot be seen in a command written out: it is what a person confirms. */
export function commandLine({ command = "", args = [] }: Pick<McpServerConfig, "command" | "args">): string {
  return visible([command, ...args].join(" "));
}

function shownConfig(
  name: string,
  {
    command,
    args,
    url,
    env,
    headers,
    enabledTools,
    disabled,
    sandbox,
    network,
    writable,
    for: readers,
  }: McpServerConfig,
  loaded: Loaded,
): Omit<
  McpServerView,
  "timeoutMs" | "state" | "approved" | "tools" | "manifestHash" | "changes" | "instructions" | "hash" | "error"
> {
  const masked = (part: "env" | "headers", values: Readonly<Record<string, string>> = {}): Record<string, Mask> =>
    Object.fromEntries(
      Object.keys(values).map((key) => [key, maskOf(valueAt(loaded.raw, ["mcpServers", name, part, key]), loaded)]),
    );
  return {
    name,
    transport: command === undefined ? "http" : "stdio",
    ...(command !== undefined && { command, args: [...(args ?? [])], env: masked("env", env) }),
    ...(command !== undefined && { sandbox, network: [...network], writable: [...writable] }),
    ...(url !== undefined && { url, headers: masked("headers", headers) }),
    include: [...enabledTools],
    ...((Object.keys(loaded.config.people).length > 0 || readers.join() !== "owner") && { for: [...readers] }),
    enabled: !disabled,
  };
}
