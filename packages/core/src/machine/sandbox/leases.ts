// What is known when a confined program starts, to tell afterwards what it left behind.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject, Millis } from "../../contract/base.ts";
import { readIfExists } from "../files/files.ts";
import { identityOf } from "./mounts.ts";
import type { Guarded, Protection } from "./protection.ts";
import type { Survey } from "./survey.ts";

export interface Lease {
  readonly id: string;
  readonly workspace: string;
  /** What was changed before is not the program's. */
  readonly since: Millis;
  /** `dev:ino` of what runs by itself and was there: it could not be changed. */
  readonly known: readonly string[];
  /** Names no mount can hold. */
  readonly guarded: readonly Guarded[];
  /** The configurations of repositories that the program may write to, as they were. */
  readonly configs: Readonly<Record<string, string>>;
}

/** A file system knows the time of the last tick of the kernel, 100 to 1,000 a second: what is new may look a little older. */
export const TICK_MS = 10;
/** No configuration of git is so large that a person wrote. */
export const MAX_CONFIG_BYTES: number = 64 * 1024;

export function createLease(workspace: string, survey: Survey, protection: Protection, now: Millis): Lease {
  const hooks = protection.open.map((repository) => join(repository, "hooks"));
  return {
    id: randomUUID(),
    workspace,
    since: now - TICK_MS,
    known: [...survey.named, ...hooks].flatMap((path) => identityOf(path) ?? []),
    guarded: protection.guarded,
    configs: Object.fromEntries(
      protection.open
        .flatMap((repository) => [join(repository, "config"), join(repository, "config.worktree")])
        .flatMap((path) => {
          const text = textOf(path);
          return text === undefined ? [] : [[path, text]];
        }),
    ),
  };
}

export function leaseToJson(lease: Lease): JsonObject {
  return JSON.parse(JSON.stringify(lease)) as JsonObject; // it is made of JSON
}

/** @returns undefined for what is no lease: a program without a sandbox, or one of an earlier version. */
export function leaseFromJson(value: Json | undefined): Lease | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !("since" in value)) return undefined;
  return value as unknown as Lease; // written by leaseToJson, in a directory no tool can reach
}

function textOf(path: string): string | undefined {
  try {
    const stats = fs.lstatSync(path);
    return stats.isFile() && stats.size <= MAX_CONFIG_BYTES ? readIfExists(path)?.toString("utf8") : undefined;
  } catch {
    return undefined; // it is not there
  }
}
