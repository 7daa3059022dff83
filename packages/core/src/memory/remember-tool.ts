/** `remember`: one line of long-term memory. */
import type { Memory } from "../contract/memory.ts";
import type { Tool } from "../contract/tool.ts";
import { withSource } from "../lib/source-mark.ts";
import { defineTool, toolError } from "../tools/define.ts";

const MAX_CHARS = 1000;

interface RememberInput {
  readonly text: string;
  readonly replaces?: string;
}

export function rememberTool(memory: Pick<Memory, "remember">): Tool {
  return defineTool<RememberInput>({
    name: "remember",
    description: "Keeps one lasting fact in MEMORY.md. Not for small talk.",
    input: {
      properties: {
        text: { type: "string", minLength: 1, maxLength: MAX_CHARS },
        replaces: { type: "string", description: "Exact old line." },
      },
      required: ["text"],
    },
    effect: "idempotent",
    execute: async ({ text, replaces }, { label }) => {
      const line = withSource(text, label);
      switch (await memory.remember(line, replaces)) {
        case "remembered":
          return "Remembered.";
        case "known":
          return "Already known.";
        case "missing":
          return toolError("no line of MEMORY.md is exactly that", "read memory/MEMORY.md and copy the line");
        case "several":
          return toolError("several lines of MEMORY.md are exactly that", "edit memory/MEMORY.md instead");
      }
    },
  });
}
