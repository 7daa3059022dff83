/** A conversation from a file: always a new copy, never merged into one that is there. */
import { hasCode, type Commit, type JournalRecord } from "@margay/core";
import { messageOf, parseTranscript } from "@margay/core/internal";
import { emptyState, fold } from "@margay/core/internal/state";
import type { z } from "zod";
import { Problem } from "../../host/api/problem.ts";
import type { Making } from "../../host/api/route.ts";
import type { ImportQuery, ImportedSchema } from "../../protocol/sessions.ts";
import { adopt, createSession } from "../../host/sessions/create.ts";
import type { Caller } from "../../host/sessions/access.ts";

type Imported = Extract<JournalRecord, { type: "history.imported" }>;

/** @throws Problem `import.invalid`: nothing was created. */
export async function importSession(
  caller: Caller & Pick<Making, "newId">,
  bytes: Uint8Array,
  { format, title }: z.infer<typeof ImportQuery>,
): Promise<z.infer<typeof ImportedSchema>> {
  const { app } = caller.services;
  const text = new TextDecoder().decode(bytes);
  const { record, warnings } = format === "margay" ? fromJournal(text) : fromTranscript(text, app.loaded.timeZone);
  const { id, key } = await createSession(caller, {}, caller.newId);
  const session = await app.agent.sessions.find(key);
  if (session === undefined) throw new Problem("session.not-found", `There is no session ${key}.`);
  if (session.state.seq === 1) await session.commit(record); // else by an attempt that nobody heard of
  await adopt(caller.services, id, { title });
  return { sessions: [id], messages: record.messages.length, warnings: [...warnings] };
}

function fromTranscript(
  text: string,
  timeZone: string,
): { readonly record: Imported; readonly warnings: readonly string[] } {
  try {
    const { messages, rows, consolidated, transcript, warnings } = parseTranscript(text, { timeZone });
    return { record: { type: "history.imported", messages, rows, consolidated, transcript }, warnings };
  } catch (error) {
    if (hasCode(error, "session.import")) throw invalid(messageOf(error));
    throw error;
  }
}

/** What is in the context at its end; the events of the other session stay where they happened. */
function fromJournal(text: string): { readonly record: Imported; readonly warnings: readonly string[] } {
  let state = emptyState("import" as ReturnType<typeof emptyState>["id"]); // only to fold
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  lines.forEach((line, index) => {
    try {
      const commit = JSON.parse(line) as Commit; // our own export; what is none fails below
      if (commit.seq !== index + 1 || !Array.isArray(commit.records)) throw new Error("it is no commit");
      state = fold(state, commit);
    } catch (error) {
      throw invalid(`Line ${index + 1} cannot be read: ${messageOf(error)}`);
    }
  });
  if (lines.length === 0) throw invalid("The file is empty.");
  const { messages, rows, consolidated } = state;
  return { record: { type: "history.imported", messages, rows, consolidated }, warnings: [] };
}

function invalid(detail: string): Problem {
  return new Problem("import.invalid", { detail, remedy: "Choose a file that was exported from margay or a seed." });
}
