/** Tools that the client runs: their definitions, and the ids under which their calls go there and come back. */
import type { Json, JsonObject, ToolRegistry, ToolSpec } from "@margay/core";
import type { CallId, TurnId, TurnSampling } from "@margay/core/internal";
import { isRecord } from "@margay/core/internal";
import { refusal, unsupported } from "./errors.ts";

/** A call as the client sees it. */
export interface ClientCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What came back. */
export interface ClientResult {
  readonly id: string;
  readonly text: string;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_TOOLS = 128;

export interface ToolFields {
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
}

/**
 * `function: {name, …}` of chat completions, or the same without the wrapping of responses.
 * @returns null when the request has none. @throws Problem `tool_name_conflict`, `client_tools_disabled`, …
 */
export function clientTools(
  { tools, tool_choice: choice }: ToolFields,
  own: ToolRegistry,
  enabled: boolean,
): readonly ToolSpec[] | null {
  if (!Array.isArray(tools) || tools.length === 0) return null;
  if (!enabled)
    throw refusal("client_tools_disabled", "tools", "Tools of the client are switched off (gateway.api.clientTools).");
  if (choice === "none") return null;
  if (tools.length > MAX_TOOLS) throw refusal("too_many_tools", "tools", `There may be ${MAX_TOOLS} tools at most.`);
  const specs = tools.map((tool: unknown, index) => specOf(tool, `tools[${index}]`));
  for (const [index, { name }] of specs.entries()) {
    if (own.get(name) !== undefined)
      throw refusal("tool_name_conflict", `tools[${index}]`, `The agent has a tool ${name} of its own. Rename yours.`);
    if (specs.findIndex((one) => one.name === name) !== index)
      throw refusal("tool_name_conflict", `tools[${index}]`, `The tool ${name} comes twice.`);
  }
  return specs;
}

function specOf(tool: unknown, param: string): ToolSpec {
  if (!isRecord(tool) || tool["type"] !== "function")
    throw refusal("unsupported_tool", param, "Tools have to be of type function.");
  const given = isRecord(tool["function"]) ? tool["function"] : tool;
  const { name, description, parameters } = given;
  if (typeof name !== "string" || !NAME.test(name))
    throw refusal("invalid_tool", `${param}.name`, "A tool's name must be 1–64 of A–Z, a–z, 0–9, dash, underscore.");
  if (parameters !== undefined && parameters !== null && !isRecord(parameters))
    throw refusal("invalid_tool", `${param}.parameters`, "The parameters of a tool must be a JSON Schema.");
  const schema = isRecord(parameters) ? sorted(parameters) : {};
  return {
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: { type: "object", ...(schema as JsonObject) }, // an object stays one
  };
}

/** Keys in one order: the same tools are the same bytes of the prompt. */
function sorted(value: unknown): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value as Json; // parsed from JSON
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** For the turn's first request. @throws Problem `unsupported_parameter`. */
export function toolChoice(choice: unknown, tools: readonly ToolSpec[] | null): Pick<TurnSampling, "toolChoice"> {
  if (choice === undefined || choice === null || choice === "auto" || choice === "none") return {};
  const named = isRecord(choice)
    ? isRecord(choice["function"])
      ? choice["function"]["name"]
      : choice["name"]
    : choice;
  if (named === "required" && tools !== null) return { toolChoice: "required" };
  if (typeof named === "string" && tools?.some(({ name }) => name === named) === true)
    return { toolChoice: { name: named } };
  throw unsupported("tool_choice", "tool_choice is auto, none, required or one of the tools of this request.");
}

const ID = /^call_([a-z0-9]{1,40})_([a-z0-9-]{1,60})$/;

/** Call ids of ours are unique in their session; those that leave are unique everywhere. */
export function wireCallId(turn: TurnId, call: CallId): string {
  return `call_${turn.replace(/^turn-/, "")}_${call}`;
}

/** @returns undefined for an id that cannot be ours. */
export function parseCallId(id: string): { readonly turn: TurnId; readonly call: CallId } | undefined {
  const [, turn, call] = ID.exec(id) ?? [];
  // Looked up by equality: a made-up id finds nothing.
  return turn === undefined || call === undefined
    ? undefined
    : { turn: `turn-${turn}` as TurnId, call: call as CallId };
}

/** Says in a history what was called. */
export function calledText(name: string, args: string): string {
  return `[called ${name} with ${args}]`;
}
