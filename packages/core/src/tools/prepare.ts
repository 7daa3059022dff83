// From a call as the model wrote it to a tool and a valid input, or to the text that says what is wrong.
import type { ToolCallPart } from "../contract/message.ts";
import type { Tool, ToolRegistry } from "../contract/tool.ts";
import { parseJson } from "../lib/parse-json.ts";
import { ellipsis } from "../lib/text.ts";
import { argumentErrors } from "./arguments.ts";
import { byDistance } from "../lib/nearest.ts";

export type Prepared =
  | { readonly ok: true; readonly tool: Tool; readonly input: unknown }
  | { readonly ok: false; readonly text: string };

/** More names than this are not listed; the nearest are. */
const MAX_NAMES = 40;

/** Never throws and never repairs: a refused call is answered with `text` and its tool is not run. */
export async function prepare(
  registry: ToolRegistry,
  call: Pick<ToolCallPart, "name" | "input" | "inputText">,
): Promise<Prepared> {
  const tool = registry.get(call.name);
  if (tool === undefined) return { ok: false, text: unknownTool(registry, call.name) };
  const own = await fit(tool, argumentsOf(call));
  if (!own.ok || tool.forward === undefined) return own;
  // fit() made this input with this tool's schema.
  const meant = tool.forward(own.input as never);
  const target = registry.get(meant.name);
  // Once: a call that is handed on and on is nobody's.
  if (target === undefined || target.forward !== undefined)
    return { ok: false, text: unknownTool(registry, meant.name) };
  return fit(target, meant.input);
}

async function fit(tool: Tool, input: unknown): Promise<Prepared> {
  const result = await argumentErrors(tool, input);
  if (!result.ok) return { ok: false, text: `Parameter error: ${result.errors.join("; ")}` };
  // argumentErrors() made this input with this tool's schema.
  const why = tool.unable?.(result.input as never);
  return why === undefined ? { ok: true, tool, input: result.input } : { ok: false, text: why };
}

function unknownTool(registry: ToolRegistry, name: string): string {
  const names = registry.list().map((tool) => tool.name);
  const fact = `Error: unknown tool "${ellipsis(name, 64)}".`;
  if (names.length === 0) return `${fact} Next: answer without tools.`;
  const listed = names.length <= MAX_NAMES ? names : byDistance(name, names).slice(0, MAX_NAMES);
  return `${fact} Next: use one of ${listed.join(", ")}.`;
}

/** Undefined, which no schema takes, when the text is not a JSON object. */
function argumentsOf(call: Pick<ToolCallPart, "input" | "inputText">): unknown {
  if (call.inputText === undefined) return call.input;
  if (call.inputText.trim() === "") return {};
  return parseJson(call.inputText); // undefined: the model is told that these are no arguments
}
