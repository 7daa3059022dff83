/** More tools than a prompt should carry are found through one search tool, and called through another (issue 3). */
import { defineTool, type Tool } from "@margay/core";
import { toSchema } from "@margay/core/internal";

/** MCP tools that are sent with every request; with one more, none is. */
export const MAX_SENT_TOOLS = 20;
const MAX_FOUND = 8;

const CALL = "mcp_call";

/** What stands in the prompt instead of the tools themselves. Results are appended, so the prefix stays as it is. */
export function searchTools(all: () => readonly Tool[], servers: () => readonly string[]): readonly Tool[] {
  return [
    defineTool<{ readonly query: string }>({
      name: "mcp_search",
      description: `Finds tools of the MCP servers ${servers().join(", ")}. Returns their names, descriptions and parameters for ${CALL}.`,
      input: {
        type: "object",
        properties: {
          query: { type: "string", minLength: 1, description: "What the tool should do, in a few words." },
        },
        required: ["query"],
      },
      effect: "read",
      // Descriptions are servers' own words, and a person approved them as they approve prompts.
      execute: async ({ query }) => answer(query, all()),
    }),
    defineTool<{ readonly tool: string; readonly arguments?: object }>({
      name: CALL,
      description: "Calls a tool that mcp_search found.",
      input: {
        type: "object",
        properties: {
          tool: { type: "string", description: "Its full name: mcp_…" },
          arguments: { type: "object", description: "Its arguments, as mcp_search described them." },
        },
        required: ["tool"],
      },
      // Judged, run and repeated as the tool it names: it never runs itself.
      effect: "write",
      forward: ({ tool, arguments: input = {} }) => ({ name: tool.startsWith("mcp_") ? tool : `mcp_${tool}`, input }),
      execute: async ({ tool }) => ({
        parts: [{ type: "text", text: `Error: ${tool} cannot be called this way. Next: call it by its own name.` }],
        isError: true,
      }),
    }),
  ];
}

function answer(query: string, tools: readonly Tool[]): string {
  const words = wordsOf(query);
  const ranked = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
  if (ranked.length === 0) return `Nothing fits. There are: ${tools.map((tool) => tool.name).join(", ")}`;
  const found = ranked.slice(0, MAX_FOUND).map(({ tool }) => {
    const { name, description, parameters } = toSchema(tool).function;
    return `${name}: ${description}\nparameters: ${JSON.stringify(parameters)}`;
  });
  const more = ranked.slice(MAX_FOUND).map(({ tool }) => tool.name);
  return [...found, ...(more.length > 0 ? [`also: ${more.join(", ")}`] : [])].join("\n\n");
}

/** A word in the name counts more than one in the description; parts of words count too. */
function scoreOf(tool: Tool, words: readonly string[]): number {
  const name = wordsOf(tool.name);
  const about = wordsOf(tool.description);
  return words.reduce((sum, word) => {
    if (name.includes(word)) return sum + 4;
    if (name.some((one) => one.includes(word) || word.includes(one))) return sum + 2;
    if (about.includes(word)) return sum + 2;
    return about.some((one) => one.startsWith(word)) ? sum + 1 : sum;
  }, 0);
}

/** Words of two letters and more; Chinese by single characters, which have no spaces between them. */
function wordsOf(text: string): readonly string[] {
  const plain = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return [...new Set(plain.match(/\p{Script=Han}|[\p{L}\p{N}]{2,}/gu) ?? [])].filter((word) => word !== "mcp");
}
