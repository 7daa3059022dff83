/** What the agent remembers: files of the workspace, and the search over them and all conversations. */
import { join } from "node:path";
import { type Logger, type Memory, openMemory, type SessionStore } from "@margay/core";
import { openRecall } from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";

type MemoryOptions = Parameters<typeof openMemory>[0];
type RecallOptions = Parameters<typeof openRecall>[0];

export interface MemoriesOptions extends Pick<MemoryOptions, "beforeWrite" | "redact">, Pick<RecallOptions, "commits"> {
  readonly loaded: Loaded;
  readonly sessions: Pick<SessionStore, "list">;
  readonly log: Pick<Logger, "warn">;
}

/** @param stack Ends the search. */
export function openMemories(
  { loaded, sessions, commits, log, ...given }: MemoriesOptions,
  stack: AsyncDisposableStack,
): { readonly memory: Memory; readonly recall: ReturnType<typeof openRecall> } {
  const { places, workspace, timeZone } = loaded;
  return {
    memory: openMemory({ ...given, workspace, versions: join(places.home, "memory"), timeZone }),
    recall: stack.use(
      openRecall({
        workspace,
        directory: join(places.home, "index"),
        sessions: async () => (await sessions.list()).filter(({ fault }) => fault === undefined),
        commits,
        damaged: (message) => log.warn("recall.rebuilt", { message }),
      }),
    ),
  };
}
