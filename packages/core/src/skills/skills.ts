/** The skills of an agent: those in the workspace that the operator approved, and those that came with the package. */
import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Logger } from "../contract/base.ts";
import type { Docs } from "../contract/store.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { openFileDocs } from "../machine/files/file-docs.ts";
import { approvalOf, readApprovals, type SkillApprovals } from "./approvals.ts";
import { isSkillName, type SkillHead } from "./head.ts";
import { type LoadCache, loadBundled, type LoadedSkill, loadSkill } from "./load-skill.ts";
import { openParseCache } from "./parse-cache.ts";
import { missingOf, type SkillFacts } from "./requirements.ts";
import type { SkillFile } from "./skill-files.ts";

export interface SkillsOptions {
  readonly workspace: string;
  /** Absolute directory of the skills that came with the program. */
  readonly bundled?: string;
  /** The file with the operator's approvals, or the store they are kept in. */
  readonly approvals: string | Pick<Docs, "peek">;
  /** Where parsed frontmatter is kept between starts. */
  readonly cache?: string;
  /** `skills.disabled`. */
  readonly disabled: () => readonly string[];
  readonly facts: SkillFacts;
  readonly log: Logger;
}

/**
 * - `ready` and `unavailable` (requirements are not met) are offered.
 * - `unapproved` and `changed` (since the approval) wait for the operator: nothing of their text reaches the model.
 * - `disabled` by the configuration; `broken` cannot be read; `shadowed` by a skill of the workspace with its name.
 */
export type SkillStatus = "ready" | "unavailable" | "unapproved" | "changed" | "disabled" | "broken" | "shadowed";

export interface Skill {
  readonly name: string;
  readonly from: "workspace" | "bundled";
  readonly status: SkillStatus;
  /** By the operator, with this content; or it came with the program. */
  readonly approved: boolean;
  readonly directory: string;
  /** The SKILL.md as `read_file` takes it. */
  readonly location: string;
  /** Absent when it is broken. */
  readonly head?: SkillHead;
  readonly body: string;
  /** Why it is broken. */
  readonly reason?: string;
  /** Requirements that are not met, in words. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
  readonly hash: string;
  readonly files: readonly SkillFile[];
}

/** As the prompt lists it. */
export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
  readonly location: string;
  readonly always: boolean;
  readonly missing: readonly string[];
  /** With `always`, when it can be used. */
  readonly body?: string;
}

export interface Skills {
  /** Every folder that was looked at, by name; both of two with one name. */
  all(signal: AbortSignal): Promise<readonly Skill[]>;
  /** What the prompt lists. */
  list(signal: AbortSignal): Promise<readonly OfferedSkill[]>;
  /** Body of an offered skill; empty when it has none or is gone. */
  read(name: string, signal: AbortSignal): Promise<string>;
  /** One that can be used now. */
  load(name: string, signal: AbortSignal): Promise<Skill | undefined>;
  /** Names of those that can be used now. */
  names(signal: AbortSignal): Promise<readonly string[]>;
  /** The one offered skill of this name, whether or not it can be used; `changed` and `unapproved` ones without text. */
  find(name: string, signal: AbortSignal): Promise<Skill | undefined>;
  /** Whether a file of the workspace belongs to a skill nobody approved: what it says is data. */
  isUntrusted(path: string, signal: AbortSignal): Promise<boolean>;
}

/** Reads nothing until it is asked. Skills are read again when something in their directory changed. */
export function openSkills(options: SkillsOptions): Skills {
  const cache: LoadCache = { parse: openParseCache(options.cache), byDirectory: new Map() };
  const all: Skills["all"] = async (signal) => {
    const approvals = approvalsOrNone(options);
    const folder = join(options.workspace, "skills");
    const own = await Promise.all(
      foldersIn(folder).map(async (name) => {
        const directory = join(folder, name);
        const loaded = isLink(folder)
          ? broken("the folder `skills` of the workspace is a link")
          : isSkillName(name)
            ? await loadSkill(directory, name, cache, signal)
            : broken("its folder must be named with letters, digits, `-`, `_` and `.`, at most 64");
        return describe(
          { name, from: "workspace", directory, location: `skills/${name}/SKILL.md`, loaded },
          approvals,
          options,
        );
      }),
    );
    const winning = new Set(own.filter(isOffered).map((skill) => skill.name));
    const { bundled } = options;
    const shipped = await Promise.all(
      (bundled === undefined ? [] : foldersIn(bundled)).map(async (name): Promise<Skill> => {
        const directory = join(bundled ?? "", name);
        const loaded = await loadBundled(directory, name, cache, signal);
        // The file tools show it in the workspace, unless that has a folder of this name.
        const location = own.some((other) => other.name === name)
          ? join(directory, "SKILL.md")
          : `skills/${name}/SKILL.md`;
        const skill = describe({ name, from: "bundled", directory, location, loaded }, approvals, options);
        return winning.has(name) ? { ...skill, status: "shadowed" } : skill;
      }),
    );
    cache.parse.save();
    return [...own, ...shipped].toSorted(byName);
  };
  const offered = async (signal: AbortSignal): Promise<readonly Skill[]> => {
    const skills = await all(signal);
    const usable = new Set(skills.filter(isOffered).map((skill) => skill.name));
    return skills.filter((skill) => isOffered(skill) || (isWaiting(skill) && !usable.has(skill.name)));
  };
  const find: Skills["find"] = async (name, signal) =>
    isSkillName(name) ? (await offered(signal)).find((skill) => skill.name === name) : undefined;
  return {
    all,
    find,
    list: async (signal) => (await offered(signal)).map(asOffered),
    read: async (name, signal) => {
      const skill = await find(name, signal);
      return skill === undefined || isWaiting(skill) ? "" : skill.body;
    },
    load: async (name, signal) => {
      const skill = await find(name, signal);
      return skill?.status === "ready" ? skill : undefined;
    },
    names: async (signal) => (await offered(signal)).filter(({ status }) => status === "ready").map(({ name }) => name),
    isUntrusted: async (path, signal) => {
      const [top, name, ...inside] = path.split("/");
      if (top !== "skills" || inside.length === 0) return false;
      const own = (await all(signal)).find((skill) => skill.name === name && skill.from === "workspace");
      return own?.approved !== true;
    },
  };
}

/** Waits for the operator. */
export function isWaiting(skill: Skill): boolean {
  return skill.status === "unapproved" || skill.status === "changed";
}

function isOffered(skill: Skill): boolean {
  return skill.status === "ready" || skill.status === "unavailable";
}

function describe(
  place: Pick<Skill, "name" | "from" | "directory" | "location"> & { readonly loaded: LoadedSkill },
  approvals: SkillApprovals,
  { disabled, facts }: SkillsOptions,
): Skill {
  const { loaded, ...rest } = place;
  const approval = approvalOf(approvals, place.name);
  const approved = place.from === "bundled" || approval?.hash === loaded.hash;
  const base = { ...rest, approved, body: "", missing: [], warnings: [], hash: loaded.hash, files: [] };
  const isDisabled = disabled().includes(place.name);
  if (!loaded.ok) return { ...base, status: isDisabled ? "disabled" : "broken", reason: loaded.reason };
  const { head, body, warnings, files } = loaded;
  const missing = missingOf(head.requires, facts);
  const waiting: SkillStatus = approval === undefined ? "unapproved" : "changed";
  const usable: SkillStatus = missing.length === 0 ? "ready" : "unavailable";
  return {
    ...base,
    head,
    body,
    warnings,
    missing,
    files,
    status: isDisabled ? "disabled" : approved ? usable : waiting,
  };
}

/** A stranger's description is an instruction to whoever reads it: until the approval only the name is shown. */
function asOffered(skill: Skill): OfferedSkill {
  const { name, location, head, missing } = skill;
  if (isWaiting(skill) || head === undefined)
    return {
      name,
      location,
      always: false,
      description: "",
      missing: [`approval by the operator: margay skills approve ${name}`],
    };
  const { always, description } = head;
  return { name, location, always, description, missing, ...(always && missing.length === 0 && { body: skill.body }) };
}

/** Folders, by name. Links are listed too: the reason why they are not followed is shown. */
function foldersIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
      .map((entry) => entry.name);
  } catch {
    return []; // there is no such directory, or not for us
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function broken(reason: string): LoadedSkill {
  return { ok: false, reason, hash: "" };
}

function approvalsOrNone({ approvals, log }: SkillsOptions): SkillApprovals {
  try {
    return typeof approvals === "string"
      ? readApprovals(openFileDocs(dirname(approvals)), basename(approvals))
      : readApprovals(approvals);
  } catch (error) {
    log.error("skills.approvals", { message: messageOf(error) });
    return {}; // nothing is approved: the safe side
  }
}

/** By code unit, the workspace first: part of the byte-stable prompt. */
function byName(left: Skill, right: Skill): number {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  return left.from === right.from ? 0 : left.from === "workspace" ? -1 : 1;
}
