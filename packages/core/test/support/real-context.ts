import type { ContextBuilder } from "../../src/contract/services.ts";
import type { ToolRegistry } from "../../src/contract/tool.ts";
import type { SubagentOptions } from "../../src/contract/agent-options.ts";
import { createContext, type ContextOptions } from "../../src/context/context.ts";
import { project } from "../../src/context/project.ts";
import { sha256 } from "../../src/machine/system/hash.ts";

/** As the program makes it, of a workspace where nothing is. */
export function realContext(tools: Pick<ToolRegistry, "list">, options: Partial<ContextOptions> = {}): ContextBuilder {
  return createContext({
    workspace: "/nowhere",
    tools: () => tools.list(),
    clock: { now: () => 0 },
    timeZone: "UTC",
    language: "en",
    persona: { name: "margay" },
    environment: { os: "linux", arch: "x64", node: "24" },
    hash: sha256,
    project,
    ...options,
  });
}

/** Children with these tools, and the bounds that the program has by default. */
export function realChildren(tools: ToolRegistry, options: Partial<ContextOptions> = {}): SubagentOptions {
  return {
    tools,
    context: realContext(tools, options),
    maxIterations: () => 15,
    concurrency: () => 4,
    timeoutMs: () => 1_200_000,
  };
}
