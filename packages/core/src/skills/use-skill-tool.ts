// use_skill: the instructions of a skill that the prompt only names.
import type { Tool } from "../contract/tool.ts";
import { show } from "../machine/files/refusal.ts";
import { defineTool, toolError } from "../tools/define.ts";
import { objectSchema } from "../tools/schema.ts";

/** A skill as this tool needs it. */
export interface UsableSkill {
  readonly name: string;
  readonly directory: string;
  readonly body: string;
  /** `unapproved` by the operator; `changed` since the approval; `unavailable`: requirements are not met. */
  readonly status: string;
  /** Requirements that are not met, in words. */
  readonly missing: readonly string[];
}
export interface SkillLookup {
  find(name: string, signal: AbortSignal): Promise<UsableSkill | undefined>;
  names(signal: AbortSignal): Promise<readonly string[]>;
}

export function useSkillTool(skills: SkillLookup): Tool {
  return defineTool<{ readonly name: string }>({
    name: "use_skill",
    description: "Load the instructions of a listed skill, and the directory of its other files.",
    input: objectSchema({ properties: { name: { type: "string" } }, required: ["name"] }),
    effect: "read",
    execute: async ({ name }, { signal }) => {
      const skill = await skills.find(name, signal);
      if (skill === undefined) {
        const names = await skills.names(signal);
        return toolError(
          `no skill ${show(name)}`,
          names.length === 0 ? "do without" : `use one of ${names.join(", ")}`,
        );
      }
      const { status, missing } = skill;
      if (status === "unavailable")
        return toolError(`skill ${skill.name} needs ${missing.join(", ")}`, "tell the user, or do without");
      if (status !== "ready")
        return toolError(
          `skill ${skill.name} ${status === "changed" ? "changed since the operator approved it" : "is not approved by the operator"}`,
          `ask them to look at it and run: margay skills approve ${skill.name}`,
        );
      return `${skillHeading(skill)}\n${skill.body}`;
    },
  });
}

/** Where the paths in a skill's text begin. */
function skillHeading({ name, directory }: Pick<UsableSkill, "name" | "directory">): string {
  return `[skill ${name}, directory ${show(directory)}]`;
}
