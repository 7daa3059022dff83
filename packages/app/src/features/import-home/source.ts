/** What was found in the home of another system, in our words. Reading it changes nothing there. */
import type { Json } from "@margay/core";
import type { ImportedTranscript, JobRequest } from "@margay/core/internal";
import type { Values } from "../../texts/text.ts";
import type { TextKey } from "../../texts/translate.ts";

export type SourceKind = "nanobot" | "countbot" | "openclaw";
export type Area = "config" | "workspace" | "memory" | "session" | "job" | "skill" | "other";

export interface Reason {
  readonly key: TextKey;
  readonly values?: Values;
}

/** Everything by where it stood, relative to the source, so that a person finds it there. */
export interface Source {
  readonly kind: SourceKind;
  readonly root: string;
  readonly settings: SourceSetting[];
  readonly files: SourceFile[];
  readonly memories: SourceMemory[];
  readonly sessions: SourceSession[];
  readonly jobs: SourceJob[];
  readonly skills: SourceSkill[];
  readonly skipped: Skipped[];
  /** Files and folders, absolute, that were read as a whole or named: the rest is named at the end. */
  readonly seen: Set<string>;
}

export interface SourceSetting {
  readonly from: string;
  /** Our key. */
  readonly path: string;
  readonly value: Json;
}
export interface SourceFile {
  readonly from: string;
  /** Absolute. */
  readonly file: string;
  /** In the workspace, with `/`. */
  readonly to: string;
}
export interface SourceMemory {
  readonly from: string;
  readonly to: "MEMORY.md" | "HISTORY.md";
  readonly text: string;
}
export interface SourceSession {
  readonly from: string;
  readonly key: string;
  /** That a person gave it, or their program. */
  readonly title?: string;
  readonly imported: ImportedTranscript;
  /** The bytes its messages name, read when they are needed. */
  readonly pictures: readonly (() => Uint8Array)[];
}
export interface SourceJob {
  readonly from: string;
  /** With an id that is the same each time it is read. */
  readonly request: JobRequest & { readonly id: string };
}
export interface SourceSkill {
  readonly from: string;
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
}
export interface Skipped {
  readonly area: Area;
  readonly from: string;
  readonly reason: Reason;
}

export function emptySource(kind: SourceKind, root: string): Source {
  return {
    kind,
    root,
    settings: [],
    files: [],
    memories: [],
    sessions: [],
    jobs: [],
    skills: [],
    skipped: [],
    seen: new Set(),
  };
}

/** What reading needs to know of this machine. */
export interface ReadOptions {
  readonly userHome: string;
  /** IANA zone in which times without one are read. */
  readonly timeZone: string;
  /** A provider that needs no address. */
  readonly isProvider: (id: string) => boolean;
  /** Whose key a variable of the environment holds. */
  readonly providerOf: (variable: string) => string | undefined;
  /** Whether it is only the address that everybody has. */
  readonly isUsualAddress: (provider: string, url: string) => boolean;
  /** A chat platform that margay can speak to. */
  readonly isChannel: (id: string) => boolean;
}

/** Of those there, the channels whose settings mean the same here. */
export function isChannel(id: string): boolean {
  return id === "webhook";
}
