/** Homes of other systems where their programs make them, for a first start to offer. Looks at names alone. */
import { join } from "node:path";
import { kindAt } from "../detect.ts";
import type { SourceKind } from "../source.ts";

export interface FoundHome {
  readonly kind: SourceKind;
  /** Absolute. */
  readonly path: string;
}

/** Of the newest name of a program first; CountBot lies where it was unpacked. */
const USUAL = [
  ".nanobot",
  ".openclaw",
  ".clawdbot",
  ".moltbot",
  ".countbot",
  "CountBot",
  "Countbot",
  "countbot",
] as const;

/** @returns one of each kind, in that order. Never throws: what cannot be looked into is not there. */
export function findHomes(userHome: string): readonly FoundHome[] {
  const found = new Map<SourceKind, FoundHome>();
  for (const name of USUAL) {
    const path = join(userHome, name);
    const kind = safely(() => kindAt(path));
    if (kind !== undefined && !found.has(kind)) found.set(kind, { kind, path });
  }
  return [...found.values()];
}

function safely<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
