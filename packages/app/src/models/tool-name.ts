/** `mcp_{server}_{tool}` and `plugin_{plugin}_{tool}`: what every provider takes as the name of a tool. */
import { sha256 } from "@margay/core/internal";

const MAX_CHARS = 64;
const HASH_CHARS = 8;

/** @param from Whose tools these are: `mcp` of servers, `plugin` of plugins. */
export function toolName(server: string, tool: string, from: "mcp" | "plugin" = "mcp"): string {
  const plain = `${from}_${clean(server)}_${clean(tool)}`;
  if (plain.length <= MAX_CHARS) return plain;
  // Cut names would collide: the hash is of the name before any cleaning.
  return `${plain.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${sha256(`${server}\n${tool}`).slice(0, HASH_CHARS)}`;
}

function clean(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}
