/** What the frontmatter of a skill says: read forgivingly, with everything that departs from agentskills.io by name. */
import { type Fields, isFields } from "./frontmatter.ts";
import { isAlways, type Requirements, requirementsOf } from "./requirements.ts";

export interface SkillHead {
  readonly description: string;
  readonly always: boolean;
  readonly requires: Requirements;
  readonly license?: string;
  readonly compatibility?: string;
  readonly allowedTools: readonly string[];
}
export type ReadHead =
  | { readonly ok: true; readonly head: SkillHead; readonly problems: readonly string[] }
  | { readonly ok: false; readonly reason: string; readonly problems: readonly string[] };

// Bounds and fields: agentskills.io/specification.
const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1024;
const MAX_COMPATIBILITY_CHARS = 500;
const KNOWN = new Set(["name", "description", "license", "compatibility", "metadata", "allowed-tools"]);
const SEED = new Set(["requires", "always"]);

/** What a folder must be called for the skill in it to load at all: no dots first, no separators, no invisible characters. */
const FOLDER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export function isSkillName(name: string): boolean {
  return FOLDER.test(name);
}

/** Only what cannot be offered is refused: a skill without a description. */
export function readHead(fields: Fields, folder: string): ReadHead {
  const description = textOf(fields["description"]);
  const problems = [
    ...nameProblems(fields["name"], folder),
    ...descriptionProblems(fields["description"]),
    ...otherProblems(fields),
  ];
  if (description === "") return { ok: false, reason: "it has no description", problems };
  const license = textOf(fields["license"]);
  const compatibility = textOf(fields["compatibility"]);
  return {
    ok: true,
    problems,
    head: {
      description: description.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed(),
      always: isAlways(fields),
      requires: requirementsOf(fields),
      ...(license !== "" && { license }),
      ...(compatibility !== "" && { compatibility: compatibility.slice(0, MAX_COMPATIBILITY_CHARS) }),
      allowedTools: toolNames(fields["allowed-tools"]),
    },
  };
}

function nameProblems(value: unknown, folder: string): readonly string[] {
  const name = textOf(value);
  if (name === "") return ["name is missing"];
  return [
    ...(name.length > MAX_NAME_CHARS
      ? [`name has ${name.length} characters; at most ${MAX_NAME_CHARS} are allowed`]
      : []),
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
      ? []
      : ["name must be lower-case letters, digits and single hyphens between them"]),
    ...(name === folder ? [] : [`name is not the folder's (${folder}), which is the name it has here`]),
  ];
}

function descriptionProblems(value: unknown): readonly string[] {
  const { length } = textOf(value);
  if (length === 0) return ["description is missing"];
  return [
    ...(typeof value === "string" ? [] : ["description must be text"]),
    ...(length > MAX_DESCRIPTION_CHARS
      ? [`description has ${length} characters; the first ${MAX_DESCRIPTION_CHARS} are used`]
      : []),
  ];
}

function otherProblems(fields: Fields): readonly string[] {
  const { license, compatibility, metadata } = fields;
  const tools = fields["allowed-tools"];
  const unknown = Object.keys(fields).filter((key) => !KNOWN.has(key));
  return [
    ...(license === undefined || typeof license === "string" ? [] : ["license must be text"]),
    ...(compatibility === undefined || typeof compatibility === "string" ? [] : ["compatibility must be text"]),
    ...(textOf(compatibility).length > MAX_COMPATIBILITY_CHARS
      ? [`compatibility is over ${MAX_COMPATIBILITY_CHARS} characters`]
      : []),
    ...(metadata === undefined || isFields(metadata) ? [] : ["metadata must be a map"]),
    ...(isFields(metadata) && Object.values(metadata).some((value) => typeof value !== "string")
      ? ["values of metadata must be text"]
      : []),
    ...(tools === undefined || typeof tools === "string"
      ? []
      : ["allowed-tools must be names with spaces between them"]),
    ...unknown.map((key) =>
      SEED.has(key) ? `${key} belongs under metadata` : `the field ${key.slice(0, 40)} is unknown and without effect`,
    ),
  ];
}

/** One line: what is shown in a list must not begin others. */
function textOf(value: unknown): string {
  const text =
    typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  return text.replaceAll(/\s+/g, " ").trim();
}

function toolNames(value: unknown): readonly string[] {
  if (typeof value === "string") return value.split(/[\s,]+/).filter((name) => name !== "");
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
