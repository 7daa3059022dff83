// What is known of who wrote a file, on whatever shows a part of it: its text, a line that was found, its name.
import type { Entry, FoundFile } from "../../machine/files/safe-files.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { type FileLabels, MAX_COMPARED_BYTES } from "../../labels/file-labels.ts";
import { asUntrusted, type UntrustedTest } from "../../tools/untrusted.ts";
import type { SharedView } from "./shared-folder.ts";

type Mark = (result: ToolResult) => ToolResult;

/** Of a file that is open: of what was read then. */
export type MarkedFile = (file: FoundFile, signal: AbortSignal) => Promise<Mark>;

export interface Marks {
  readonly ofFile: MarkedFile;
  /** @param hashes of what was searched, where it is asked for. */
  ofLines(files: readonly string[], hashes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Mark>;
  /** @param directory as it is shown. */
  ofNames(directory: string, entries: readonly Entry[], signal: AbortSignal): Promise<Mark>;
}

export interface MarksOptions {
  /** Whether what stands at a path is a stranger's. */
  readonly isUntrusted: UntrustedTest;
  /** Whether a stranger chose the name of an entry. */
  readonly isReceived: UntrustedTest;
  /** Whether the names in a directory together are a stranger's text. */
  readonly hasLoudNames: (directory: string) => Promise<boolean>;
  readonly labels: FileLabels | undefined;
  readonly shared: SharedView | undefined;
}

export function marksOf(options: MarksOptions): Marks {
  const { isUntrusted, labels, shared } = options;
  const asOthers: Mark = shared?.asOthers ?? asUntrusted;
  return {
    ofFile: async (file, signal) => {
      if (shared?.holds(file.real) === true && !(await shared.isOwn(file))) return asOthers;
      return (await isUntrusted(file.real, signal)) || (await isCopy(file, labels)) ? asUntrusted : asIs;
    },
    ofLines: async (files, hashes, signal) => {
      const isOthers = (file: string): boolean =>
        shared?.holds(file) === true && !shared.isOwnContent(file, hashes.get(file));
      if (files.some(isOthers)) return asOthers;
      for (const file of files)
        if ((await options.hasLoudNames(parentOf(file))) || (await isUntrusted(file, signal))) return asUntrusted;
      return asIs;
    },
    ofNames: async (directory, entries, signal) => {
      const prefix = directory === "" || directory === "." ? "" : directory.replace(/\/?$/, "/");
      const names = entries.map(({ name }) => `${prefix}${name}`);
      if (shared?.holds(directory) === true && !names.every(shared.isOwnName)) return asOthers;
      if (await options.hasLoudNames(prefix.slice(0, -1))) return asUntrusted;
      for (const name of names) if (await options.isReceived(name, signal)) return asUntrusted;
      return asIs;
    },
  };
}

const asIs: Mark = (result) => result;

function parentOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf("/")));
}

/** The same content as a file that a stranger wrote. */
async function isCopy(file: FoundFile, labels: FileLabels | undefined): Promise<boolean> {
  if (labels === undefined || labels.empty || file.stats.size > MAX_COMPARED_BYTES) return false;
  const data = Buffer.allocUnsafe(Number(file.stats.size));
  return labels.byContent(data.subarray(0, await file.read(data, 0)));
}
