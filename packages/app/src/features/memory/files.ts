/** The files that a person shares with the agent: what they are for, what they say, how a change reaches the agent. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@margay/core";
import { readTextFile, sha256 } from "@margay/core/internal";
import { safeFiles } from "@margay/core/internal";
import { refusal } from "../../host/api/refusal.ts";
import type { Call } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
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

type Asking = Pick<Call<unknown, unknown>, "params" | "services" | "language">;

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

export function memoryFiles({ app }: Services): readonly MemoryFile[] {
  const { inject } = app.inside.loaded().config.memory;
  return FILES.map((file) => (file.role === "facts" ? { ...file, inPrompt: inject } : file));
}

/** @throws Problem `memory.not-found`. */
export function memoryFile({ params, services, language }: Asking): MemoryFile {
  const { name = "" } = params;
  const file = memoryFiles(services).find((one) => one.name === name || one.name === `${name}.md`);
  if (file !== undefined) return file;
  throw refusal("memory.not-found", language, {
    detail: TEXT.noneFilesKept,
    remedy: TEXT.theyAre,
    values: { name: name.slice(0, 100), list: FILES.map((one) => one.name).join(", ") },
  });
}

/** `""` when it is not there. A link out of the workspace is not followed. */
export async function readMemoryFile({ path }: MemoryFile, { app }: Services, signal: AbortSignal): Promise<string> {
  return (await readTextFile(workspaceOf(app))(path, signal)) ?? "";
}

export function modifiedAt({ path }: MemoryFile, { app }: Services): number | undefined {
  const stats = lstatSync(join(workspaceOf(app), path), { throwIfNoEntry: false });
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
  { services, signal, language }: Pick<Call<unknown, unknown>, "services" | "signal" | "language">,
): Promise<string> {
  const { app } = services;
  if (file.role === "facts") {
    await app.inside.memory.rewrite(text, sha256(before));
    return app.inside.memory.facts();
  }
  const files = safeFiles({ root: workspaceOf(app), restrict: true });
  try {
    await files.write(file.path, Buffer.from(text));
  } catch (error) {
    if (hasCode(error, "tool.refused"))
      throw refusal("request.invalid", language, {
        detail: TEXT.cannotWritten,
        remedy: TEXT.putOrdinaryFile,
        values: { name: file.name, reason: error.message },
      });
    throw error;
  }
  return (await readTextFile(workspaceOf(app))(file.path, signal)) ?? "";
}

export function isUntrusted({ role }: MemoryFile, text: string): boolean {
  return (role === "facts" || role === "history") && isSourced(text);
}

export function isSourced(text: string): boolean {
  return SOURCED.test(text);
}

function workspaceOf(app: Services["app"]): string {
  return app.loaded.workspace;
}
