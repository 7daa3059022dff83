/** A server's definitions → tools of the registry: names, filters, schemas, effects, resources and prompts. */
import {
  defineTool,
  type Effect,
  type JsonObject,
  toolError,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "@margay/core";
import { neutral } from "@margay/core/internal";
import { effectOf } from "./manifest.ts";
import { toolName } from "../../../models/tool-name.ts";
import { neutralTexts, normalizeSchema } from "../../../models/tool-schema.ts";
import { suspended } from "./no-result.ts";
import type { CallOptions, CallResult, Definition, Link, PromptArguments, ServerConfig, Waiting } from "./types.ts";

/** Runs one request on the server's connection; what it cannot do it answers as a result. */
export type Use = (
  effect: Effect,
  context: ToolContext,
  work: (link: Link, options: CallOptions) => Promise<CallResult>,
) => Promise<ToolResult>;

export interface CatalogOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly definitions: readonly Definition[];
  readonly offers: Link["offers"];
  /** Deadline of a call, milliseconds. */
  readonly timeoutMs: number;
  readonly use: Use;
  /** Why a call of a tool that writes cannot be done: the whole text for the model. */
  readonly unable?: (tool: string, input: JsonObject) => string | undefined;
  readonly warn: (fact: string) => void;
}

interface Entry {
  /** As `enabledTools` names it. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly effect: Effect;
  readonly work: (link: Link, input: JsonObject, options: CallOptions) => Promise<CallResult>;
}

/** A tool of a server, offered to the agent or not. */
export interface CatalogTool {
  /** As `enabledTools` names it. */
  readonly own: string;
  readonly enabled: boolean;
  readonly tool: Tool;
}

/** A tool that cannot be used is left out with a warning; the others stay. */
export function catalogOf(options: CatalogOptions): readonly CatalogTool[] {
  const { server, config, definitions, timeoutMs, use, unable, warn } = options;
  const entries = [
    ...definitions.flatMap((definition): readonly Entry[] => {
      const schema = normalizeSchema(definition.inputSchema);
      if (schema.ok) return [entryOf(definition, schema.schema)];
      warn(`the tool ${definition.name} is left out: ${schema.reason}`);
      return [];
    }),
    ...extras(options),
  ];
  const all = config.enabledTools.includes("*");
  for (const wanted of config.enabledTools)
    if (wanted !== "*" && !entries.some((entry) => entry.name === wanted))
      warn(`enabledTools names ${wanted}, which the server does not offer`);

  const taken = new Set<string>();
  return entries.flatMap(({ name, description, schema, effect, work }): readonly CatalogTool[] => {
    const enabled = all || config.enabledTools.includes(name);
    const full = toolName(server, name);
    if (enabled && taken.has(full.toLowerCase())) {
      warn(`the tool ${name} is left out: another one is called ${full} too`);
      return [];
    }
    if (enabled) taken.add(full.toLowerCase());
    const tool = defineTool<JsonObject>({
      name: full,
      description: description === "" ? `${name} of the MCP server ${server}.` : neutral(description),
      input: neutralTexts(schema),
      effect,
      timeoutMs,
      ...(unable !== undefined && effect !== "read" && { unable: (input: JsonObject) => unable(name, input) }),
      execute: (input, context) => use(effect, context, (link, given) => work(link, input, given)),
    });
    return [{ own: name, enabled, tool }];
  });
}

/** In place of any tool of a server that waits for a person: nothing that the server says is in it, and it does nothing. */
export function suspendedTool(name: string, server: string, state: Waiting): Tool | undefined {
  if (!name.startsWith(toolName(server, "")) || !TOOL_NAME.test(name)) return undefined;
  const [fact, next] = suspended(server, state);
  return defineTool<JsonObject>({
    name,
    description: `A tool of the MCP server ${server}, which waits for review.`,
    input: { type: "object" },
    effect: "read",
    unable: () => `Error: ${fact}. Next: ${next}.`,
    execute: () => Promise.resolve(toolError(fact, next)),
  });
}

/** As providers take it. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export function enabledOf(catalog: readonly CatalogTool[]): readonly Tool[] {
  return catalog.flatMap(({ enabled, tool }) => (enabled ? [tool] : []));
}

function entryOf(definition: Definition, schema: JsonObject): Entry {
  return {
    name: definition.name,
    description: definition.description,
    schema,
    effect: effectOf(definition),
    work: (link, input, given) => link.call(definition, input, given),
  };
}

/** Resources and prompts as tools, unless the server has a tool of that name itself. */
function extras({ server, definitions, offers }: CatalogOptions): readonly Entry[] {
  const text = (content: string): CallResult => ({ content: [{ type: "text", text: content }], isError: false });
  const resources: readonly Entry[] = [
    {
      name: "list_resources",
      description: `The resources of the MCP server ${server}: URIs and URI templates for ${toolName(server, "read_resource")}.`,
      schema: { type: "object", properties: {} },
      effect: "read",
      work: async (link, _, given) => text(await link.listResources(given)),
    },
    {
      name: "read_resource",
      description: `One resource of the MCP server ${server}.`,
      schema: { type: "object", properties: { uri: { type: "string", minLength: 1 } }, required: ["uri"] },
      effect: "read",
      work: (link, input, given) => link.readResource(String(input["uri"]), given),
    },
  ];
  const prompts: readonly Entry[] = [
    {
      name: "list_prompts",
      description: `The prompts of the MCP server ${server}: names and arguments for ${toolName(server, "get_prompt")}.`,
      schema: { type: "object", properties: {} },
      effect: "read",
      work: async (link, _, given) => text(await link.listPrompts(given)),
    },
    {
      name: "get_prompt",
      description: `One prompt of the MCP server ${server}, filled in.`,
      schema: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1 },
          arguments: { type: "object", additionalProperties: { type: "string" } },
        },
        required: ["name"],
      },
      effect: "read",
      work: (link, input, given) => link.getPrompt(String(input["name"]), input["arguments"] as PromptArguments, given), // as the schema says
    },
  ];
  const own = new Set(definitions.map((definition) => definition.name));
  return [...(offers.resources ? resources : []), ...(offers.prompts ? prompts : [])].filter(
    ({ name }) => !own.has(name),
  );
}
