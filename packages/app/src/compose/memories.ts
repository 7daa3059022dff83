/** What the agent remembers: files of the workspace, and the search over them and all conversations. */
import { join } from "node:path";
import { type Logger, type Memory, openMemory, type SessionStore } from "@margay/core";
import { openRecall } from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";

type MemoryOptions = Parameters<typeof openMemory>[0];
type RecallOptions = Parameters<typeof openRecall>[0];

export interface MemoriesOptions
  extends Pick<MemoryOptions, "beforeWrite" | "redact">, Pick<RecallOptions, "commits" | "reads"> {
  readonly loaded: Loaded;
  /** Where earlier versions and the index lie. */
  readonly state: string;
  readonly sessions: Pick<SessionStore, "list">;
  readonly log: Pick<Logger, "warn">;
}

/** @param stack Ends the search. */
export function openMemories(
  { loaded, state, sessions, commits, reads, log, ...given }: MemoriesOptions,
  stack: AsyncDisposableStack,
): { readonly memory: Memory; readonly recall: ReturnType<typeof openRecall> } {
  const { workspace, timeZone } = loaded;
  return {
    memory: openMemory({ ...given, workspace, versions: join(state, "memory"), timeZone }),
    recall: stack.use(
      openRecall({
        workspace,
        directory: join(state, "index"),
        sessions: async () => (await sessions.list()).filter(({ fault }) => fault === undefined),
        commits,
        ...(reads !== undefined && { reads }),
        damaged: (message) => log.warn("recall.rebuilt", { message }),
      }),
    ),
  };
}
