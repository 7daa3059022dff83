/** Keys of MCP servers. */
import type { Key } from "../key.ts";

export const MCP_KEYS = [
  {
    path: "mcpServers.*.command",
    kind: { is: "text" },
  },
  {
    path: "mcpServers.*.args",
    kind: { is: "list", of: { is: "text" } },
  },
  {
    path: "mcpServers.*.env",
    kind: { is: "map", of: { is: "text" } },
    secret: true,
  },
  {
    path: "mcpServers.*.url",
    kind: { is: "url" },
  },
  {
    path: "mcpServers.*.headers",
    kind: { is: "map", of: { is: "text" } },
    secret: true,
  },
  {
    path: "mcpServers.*.enabledTools",
    kind: { is: "list", of: { is: "text" } },
    default: ["*"],
  },
  {
    path: "mcpServers.*.disabled",
    kind: { is: "boolean" },
    default: false,
  },
  {
    path: "mcpServers.*.sandbox",
    kind: { is: "boolean" },
    default: true,
  },
  {
    path: "mcpServers.*.network",
    kind: { is: "list", of: { is: "destination" }, max: 200 },
    default: [],
  },
  {
    path: "mcpServers.*.writable",
    kind: { is: "list", of: { is: "path" }, max: 100 },
    default: [],
  },
  {
    path: "mcpServers.*.for",
    kind: { is: "list", of: { is: "text", max: 80 }, max: 200 },
    default: ["owner"],
  },
  {
    path: "mcp.connectTimeoutSeconds",
    kind: { is: "integer", min: 1, max: 300 },
    default: 10,
    restart: true,
  },
  {
    path: "mcp.callTimeoutSeconds",
    kind: { is: "integer", min: 1, max: 300 },
    default: 30,
    restart: true,
  },
] as const satisfies readonly Key[];
