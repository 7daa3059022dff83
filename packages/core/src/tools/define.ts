// How a tool is written, what the model is told about it, and how it refuses.
import type { JsonObject } from "../contract/base.ts";
import type { NotStarted, Effect, Reach, Schema, Tool, ToolContext, ToolResult } from "../contract/tool.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { argumentErrors } from "./prepare.ts";
import { jsonSchemaOf, objectSchema } from "./schema.ts";

/** A tool before its input is wrapped: any Standard Schema with JSON Schema (zod fits), or a JSON Schema by hand. */
export interface ToolDefinition<T> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema<T> | JsonObject;
  readonly effect: Effect;
  readonly reach?: Reach;
  readonly timeoutMs?: number;
  readonly bounded?: boolean;
  readonly waitsForStart?: boolean;
  execute(input: T, context: ToolContext): Promise<ToolResult>;
  recover?(input: T, context: ToolContext): Promise<ToolResult | NotStarted | undefined>;
  forward?(input: T): { readonly name: string; readonly input: unknown };
  unable?(input: T): string | undefined;
}

/** The form of OpenAI's chat completions: `tools[]`. */
export interface OpenAiFunction {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/; // OpenAI and Anthropic, tool names

/**
 * One tool, in one expression. The object is used as it is: keep no state on it.
 * @throws RuntimeError `tool.invalid` when no provider would take the name.
 */
export function defineTool<T>(definition: ToolDefinition<T>): Tool {
  const { name, description, input, effect, timeoutMs, bounded, waitsForStart } = definition;
  if (!NAME.test(name))
    throw new RuntimeError("tool.invalid", `The tool name "${name}" does not fit ${NAME.source}. Rename it.`);
  const tool: Tool<T> = {
    name,
    description,
    input: isSchema(input) ? input : objectSchema<T>(input),
    effect,
    ...(definition.reach !== undefined && { reach: definition.reach }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(bounded !== undefined && { bounded }),
    ...(waitsForStart !== undefined && { waitsForStart }),
    execute: (value, context) => definition.execute(value, context),
    ...(definition.recover !== undefined && {
      recover: async (value: T, context: ToolContext) => definition.recover?.(value, context),
    }),
    ...(definition.forward !== undefined && { forward: definition.forward }),
    ...(definition.unable !== undefined && { unable: definition.unable }),
  };
  // Lists hold tools of many inputs; prepare() validates with the tool's own schema before execute() sees a value.
  return tool as unknown as Tool;
}

/** What the model is told. */
export function toSchema(tool: Tool): OpenAiFunction {
  return {
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: jsonSchemaOf(tool.input) },
  };
}

/** The errors of `params`, after the lossless casts; empty when they are valid. */
export async function validateParams(tool: Tool, params: unknown): Promise<readonly string[]> {
  const result = await argumentErrors(tool, params);
  return result.ok ? [] : result.errors;
}

/** A refusal of the tool itself: `Error: {fact}. Next: {next}.` */
export function toolError(fact: string, next: string): ToolResult {
  return errorText(`Error: ${fact}. Next: ${next}.`);
}

/** Arguments that are well-formed but make no sense together: `Parameter error: {text}`. */
export function parameterError(text: string): ToolResult {
  return errorText(`Parameter error: ${text}`);
}

/** An error result with this exact text. */
export function errorText(text: string): ToolResult {
  return { parts: [{ type: "text", text }], isError: true };
}

function isSchema<T>(input: Schema<T> | JsonObject): input is Schema<T> {
  return "~standard" in input;
}
