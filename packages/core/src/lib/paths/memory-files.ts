/** The files that the memory is kept in, and the calls that write there. */
import { endsAt } from "./path-class.ts";

const FILES = ["memory/MEMORY.md", "memory/HISTORY.md"];

/** Calls of tools that would write into the memory: by the tool for it, or into its files. */
export function wouldRemember(tool: string, path: unknown): boolean {
  if (tool === "remember") return true;
  if (tool !== "write_file" && tool !== "edit_file") return false;
  return FILES.some((file) => endsAt(file, String(path ?? "").trim()));
}
