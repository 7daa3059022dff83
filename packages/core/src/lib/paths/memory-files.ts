/** What would be kept in the memory, of a conversation of which nothing is to be kept. */
import { isTemporary } from "../session-key.ts";
import { endsAt } from "./path-class.ts";

const FILES = ["memory/MEMORY.md", "memory/HISTORY.md"];

/** Calls of tools that would write into the memory: by the tool for it, or into its files. @param key Of the conversation. */
export function wouldRemember(key: string, tool: string, path: unknown): boolean {
  if (!isTemporary(key)) return false;
  if (tool === "remember") return true;
  if (tool !== "write_file" && tool !== "edit_file") return false;
  return FILES.some((file) => endsAt(file, String(path ?? "").trim()));
}
