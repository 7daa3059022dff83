// What goes into the workspace: files where there is none, memory behind what is there, skills without approval.
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@margay/core/internal";
import { reportSkill } from "@margay/core/internal";
import { mergeFacts, mergeHistory } from "./merge.ts";
import type { Source, SourceFile, SourceSkill } from "./source.ts";
import type { PlannedMemory, PlannedSkill, Step } from "./step.ts";
import type { Target } from "./target.ts";

export function planFiles(source: Source, { workspace }: Target): readonly Step<SourceFile>[] {
  return source.files.map((file) => {
    const item = { area: "workspace", from: file.from, to: file.to } as const;
    const place = join(workspace, file.to);
    if (!isPlain(workspace, dirname(place)))
      return { item: { ...item, status: "conflict", reason: { key: "import.why.notFolder" } } };
    const here = lstatSync(place, { throwIfNoEntry: false });
    if (here === undefined) return { item: { ...item, status: "add" }, work: file };
    if (here.isFile() && here.size === lstatSync(file.file).size && readFileSync(place).equals(readFileSync(file.file)))
      return { item: { ...item, status: "same" } };
    return { item: { ...item, status: "conflict", reason: { key: "import.why.fileThere" } } };
  });
}

export function planMemory(
  source: Source,
  { workspace }: Target,
  redact: (text: string) => string,
): readonly Step<PlannedMemory>[] {
  const merged = new Map<string, string>(); // several of theirs may go into one of ours
  return source.memories.map(({ from, to, text }) => {
    const path = join(workspace, "memory", to);
    const item = { area: "memory", from, to: `memory/${to}` } as const;
    const here = lstatSync(path, { throwIfNoEntry: false });
    if (!isPlain(workspace, dirname(path)) || (here !== undefined && !here.isFile()))
      return { item: { ...item, status: "conflict", reason: { key: "import.why.notFolder" } } };
    const before = merged.get(to) ?? (here === undefined ? "" : readFileSync(path, "utf8"));
    // Redacted before it is compared: it must be found again as it was written.
    const after = (to === "MEMORY.md" ? mergeFacts : mergeHistory)(before, redact(text));
    merged.set(to, after);
    if (after === before) return { item: { ...item, status: "same" } };
    return { item: { ...item, status: before === "" ? "add" : "merge" }, work: { to, before, after } };
  });
}

export async function planSkills(
  source: Source,
  { workspace }: Target,
  signal: AbortSignal,
): Promise<readonly Step<PlannedSkill>[]> {
  const steps: Step<PlannedSkill>[] = [];
  for (const skill of source.skills) steps.push(await skillStep(skill, join(workspace, "skills", skill.name), signal));
  return steps;
}

async function skillStep(
  { from, name, directory }: SourceSkill,
  place: string,
  signal: AbortSignal,
): Promise<Step<PlannedSkill>> {
  const item = { area: "skill", from, to: `skills/${name}` } as const;
  try {
    const report = await reportSkill(directory, name, signal);
    if (report.reason !== undefined)
      return {
        item: { ...item, status: "skip", reason: { key: "import.why.unreadable", values: { why: report.reason } } },
      };
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) {
      const reason = { key: "import.why.unapproved", values: { name } } as const;
      return { item: { ...item, status: "add", reason }, work: { name, directory, hash: report.hash } };
    }
    const here = await reportSkill(place, name, signal);
    if (here.hash === report.hash) return { item: { ...item, status: "same" } };
    return { item: { ...item, status: "conflict", reason: { key: "import.why.fileThere" } } };
  } catch (error) {
    signal.throwIfAborted(); // the person ends the import, the skill is sound
    const reason = { key: "import.why.unreadable", values: { why: messageOf(error) } } as const;
    return { item: { ...item, status: "skip", reason } };
  }
}

/** No link on the way that would lead a write out of the workspace. */
function isPlain(workspace: string, folder: string): boolean {
  if (folder === workspace) return true;
  const here = lstatSync(folder, { throwIfNoEntry: false });
  return (here === undefined || here.isDirectory()) && isPlain(workspace, dirname(folder));
}
