// The tools of an agent, in the one order that every prompt uses.
import { textOf } from "../lib/text.ts";
import type { JsonObject } from "../contract/base.ts";
import type { Tool, ToolContext, ToolRegistry } from "../contract/tool.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { type OpenAiFunction, toSchema } from "./define.ts";
import { failureText, invoke } from "./invoke.ts";
import { prepare } from "./prepare.ts";

export interface MutableRegistry extends ToolRegistry {
  /** @throws RuntimeError `tool.duplicate` for a name that is taken or differs in case only. */
  register(tool: Tool): void;
  /** Takes effect in prompts at the next epoch; a call in between is answered as unknown. */
  unregister(name: string): boolean;
  getDefinitions(): readonly OpenAiFunction[];
  /**
   * One validated, bounded attempt, without policy, retries or journal: those are `executeTool` of the agent.
   * @returns the result as text, errors included. @throws `context.signal.reason`.
   */
  execute(name: string, params: JsonObject, context: ToolContext): Promise<string>;
  /** The tools of now, which later changes don't touch. */
  snapshot(): ToolRegistry;
}

/** Bounds of `execute()`: the defaults of the contract, without a place for long results. */
const DEFAULT_BOUNDS = { timeoutMs: 60_000, maxResultChars: 16_000, store: async (): Promise<undefined> => undefined };

/** @throws RuntimeError `tool.duplicate`. */
export function createRegistry(tools: readonly Tool[] = []): MutableRegistry {
  const byName = new Map<string, Tool>();
  const names = new Map<string, string>();
  let sorted: readonly Tool[] = [];

  const register = (tool: Tool): void => {
    const taken = names.get(tool.name.toLowerCase());
    if (taken !== undefined)
      throw new RuntimeError(
        "tool.duplicate",
        `The tool "${tool.name}" is there already${taken === tool.name ? "" : ` as "${taken}"`}. Rename or remove one.`,
      );
    names.set(tool.name.toLowerCase(), tool.name);
    byName.set(tool.name, tool);
    sorted = [...byName.values()].toSorted(inPromptOrder);
  };
  const registry: MutableRegistry = {
    list: () => sorted,
    get: (name) => byName.get(name),
    register,
    unregister: (name) => {
      if (!byName.delete(name)) return false;
      names.delete(name.toLowerCase());
      sorted = [...byName.values()].toSorted(inPromptOrder);
      return true;
    },
    getDefinitions: () => sorted.map(toSchema),
    execute: async (name, params, context) => {
      const prepared = await prepare(registry, { name, input: params });
      if (!prepared.ok) return prepared.text;
      const outcome = await invoke(prepared, context, DEFAULT_BOUNDS);
      return outcome.kind === "threw" ? failureText(name, 1, outcome.error) : textOf(outcome.parts);
    },
    snapshot: () => {
      const list = sorted;
      return { list: () => list, get: (name) => list.find((tool) => tool.name === name) };
    },
  };
  for (const tool of tools) register(tool);
  return registry;
}

/** By code unit, so that no locale changes a prompt; tools of plugins behind ours, those of MCP servers last, because they come and go. */
function inPromptOrder(left: Tool, right: Tool): number {
  const foreign = strangeness(left) - strangeness(right);
  if (foreign !== 0) return foreign;
  return left.name < right.name ? -1 : 1;
}

function strangeness({ name, reach }: Tool): number {
  return name.startsWith("mcp_") ? 2 : Number(reach !== undefined);
}
