/** One folder → one skill, or the reason why there is none. */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { raceAbort } from "../lib/async/abort.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { readHead, type SkillHead } from "./head.ts";
import type { ParseCache } from "./parse-cache.ts";
import { readSkillFiles, type SkillFile, signatureOf } from "./skill-files.ts";

export type LoadedSkill =
  | {
      readonly ok: true;
      readonly head: SkillHead;
      /** Departures from agentskills.io that were forgiven. */
      readonly warnings: readonly string[];
      /** Markdown below the frontmatter. */
      readonly body: string;
      /** Of the whole directory; empty for bundled skills, which nobody has to approve. */
      readonly hash: string;
      readonly files: readonly SkillFile[];
    }
  | { readonly ok: false; readonly reason: string; readonly hash: string };

/** What was read once, until something in the directory changes. */
export interface LoadCache {
  readonly parse: ParseCache;
  /** Promises: two readers at once share the work. */
  readonly byDirectory: Map<string, { readonly signature: string; readonly skill: Promise<LoadedSkill> }>;
}

/** Every file is read, so that what is used is what was hashed. Never throws for what is in the folder. */
export function loadSkill(
  directory: string,
  folder: string,
  cache: LoadCache,
  signal: AbortSignal,
): Promise<LoadedSkill> {
  return remembered(directory, signatureOf(directory), cache, signal, async () => {
    const { text, hash, files } = await readSkillFiles(directory, signal);
    return asSkill(text, folder, { hash, files }, cache.parse);
  });
}

/** A skill of the package: it came with margay's own code, so only its SKILL.md is looked at. */
export function loadBundled(
  directory: string,
  folder: string,
  cache: LoadCache,
  signal: AbortSignal,
): Promise<LoadedSkill> {
  const path = join(directory, "SKILL.md");
  return remembered(directory, fileSignature(path), cache, signal, () =>
    // Ours and small: read at once, since each of them would take several trips through the thread pool.
    asSkill(readFileSync(path, "utf8"), folder, { hash: "", files: [] }, cache.parse),
  );
}

/** @param signal of this reader: another who waits for the same work is not stopped with it. */
async function remembered(
  directory: string,
  signature: string | undefined,
  cache: LoadCache,
  signal: AbortSignal,
  load: () => Promise<LoadedSkill>,
): Promise<LoadedSkill> {
  const { byDirectory } = cache;
  for (;;) {
    signal.throwIfAborted();
    const known = byDirectory.get(directory);
    const shared = known !== undefined && known.signature === signature;
    const skill = shared ? known.skill : outcome(load);
    if (!shared && signature !== undefined) byDirectory.set(directory, { signature, skill });
    try {
      return await raceAbort(skill, signal);
    } catch (error) {
      if (shared && signal.aborted) throw error;
      if (byDirectory.get(directory)?.skill === skill) byDirectory.delete(directory); // the next reader looks again
      if (!shared) throw error; // else it was the other who was stopped
    }
  }
}

async function outcome(load: () => Promise<LoadedSkill>): Promise<LoadedSkill> {
  try {
    return await load();
  } catch (error) {
    if (hasCode(error, "skill.refused", "tool.refused")) return { ok: false, reason: error.message, hash: "" };
    if (error instanceof Error && "syscall" in error) return { ok: false, reason: error.message, hash: "" };
    throw error;
  }
}

async function asSkill(
  text: string,
  folder: string,
  content: { readonly hash: string; readonly files: readonly SkillFile[] },
  parse: ParseCache,
): Promise<LoadedSkill> {
  const parsed = await parse.parse(text);
  if (!parsed.ok) return { ok: false, reason: parsed.reason, hash: content.hash };
  const read = readHead(parsed.fields, folder);
  if (!read.ok) return { ok: false, reason: read.reason, hash: content.hash };
  const repaired = parsed.repaired ? ["the frontmatter is not valid YAML: put values with a colon in quotes"] : [];
  return { ok: true, head: read.head, warnings: [...repaired, ...read.problems], body: parsed.body, ...content };
}

/** Undefined: nothing is there, which is found out when it is read. */
function fileSignature(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}
