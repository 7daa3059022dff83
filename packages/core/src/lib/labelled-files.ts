/** How many files and directories became a stranger's by a call: in the details of its result, said once at the end of its turn. */
import type { Json, JsonObject } from "../contract/base.ts";

export function labelledFiles(count: number): JsonObject | undefined {
  return count === 0 ? undefined : { labelledFiles: count };
}

export function labelledFilesOf(details: Json | undefined): number {
  const count =
    typeof details === "object" && details !== null && "labelledFiles" in details ? details["labelledFiles"] : 0;
  return typeof count === "number" ? count : 0;
}
