/** `recall`: searches memory, history and past sessions. */
import type { Recall, Recalled } from "../contract/memory.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import type { Marks } from "../contract/message.ts";
import { readersOf } from "../lib/labels.ts";
import { joinReaders } from "../lib/audience.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { defineTool } from "../tools/define.ts";
import { asUntrusted, withConfidentiality } from "../tools/untrusted.ts";

const MAX_LINE_CHARS = 400;
/** Lines among which those of one conversation are looked for. */
const SEARCHED = 1000;

interface RecallInput {
  readonly query: string;
  readonly limit?: number;
}

/** @param readsAll Whether this conversation may see others and the memory; else it finds only what was said in it. */
export function recallTool(
  recall: Recall,
  readsAll: (context: Pick<ToolContext, "origin" | "label">) => boolean = () => true,
): Tool {
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
    execute: async ({ query, limit = 10 }, context) => {
      const own = readsAll(context) ? undefined : sessionKeyOf(context.origin);
      const all = await recall.search(query, own === undefined ? limit : SEARCHED);
      const found =
        own === undefined
          ? all
          : all.filter(({ source, earlier }) => source === own && earlier !== true).slice(0, limit);
      if (found.length === 0) return `Nothing found for ${query}.`;
      const text = found.map(line).join("\n");
      // In a conversation that finds its own words alone they are for who reads it.
      const readers =
        own === undefined
          ? found.reduce<Marks["readers"]>((all, each) => joinReaders(all, each.readers), undefined)
          : undefined;
      const known = { ...withConfidentiality(text, "personal"), ...readersOf({ readers }) };
      return found.some((item) => item.untrusted) ? asUntrusted(known) : known;
    },
  });
}

function line({ source, line: number, text, untrusted }: Recalled): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  const cut = flat.length > MAX_LINE_CHARS ? `${flat.slice(0, MAX_LINE_CHARS)}…` : flat;
  return `${source}:${number}: ${untrusted ? `> ${cut}` : cut}`;
}
