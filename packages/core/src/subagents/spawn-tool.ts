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
}

/** @param spawn starts the child of a call once, however often it is asked. */
export function spawnTool(spawn: (request: SpawnRequest) => Promise<ToolResult>): Tool {
  return defineTool<SpawnInput>({
    name: "spawn",
    description:
      "Starts a subagent for a longer task; its result arrives here. It sees only the task text. Not for what takes a few calls.",
    input: {
      properties: {
        task: { type: "string", minLength: 1, description: "All it has to know." },
        label: { type: "string", maxLength: 60 },
        wait: { type: "boolean", description: "Return the result itself." },
      },
      required: ["task"],
    },
    effect: "idempotent",
    timeoutMs: 0,
    execute: async ({ task, label, wait = false }, context) => {
      const result = await spawn({
        session: context.sessionId,
        call: context.callId,
        task,
        label: label ?? [...task].slice(0, LABEL_CHARS).join(""),
        wait,
        signal: context.signal,
      });
      return typeof result !== "string" && result.integrity === "untrusted" ? asUntrusted(result) : result;
    },
  });
}
