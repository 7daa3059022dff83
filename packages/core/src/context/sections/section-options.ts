// What the sections of the system prompt are made from. Nothing in here may vary from turn to turn.
import type { Tool } from "../../contract/tool.ts";
import type { PersonaSettings } from "../../personas/personas.ts";

export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  /** Path of the SKILL.md, as `read_file` takes it. */
  readonly location: string;
  readonly always: boolean;
  /** Requirements that are not met, in words; empty when the skill can be used. */
  readonly missing: readonly string[];
  /** Of one that is always there and can be used: what `read` gives. Absent: it is read. */
  readonly body?: string;
}
export interface SkillSource {
  list(signal: AbortSignal): Promise<readonly SkillEntry[]>;
  /** Body of a SKILL.md, without frontmatter. */
  read(name: string, signal: AbortSignal): Promise<string>;
  /** A skill that can be used now. Absent: a person cannot name one in a message. */
  load?(name: string, signal: AbortSignal): Promise<LoadedSkill | undefined>;
}
export interface LoadedSkill {
  readonly name: string;
  /** Absolute: where the paths in its text begin. */
  readonly directory: string;
  readonly location: string;
  readonly body: string;
}

export interface SectionOptions {
  /** Absolute path, shown to the model. */
  readonly workspace: string;
  readonly language: "en" | "zh-CN";
  readonly persona: PersonaSettings;
  readonly environment: { readonly os: string; readonly arch: string; readonly node: string };
  readonly tools: () => readonly Tool[];
  /** A line about the folder that others use too; empty: there is none. */
  readonly sharedFolder?: () => string;
  /** Text of a file in the workspace, by relative path; undefined when there is none. Absent: no files are used. */
  readonly readFile?: (path: string, signal: AbortSignal) => Promise<string | undefined>;
  /** `memory.inject` and `memory.maxChars`. Default: injected, 8,000 characters. */
  readonly memory?: { readonly inject: boolean; readonly maxChars: number };
  readonly skills?: SkillSource;
  /** For readers who are no operators: neither machine nor workspace nor memory is spoken of. */
  readonly forGuests?: true;
  /** For a group: what is remembered there is the group's. */
  readonly forGroup?: true;
}
