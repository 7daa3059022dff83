/** Subagents in the frames of the seeds: a task is the child session's turn. */
import type { Commit, JournalRecord, JsonObject } from "@margay/core";
import { bySomeKind, firstOf, type SessionId, type SomeKinds } from "@margay/core/internal";
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
      const told = bySomeKind(FRAMES, record, frame);
      if (told !== undefined) send(told);
    }
    if (firstOf(commit.records, "turn.ended") !== undefined) announced.delete(id);
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

const FRAMES: SomeKinds<JournalRecord, [about: JsonObject], JsonObject> = {
  "model.responded": ({ message: { parts } }, about) => ({
    type: "task_progress",
    ...about,
    message: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
  }),
  "turn.ended": ({ reason, text, error }, about) =>
    reason === "done" || reason === "limit"
      ? { type: "task_complete", ...about, result: text }
      : { type: "task_failed", ...about, error: error?.message ?? reason },
};

const TOLD: ReadonlySet<string> = new Set(["turn.started", ...Object.keys(FRAMES)]);
