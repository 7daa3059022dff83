/** `recall`: searches memory, history and past sessions (R122). */
import type { Recall, Recalled } from "../contract/memory.ts";
import type { Tool } from "../contract/tool.ts";
import { defineTool } from "../tools/define.ts";
import { asUntrusted, withConfidentiality } from "./untrusted.ts";

const MAX_LINE_CHARS = 400;

interface RecallInput {
  readonly query: string;
  readonly limit?: number;
}

export function recallTool(recall: Recall): Tool {
  return defineTool<RecallInput>({
    name: "recall",
    description: "Searches memory and past conversations. Returns lines with all words, and their source.",
    input: {
      properties: {
        query: { type: "string" },
        limit: { type: "integer", minimum: 1, maximum: 50 },
      },
      required: ["query"],
    },
    effect: "read",
    execute: async ({ query, limit = 10 }) => {
      const found = await recall.search(query, limit);
      if (found.length === 0) return `Nothing found for ${query}.`;
      const text = found.map(line).join("\n");
      const known = withConfidentiality(text, "personal");
      return found.some((item) => item.untrusted) ? asUntrusted(known) : known;
    },
  });
}

function line({ source, line: number, text, untrusted }: Recalled): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  const cut = flat.length > MAX_LINE_CHARS ? `${flat.slice(0, MAX_LINE_CHARS)}…` : flat;
  return `${source}:${number}: ${untrusted ? `> ${cut}` : cut}`;
}
