/** What the model reads when a call brought no result: why, and what to do differently. */
import { toolError, type ToolResult } from "@margay/core";
import { asUntrusted } from "@margay/core/internal";
import type { ServerState, Waiting } from "./types.ts";

export function unavailable(name: string, state: ServerState): ToolResult {
  if (state === "changed" || state === "unapproved") return toolError(...suspended(name, state));
  if (state === "login")
    return toolError(`MCP server ${name} needs a sign-in`, `ask the operator to run \`margay mcp login ${name}\``);
  return toolError(
    `MCP server ${name} is not connected`,
    `go on without it, or ask the operator to run \`margay mcp test ${name}\``,
  );
}

/** Ours alone: nothing that the server says of itself. @returns the fact, and what to do. */
export function suspended(name: string, state: Waiting): readonly [fact: string, next: string] {
  const fact =
    state === "changed"
      ? `the tools of MCP server ${name} have changed and are suspended`
      : `nobody has looked at the tools of MCP server ${name} yet`;
  return [fact, `tell the operator to look at them and to run \`margay mcp approve ${name}\``];
}

/** Nobody is asked about what cannot be done. */
export function unwritableText(name: string, path: string): string {
  const key = `mcpServers.${name}.writable`;
  return `Error: MCP server ${name} may not write to ${path}: ${key} does not list it. Next: use your own file tools, or tell the operator to add the folder to ${key}.`;
}

/** Its reason is the server's own text. */
export function refused(name: string, message: string): ToolResult {
  const result = toolError(
    `MCP server ${name} refused: ${message.replace(/\.$/, "")}`,
    "correct the call, or do without it",
  );
  return typeof result === "string" ? asUntrusted(result) : { ...result, integrity: "untrusted" };
}

export function uncertain(name: string): ToolResult {
  return {
    parts: [
      {
        type: "text",
        text: `Error: MCP server ${name} was lost during the call, which may or may not have taken effect. Next: check before you repeat it.`,
      },
    ],
    isError: true,
    status: "interrupted",
  };
}
