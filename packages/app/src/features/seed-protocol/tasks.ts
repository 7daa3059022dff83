/** Subagents in the frames of the seeds: a task is the child session's turn. */
import type { Commit, JsonObject } from "@margay/core";
import type { SessionId } from "@margay/core/internal";
import type { Events } from "../../host/live/events.ts";

/** @returns the function that ends it. */
export function followTasks(
  { hub, index }: Events,
  isFollowed: (parent: SessionId) => boolean,
  send: (frame: JsonObject) => void,
): () => void {
  const announced = new Set<SessionId>();
  const tell = (id: SessionId, parent: SessionId, commit: Commit): void => {
    const frame = { task_id: id, session_id: parent, sessionId: parent };
    if (!announced.has(id)) {
      announced.add(id);
      send({ type: "task_created", ...frame });
    }
    for (const record of commit.records) {
      if (record.type === "model.responded")
        send({
          type: "task_progress",
          ...frame,
          message: record.message.parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
        });
      if (record.type !== "turn.ended") continue;
      announced.delete(id);
      if (record.reason === "done" || record.reason === "limit")
        send({ type: "task_complete", ...frame, result: record.text });
      else send({ type: "task_failed", ...frame, error: record.error?.message ?? record.reason });
    }
  };
  return hub.followAll((id, commit) => {
    // Who the parent is stands at the beginning of the child's journal.
    const work = async (): Promise<void> => {
      const child = await index.get(id).catch(() => undefined); // cannot be read now: the index has logged it
      const parent = child?.parent?.session;
      if (parent !== undefined && isFollowed(parent)) tell(id, parent, commit);
    };
    if (commit.records.some(({ type }) => TOLD.has(type))) void work();
  });
}

const TOLD: ReadonlySet<string> = new Set(["turn.started", "model.responded", "turn.ended"]);
