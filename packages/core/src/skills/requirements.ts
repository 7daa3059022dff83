/** What a skill needs to be of use, and what of it is not there. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { type Fields, isFields } from "./frontmatter.ts";

export interface Requirements {
  /** Programs on the PATH that commands get; of `anyBins` one is enough. */
  readonly bins: readonly string[];
  readonly anyBins: readonly string[];
  /** Variables that commands get. */
  readonly env: readonly string[];
  /** Tools of the agent. */
  readonly tools: readonly string[];
  /** `persistent-processes`: what a command starts must outlive the command. */
  readonly features: readonly string[];
  /** Node's names of systems: `linux`, `darwin`. */
  readonly os: readonly string[];
  /** Hosts it talks to. Told to the operator, not checked. */
  readonly hosts: readonly string[];
}

/** What there is. */
export interface SkillFacts {
  /** The environment that `exec` gives to commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent: what is offered is not known here, and requirements of tools count as met. */
  readonly tools?: () => readonly { readonly name: string }[];
  readonly features: readonly string[];
  readonly os: string;
}

const MAX_NAMES = 50;
const MAX_NAME_CHARS = 128;
const FEATURES: ReadonlyMap<string, string> = new Map([["persistent-processes", "processes that outlive exec"]]);

/**
 * `requires` and its siblings stand at the top level (the seeds), under `metadata` (agentskills.io; there also flat, as
 * `requires.bins: "a b"`) or under a program's own name in it (`metadata.nanobot.requires`).
 */
export function requirementsOf(fields: Fields): Requirements {
  const places = placesOf(fields);
  const maps = places.map(({ requires }) => requires).filter(isFields);
  const names = (key: string): readonly string[] => [
    ...new Set([
      ...maps.flatMap((map) => namesIn(map[key])),
      ...places.flatMap((place) => namesIn(place[`requires.${key}`])),
    ]),
  ];
  return {
    bins: names("bins"),
    anyBins: names("anyBins"),
    env: names("env"),
    tools: names("tools"),
    features: names("features"),
    os: [...new Set([...names("os"), ...places.flatMap((place) => namesIn(place["os"]))])],
    hosts: names("hosts"),
  };
}

/** `always: true`, in any of the places. */
export function isAlways(fields: Fields): boolean {
  return placesOf(fields).some(({ always }) => always === true || always === "true");
}

/** In words, for the model and the operator; empty when nothing is missing. */
export function missingOf(requires: Requirements, facts: SkillFacts): readonly string[] {
  const path = facts.environment["PATH"] ?? "";
  const tools = facts.tools === undefined ? undefined : new Set(facts.tools().map((tool) => tool.name));
  const { bins, anyBins, env, features, os } = requires;
  return [
    ...bins.filter((name) => !isProgram(name, path)),
    ...(anyBins.length > 0 && !anyBins.some((name) => isProgram(name, path)) ? [`one of ${anyBins.join(" ")}`] : []),
    ...env.filter((name) => (facts.environment[name] ?? "") === "").map((name) => `variable ${name} (tools.exec.env)`),
    ...requires.tools.filter((name) => tools?.has(name) === false).map((name) => `tool ${name}`),
    ...features.filter((name) => !facts.features.includes(name)).map((name) => FEATURES.get(name) ?? `feature ${name}`),
    ...(os.length > 0 && !os.includes(facts.os) ? [`system ${os.join(" or ")}`] : []),
  ];
}

function placesOf(fields: Fields): readonly Fields[] {
  const metadata = mapOf(fields["metadata"]);
  return [fields, metadata, ...Object.values(metadata).filter(isFields)];
}

/** nanobot writes its metadata as JSON in a string. */
function mapOf(value: unknown): Fields {
  if (isFields(value)) return value;
  if (typeof value !== "string") return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isFields(parsed) ? parsed : {};
  } catch {
    return {}; // a text: its problem is named by the check of the fields
  }
}

function namesIn(value: unknown): readonly string[] {
  const items: readonly unknown[] =
    typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return items
    .filter((item) => typeof item === "string")
    .map((item) => item.trim())
    .filter((item) => item !== "" && item.length <= MAX_NAME_CHARS)
    .slice(0, MAX_NAMES);
}

/** Found as the shell finds it; a path is no name of a program. */
function isProgram(name: string, path: string): boolean {
  if (!/^[\w.+-]+$/.test(name)) return false;
  return path.split(delimiter).some((directory) => isAbsolute(directory) && isExecutable(join(directory, name)));
}

function isExecutable(path: string): boolean {
  try {
    // Most directories of a PATH don't have it, and making an error for each costs a start milliseconds.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // missing or not ours to run: the same to a skill
  }
}
