// Builds what precedes the first message: the system prompt and the tool definitions, frozen for an epoch.
import type { JsonObject } from "../contract/base.ts";
import type { Prefix, ToolSpec } from "../contract/provider.ts";
import type { Section } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import type { Tool } from "../contract/tool.ts";
import { canonicalize, canonicalJson, type JsonInput } from "../lib/canonical-json.ts";
import { isRecord } from "../lib/is-record.ts";
import { countPrefix } from "./tokens.ts";
import { backgroundSection } from "./sections/background.ts";
import { identitySection } from "./sections/identity.ts";
import { memoryGuidanceSection } from "./sections/memory-guidance.ts";
import { safetySection } from "./sections/safety.ts";
import type { SectionOptions } from "./sections/section-options.ts";
import { activeSkillsSection, skillSummarySection } from "./sections/skills.ts";
import { toolPrinciplesSection } from "./sections/tool-principles.ts";
import { watchedFiles, workspaceFileSection } from "./sections/workspace-file.ts";

/**
 * The sections in their one order: identity and its files · tool principles, TOOLS.md · memory guidance and
 * MEMORY.md · safety · skills. Safety follows everything a person or persona wrote about behavior.
 */
export function promptSections(options: SectionOptions): readonly Section[] {
  const files = watchedFiles(options);
  const file = (...paths: readonly string[]): readonly Section[] =>
    files.filter((item) => paths.includes(item.path)).map(workspaceFileSection);
  const { skills } = options;
  return [
    identitySection(options),
    backgroundSection(),
    ...file("AGENTS.md", "SOUL.md", "USER.md"),
    toolPrinciplesSection(),
    ...file("TOOLS.md"),
    ...(options.forGuests === true && options.forGroup !== true
      ? []
      : [unlessSubagent(memoryGuidanceSection(options))]),
    ...file("memory/MEMORY.md"),
    safetySection(),
    ...(skills === undefined ? [] : [unlessSubagent(activeSkillsSection(skills)), skillSummarySection(skills)]),
  ];
}

export interface RenderedSection {
  readonly id: string;
  readonly text: string;
}

/** All sections that have something to say, in order. */
export async function renderSections(
  sections: readonly Section[],
  state: SessionState,
  signal: AbortSignal,
): Promise<readonly RenderedSection[]> {
  const rendered = await Promise.all(
    sections.map(async (section) => ({ id: section.id, text: (await section.render(state, signal)) ?? "" })),
  );
  return rendered.map(({ id, text }) => ({ id, text: text.trim() })).filter(({ text }) => text !== "");
}

/** Makes prefixes of texts and tools. One that is as the last one is that one: conversations share its bytes, and what was counted. */
type MakePrefix = (texts: readonly string[], tools: readonly Tool[], client?: readonly ToolSpec[]) => Prefix;

/** @param hash SHA-256 of a text, as hex. */
export function createPrefixes(hash: (text: string) => string): MakePrefix {
  let last: { readonly tools: readonly Tool[]; readonly client: string; readonly prefix: Prefix } | undefined;
  return (texts, tools, client = []) => {
    const system = texts.join("\n\n");
    const own = JSON.stringify(client); // of each session its own
    const isSame =
      last?.prefix.system === system &&
      last.client === own &&
      last.tools.length === tools.length &&
      tools.every((tool, place) => tool === last?.tools[place]);
    if (!isSame || last === undefined)
      last = { tools: [...tools], client: own, prefix: createPrefix(system, [...toolSpecs(tools), ...client], hash) };
    return last.prefix;
  };
}

function createPrefix(system: string, tools: readonly ToolSpec[], hash: (text: string) => string): Prefix {
  return {
    hash: hash(canonicalJson({ system, tools: tools.map((spec) => ({ ...spec })) })),
    system,
    tools,
    tokens: countPrefix({ system, tools }),
  };
}

/** Name, description and schema of each tool: sorted by name, built-in before MCP, keys in canonical order. */
export function toolSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  return tools.toSorted(byName).map((tool) => {
    const { $schema: _dialect, ...schema } = tool.input["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    // A generated JSON Schema is JSON by construction.
    return {
      name: tool.name,
      description: tool.description,
      inputSchema: canonicalize(
        (tool.name.startsWith("mcp_") ? schema : withoutBounds(schema)) as { readonly [key: string]: JsonInput },
      ) as JsonObject,
    };
  });
}

/** What no model goes beyond by chance. They are checked all the same, and who does is told. */
const UNSAID = new Set(["minLength", "minimum", "maximum", "minItems", "maxItems"]);

/** A server's schema is shown as the server gives it: that is what was reviewed. */
function withoutBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (!isRecord(schema)) return schema;
  const { properties, ...rest } = schema;
  const kept = Object.entries(rest).filter(([key]) => !UNSAID.has(key));
  return {
    ...Object.fromEntries(kept.map(([key, value]) => [key, withoutBounds(value)])),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, withoutBounds(value)])),
    }),
  };
}

function byName(a: Tool, b: Tool): number {
  const rank = Number(a.name.startsWith("mcp_")) - Number(b.name.startsWith("mcp_"));
  return rank !== 0 ? rank : a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function unlessSubagent(section: Section): Section {
  return {
    id: section.id,
    render: async (state, signal) => (state.parent === undefined ? section.render(state, signal) : undefined),
  };
}

/** The tools of a session's client, behind ours. A name that one of ours has by now is left to ours. */
export function clientSpecs(
  { clientTools = [] }: Pick<SessionState, "clientTools">,
  tools: readonly Pick<Tool, "name">[],
): readonly ToolSpec[] {
  return clientTools
    .filter(({ name }) => !tools.some((tool) => tool.name === name))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
