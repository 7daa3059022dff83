/** Taking back what a turn of a conversation did to the files of the workspace. */
import type { NoUndo } from "./service.ts";
import { findSession } from "../../host/sessions/access.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Route } from "../../host/api/route.ts";
import { UndoAnswer, UndoBody, UndoTurnsSchema } from "./schema.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

/** Many files take a while. */
const TIMEOUT_MS = 120_000;

export const UNDO_ROUTES: readonly Route[] = [
  route({
    id: "listUndo",
    method: "GET",
    path: "/sessions/{id}/undo",
    scope: "read",
    summary: "Turns whose changes to the workspace can be taken back, newest first.",
    response: UndoTurnsSchema,
    errors: ["session.not-found", "session.trashed"],
    timeoutMs: TIMEOUT_MS,
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "");
      return { body: { items: await call.services.app.inside.undo.list(session.id) } };
    },
  }),
  route({
    id: "undoTurn",
    method: "POST",
    path: "/sessions/{id}/undo",
    scope: "admin",
    summary: "Takes back what a turn did to the workspace; what somebody else changed since stays unless forced.",
    body: UndoBody,
    response: UndoAnswer,
    errors: ["session.not-found", "session.trashed", "session.busy", "undo.not-found"],
    timeoutMs: TIMEOUT_MS,
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "");
      const { undo } = call.services.app.inside;
      const { dryRun, force, turn } = call.body;
      const selection = { session: session.id, ...(turn !== undefined && { turn }) };
      if (dryRun) {
        const preview = await undo.preview(selection);
        if (typeof preview === "string") throw refused(preview);
        return { body: { preview } };
      }
      const done = await undo.apply({ ...selection, force, by: call.credential?.id ?? "user" });
      if (typeof done === "string") throw refused(done);
      const { preview, id, restored } = done;
      return { body: { preview, done: { id, restored } } };
    },
  }),
];

function refused(why: NoUndo): Problem {
  return why === "busy"
    ? new Problem("session.busy", told({ detail: TEXT.commandTurnRunning, remedy: TEXT.stopOrWait }))
    : new Problem("undo.not-found", told({ detail: TEXT.nothingKeptSuch, remedy: TEXT.listWhatCan }));
}
