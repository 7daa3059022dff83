// What is known of who wrote a file, on whatever shows a part of it: its text, a line that was found, its name.
import type { Entry, FoundFile } from "../../machine/files/safe-files.ts";
import type { ToolResult } from "../../contract/tool.ts";

export type Mark = (result: ToolResult) => ToolResult;

/** Of a file that is open: of what was read then. */
export type MarkedFile = (file: FoundFile, signal: AbortSignal) => Promise<Mark>;

export interface Marks {
  readonly ofFile: MarkedFile;
  /** @param hashes of what was searched, where it is asked for. */
  ofLines(files: readonly string[], hashes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Mark>;
  /** @param directory as it is shown. */
  ofNames(directory: string, entries: readonly Entry[], signal: AbortSignal): Promise<Mark>;
}
