// From a call as the model wrote it to a tool and a valid input, or to the text that says what is wrong.
import type { JsonObject } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { Tool, ToolRegistry } from "../contract/tool.ts";
import { parseJson } from "../lib/parse-json.ts";
import { ellipsis } from "../lib/text.ts";
import { after } from "../lib/async/after.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { byDistance } from "../lib/nearest.ts";
import { cast } from "./cast.ts";
import { check } from "./check.ts";
import { declaredSchemaOf, isJsonObject, isObjectSchema } from "./schema.ts";

export type Prepared =
  | { readonly ok: true; readonly tool: Tool; readonly input: unknown }
  | { readonly ok: false; readonly text: string };

export type Arguments =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly errors: readonly string[] };

/** More names than this are not listed; the nearest are. */
const MAX_NAMES = 40;

/** Never throws and never repairs: a refused call is answered with `text` and its tool is not run. */
export function prepare(
  registry: ToolRegistry,
  call: Pick<ToolCallPart, "name" | "input" | "inputText">,
): Prepared | Promise<Prepared> {
  const tool = registry.get(call.name);
  if (tool === undefined) return { ok: false, text: unknownTool(registry, call.name) };
  return after(fit(tool, argumentsOf(call)), (own): Prepared | Promise<Prepared> => {
    if (!own.ok || tool.forward === undefined) return own;
    // fit() made this input with this tool's schema.
    const meant = tool.forward(own.input as never);
    const target = registry.get(meant.name);
    // Once: a call that is handed on and on is nobody's.
    if (target === undefined || target.forward !== undefined)
      return { ok: false, text: unknownTool(registry, meant.name) };
    return fit(target, meant.input);
  });
}

function fit(tool: Tool, input: unknown): Prepared | Promise<Prepared> {
  return after(argumentErrors(tool, input), (result): Prepared => {
    if (!result.ok) return { ok: false, text: `Parameter error: ${result.errors.join("; ")}` };
    // argumentErrors() made this input with this tool's schema.
    const why = tool.unable?.(result.input as never);
    return why === undefined ? { ok: true, tool, input: result.input } : { ok: false, text: why };
  });
}

/** Casts, then checks, then the tool's own schema. Never throws: a schema that throws is an error of the arguments. */
export function argumentErrors(tool: Tool, params: unknown): Arguments | Promise<Arguments> {
  if (!isJsonObject(params)) return refused(["arguments are not a JSON object"]);
  try {
    const result = fitted(tool, params);
    return result instanceof Promise ? result.catch((error: unknown) => refused([messageOf(error)])) : result;
  } catch (error) {
    return refused([messageOf(error)]);
  }
}

function fitted(tool: Tool, params: JsonObject): Arguments | Promise<Arguments> {
  const validated = (value: JsonObject): Arguments | Promise<Arguments> =>
    after(tool.input["~standard"].validate(value), (result) =>
      result.issues === undefined ? { ok: true, input: result.value } : refused(result.issues.map(describeIssue)),
    );
  // Our own schemas cast and check by themselves; foreign ones get our texts first, then have the last word.
  if (isObjectSchema(tool.input)) return validated(params);
  const declared = declaredSchemaOf(tool.input);
  const value = cast(params, declared);
  return after(check(value, declared), (errors) => (errors.length > 0 ? refused(errors) : validated(value)));
}

function refused(errors: readonly string[]): Arguments {
  return { ok: false, errors };
}

function describeIssue(issue: { readonly message: string; readonly path?: readonly unknown[] | undefined }): string {
  const path = (issue.path ?? []).map((segment) => String(isJsonObject(segment) ? segment["key"] : segment)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
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
