/** The files that a person shares with the agent: what they are for, what they say, how a change reaches the agent. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@margay/core";
import { readTextFile, sha256 } from "@margay/core/internal";
import { safeFiles } from "@margay/core/internal";
import type { Holdings } from "../../app.ts";
import { refusal } from "../../host/api/refusal.ts";
import type { Call } from "../../host/api/route.ts";
import { personOf, type Caller } from "../../host/sessions/access.ts";
import { HOUSE_FILES } from "../../host/spaces.ts";
import { TEXT } from "./api-texts.ts";

export interface MemoryFile {
  readonly name: string;
  /** Below the workspace. */
  readonly path: string;
  readonly role: "facts" | "history" | "person" | "character" | "rules" | "tools" | "tasks";
  /** Whether the prompt holds it: a running chat is then told of a change by a notice. */
  readonly inPrompt: boolean;
  /** A change of it changes what the agent may do by itself: it goes to the audit log. */
  readonly audited: boolean;
}

type Asking = Pick<Call<unknown, unknown>, "params" | "services" | "credential" | "language">;
type Folder = Pick<Holdings, "workspace">;

const FILES: readonly MemoryFile[] = [
  { name: "MEMORY.md", path: "memory/MEMORY.md", role: "facts", inPrompt: true, audited: false },
  { name: "HISTORY.md", path: "memory/HISTORY.md", role: "history", inPrompt: false, audited: false },
  { name: "USER.md", path: "USER.md", role: "person", inPrompt: true, audited: false },
  { name: "SOUL.md", path: "SOUL.md", role: "character", inPrompt: true, audited: true },
  { name: "AGENTS.md", path: "AGENTS.md", role: "rules", inPrompt: true, audited: true },
  { name: "TOOLS.md", path: "TOOLS.md", role: "tools", inPrompt: true, audited: true },
  { name: "HEARTBEAT.md", path: "HEARTBEAT.md", role: "tasks", inPrompt: false, audited: true },
];
/** Consolidations store what came from outside with its source. */
const SOURCED = /\(source: /i;

/** Those of the caller's room: what says how everybody is served is the owner's, and tasks are of who has them looked at. */
export function memoryFiles(caller: Caller): readonly MemoryFile[] {
  const { memory, people } = caller.services.app.inside.loaded().config;
  const person = personOf(caller);
  const isThere = ({ name, role }: MemoryFile): boolean =>
    person === undefined || (!HOUSE_FILES.includes(name) && (role !== "tasks" || people[person]?.heartbeat === true));
  return FILES.filter(isThere).map((file) => (file.role === "facts" ? { ...file, inPrompt: memory.inject } : file));
}

/** @throws Problem `memory.not-found`. */
export function memoryFile(call: Asking): MemoryFile {
  const { name = "" } = call.params;
  const files = memoryFiles(call);
  const file = files.find((one) => one.name === name || one.name === `${name}.md`);
  if (file !== undefined) return file;
  throw refusal("memory.not-found", call.language, {
    detail: TEXT.noneFilesKept,
    remedy: TEXT.theyAre,
    values: { name: name.slice(0, 100), list: files.map((one) => one.name).join(", ") },
  });
}

/** `""` when it is not there. A link out of the workspace is not followed. */
export async function readMemoryFile(
  { path }: MemoryFile,
  { workspace }: Folder,
  signal: AbortSignal,
): Promise<string> {
  return (await readTextFile(workspace)(path, signal)) ?? "";
}

export function modifiedAt({ path }: MemoryFile, { workspace }: Folder): number | undefined {
  const stats = lstatSync(join(workspace, path), { throwIfNoEntry: false });
  return stats?.isFile() === true ? Math.floor(stats.mtimeMs) : undefined;
}

/**
 * Old or new content, never a mix. The caller compared `before` with what it shows the person.
 * @returns what the file says now: secrets are taken out of MEMORY.md.
 */
export async function writeMemoryFile(
  file: MemoryFile,
  text: string,
  before: string,
  { memory, workspace }: Pick<Holdings, "memory" | "workspace">,
  { signal, language }: Pick<Call<unknown, unknown>, "signal" | "language">,
): Promise<string> {
  if (file.role === "facts") {
    await memory.rewrite(text, sha256(before));
    return memory.facts();
  }
  const files = safeFiles({ root: workspace, restrict: true });
  try {
    await files.write(file.path, Buffer.from(text));
  } catch (error) {
    if (hasCode(error, "tool.refused"))
      throw refusal("request.invalid", language, {
        detail: TEXT.cannotWritten,
        remedy: TEXT.putOrdinaryFile,
        // What comes next is for the model, and names the folder.
        values: { name: file.name, reason: error.message.split(" Next: ", 1)[0] ?? "" },
      });
    throw error;
  }
  return readMemoryFile(file, { workspace }, signal);
}

export function isUntrusted({ role }: MemoryFile, text: string): boolean {
  return (role === "facts" || role === "history") && isSourced(text);
}

export function isSourced(text: string): boolean {
  return SOURCED.test(text);
}
