/** Tools and skills of a room, as far as an agent has them. */
import type { Tool, ToolRegistry } from "@margay/core";
import { fitsPattern, type Skills } from "@margay/core/internal";
import type { AgentParts } from "../host/agents.ts";

/** What opens files, or runs something that does. */
const OF_FILES: ReadonlySet<string> = new Set([
  "read_file",
  "list_dir",
  "search_files",
  "write_file",
  "edit_file",
  "exec",
]);

/** @param own in place of those with their names: what an agent has of its own. */
export function narrowedTools(all: ToolRegistry, { tools, files }: AgentParts, own: readonly Tool[]): ToolRegistry {
  const isIn = (name: string): boolean =>
    tools.every((patterns) => fitsPattern(name, patterns)) && !(files.in === "none" && OF_FILES.has(name));
  const theirs = (tool: Tool): Tool => own.find(({ name }) => name === tool.name) ?? tool;
  return {
    list: () => all.list().flatMap((tool) => (isIn(tool.name) ? [theirs(tool)] : [])),
    get: (name) => {
      const tool = isIn(name) ? all.get(name) : undefined;
      return tool && theirs(tool);
    },
  };
}

export function narrowedSkills(all: Skills, { skills }: Pick<AgentParts, "skills">): Skills {
  if (skills.length === 0) return all;
  const isIn = (name: string): boolean => skills.every((patterns) => fitsPattern(name, patterns));
  return {
    ...all,
    all: async (signal) => (await all.all(signal)).filter(({ name }) => isIn(name)),
    list: async (signal) => (await all.list(signal)).filter(({ name }) => isIn(name)),
    names: async (signal) => (await all.names(signal)).filter(isIn),
    read: (name, signal) => (isIn(name) ? all.read(name, signal) : Promise.resolve("")),
    find: (name, signal) => (isIn(name) ? all.find(name, signal) : Promise.resolve(undefined)),
    load: (name, signal) => (isIn(name) ? all.load(name, signal) : Promise.resolve(undefined)),
  };
}
