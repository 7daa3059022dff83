/** `spawn`: hands a task to a subagent that works on its own. */
import type { SpawnRequest } from "../contract/agent.ts";
import type { Tool, ToolResult } from "../contract/tool.ts";
import { asUntrusted } from "../tools/untrusted.ts";
import { defineTool } from "../tools/define.ts";

const LABEL_CHARS = 30;

export interface SpawnInput {
  readonly task: string;
  readonly label?: string;
  readonly wait?: boolean;
  readonly agent?: string;
}

/**
 * @param spawn starts the child of a call once, however often it is asked.
 * @param agents those that a child may work with, asked for each prompt. None: there is no such parameter.
 */
export function spawnTool(
  spawn: (request: SpawnRequest) => Promise<ToolResult>,
  agents: () => readonly string[] = () => [],
): Tool {
  const tools = new Map<string, Tool>();
  const now = (): Tool => {
    const names = agents();
    const key = names.join();
    const found = tools.get(key) ?? toolFor(spawn, names);
    tools.set(key, found);
    return found;
  };
  return {
    ...now(),
    get input() {
      return now().input;
    },
  };
}

function toolFor(spawn: (request: SpawnRequest) => Promise<ToolResult>, agents: readonly string[]): Tool {
  return defineTool<SpawnInput>({
    name: "spawn",
    description:
      "Starts a subagent for a longer task; its result arrives here. It sees only the task text. Not for what takes a few calls.",
    input: {
      properties: {
        task: { type: "string", minLength: 1, description: "All it has to know." },
        label: { type: "string", maxLength: 60 },
        wait: { type: "boolean", description: "Return the result itself." },
        ...(agents.length > 0 && {
          agent: { type: "string", enum: [...agents], description: "Another agent. It may do at most what you may." },
        }),
      },
      required: ["task"],
    },
    effect: "idempotent",
    timeoutMs: 0,
    execute: async ({ task, label, wait = false, agent }, context) => {
      const result = await spawn({
        session: context.sessionId,
        call: context.callId,
        task,
        label: label ?? [...task].slice(0, LABEL_CHARS).join(""),
        wait,
        ...(agent !== undefined && { agent }),
        signal: context.signal,
      });
      return typeof result !== "string" && result.integrity === "untrusted" ? asUntrusted(result) : result;
    },
  });
}
