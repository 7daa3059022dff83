// The folder that several persons read and write: whose word a file in it is, for who asks.
import type { PersonId, Readers } from "../../contract/people.ts";
import type { BeforeWrite, ToolContext, ToolResult, Write } from "../../contract/tool.ts";
import type { FileWriters } from "../../labels/file-writers.ts";
import { isUntrusted } from "../../lib/labels.ts";
import type { FolderMount } from "../../machine/files/mounted-folder.ts";
import type { FoundFile } from "../../machine/files/safe-files.ts";
import { sha256 } from "../../machine/system/hash.ts";
import { asUntrusted } from "../../tools/untrusted.ts";

export interface SharedFolder extends Omit<FolderMount, "protect"> {
  readonly writers: FileWriters;
  /** Who asks: what they wrote themselves is their own word. */
  readonly by: PersonId;
  /** Who may read what the others wrote. */
  readonly readers: readonly Readers[];
  /** Called before a file of it is written, with paths as they are in it. */
  readonly beforeWrite?: BeforeWrite;
}

/** All of it by paths as they are shown. */
export interface SharedView {
  readonly prefix: string;
  /** Whether a file, or a directory, is in it: while it is there nothing else is shown so. */
  holds(real: string): boolean;
  isOwn(file: FoundFile): Promise<boolean>;
  /** By the hash of a content that was seen there. */
  isOwnContent(real: string, hash: string | undefined): boolean;
  isOwnName(real: string): boolean;
  beforeWrite(write: Write, context: ToolContext): Promise<void>;
  /** A result that shows what somebody else wrote there. */
  asOthers(result: ToolResult): ToolResult;
}

export function viewOf({ as, isThere, writers, by, readers, beforeWrite }: SharedFolder): SharedView {
  const prefix = `${as}/`;
  const inside = (real: string): string => real.slice(prefix.length);
  const isOwnContent: SharedView["isOwnContent"] = (real, hash) =>
    hash !== undefined && writers.isBy(inside(real), hash, by);
  return {
    prefix,
    holds: (real) => isThere() && (real === as || real.startsWith(prefix)),
    isOwn: async (file) => isOwnContent(file.real, sha256(await file.bytes())),
    isOwnContent,
    isOwnName: (real) => writers.isNamedBy(inside(real), by),
    beforeWrite: async (write, context) => {
      const real = inside(write.real);
      // A change leaves the rest as it was: all of it is theirs when that was, too.
      const isOwn = write.part === "whole" || isOwnContent(write.real, write.before && sha256(write.before));
      const whose = isOwn && !isUntrusted(context.label) ? by : undefined;
      await beforeWrite?.({ ...write, real, made: write.made.map(inside) }, context);
      writers.writing(real, sha256(write.data), whose);
    },
    asOthers: (result) => ({ ...asUntrusted(result), readers }),
  };
}
