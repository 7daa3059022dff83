/** What is done to a conversation as a whole: fork, answer again, clear, summarize, stop, file out and in. */
import type { Seq } from "@margay/core/internal";
import { eventsOf, findSession, personOf, requireWritable, senderOf, type Caller } from "../../host/sessions/access.ts";
import { stopSession } from "../../host/sessions/control.ts";
import { adopt } from "../../host/sessions/create.ts";
import { detailReply } from "../../host/sessions/detail-reply.ts";
import { exportSession } from "./export.ts";
import { forked } from "../../host/sessions/forked.ts";
import { importSession } from "./import.ts";
import { openPrivate } from "./open-private.ts";
import { regenerate } from "../../host/sessions/regenerate.ts";
import { titleOf } from "../../host/sessions/marks.ts";
import { withSummary } from "./with-summary.ts";
import { Problem } from "../../host/api/problem.ts";
import { ASKS_A_MODEL, route, type Reply, type Route } from "../../host/api/route.ts";
import {
  CommandAnswer,
  ExportQuery,
  ForkBody,
  ImportedSchema,
  ImportQuery,
  RegenerateBody,
  RegeneratedSchema,
  SessionDetailSchema,
  StopBody,
  StoppedSchema,
} from "../../protocol/sessions.ts";

/** Of which nothing is told yet. */
const OF_ANYBODY = { trashed: true, hidden: true } as const;
const SEND_ERRORS = ["queue.full", "session.read-only", "idempotency.conflict", "media.not-found"] as const;

export const SESSION_ACTION_ROUTES: readonly Route[] = [
  route({
    id: "forkSession",
    method: "POST",
    path: "/sessions/{id}/fork",
    scope: "admin",
    summary: "A copy of the conversation up to a commit; what is unfinished stays with the original.",
    body: ForkBody,
    status: 201,
    response: SessionDetailSchema,
    errors: ["session.not-found", "session.trashed"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "", { write: true });
      const { at, title } = call.body;
      if (at !== undefined && at > session.lastSeq)
        throw new Problem("request.invalid", {
          detail: `The session ends at ${session.lastSeq}, before ${at}.`,
          errors: [{ path: "/at", code: "too_big", message: `at most ${session.lastSeq}` }],
        });
      const fork = await forked(call, session.key, at as Seq | undefined); // checked above
      const { marks } = eventsOf(call.services);
      const mark = marks.of(session.id);
      const given = { title: title ?? `${titleOf(mark, session)} ⑂`, folder: mark.folder };
      return detailReply(call, await adopt(call.services, fork.state.id, given));
    },
  }),
  route({
    id: "summarizeIntoNew",
    method: "POST",
    path: "/sessions/{id}/summary",
    scope: "admin",
    summary: "A new conversation that begins with a summary of this one, linked to it.",
    status: 201,
    response: SessionDetailSchema,
    errors: ["session.not-found", "session.trashed", "session.busy", "system.estopped", ...ASKS_A_MODEL],
    timeoutMs: 60_000,
    handle: async (call) =>
      detailReply(call, await withSummary(call, await findSession(call, call.params["id"] ?? "", { write: true }))),
  }),
  route({
    id: "regenerate",
    method: "POST",
    path: "/sessions/{id}/regenerate",
    scope: "admin",
    summary: "A fork from before a turn, with its message sent again.",
    body: RegenerateBody,
    status: 201,
    response: RegeneratedSchema,
    errors: [
      "session.not-found",
      "session.trashed",
      "message.not-found",
      "turn.has-writes",
      "model.not-found",
      ...SEND_ERRORS,
    ],
    handle: async (call) => ({
      body: await regenerate(call, await findSession(call, call.params["id"] ?? "", { write: true }), call.body),
    }),
  }),
  route({
    id: "resetSession",
    method: "POST",
    path: "/sessions/{id}/reset",
    scope: "admin",
    ofPersons: true,
    summary: "As /new: stops what runs, clears the context, keeps the transcript.",
    response: CommandAnswer,
    errors: ["session.not-found", "session.trashed", "session.read-only"],
    handle: (call) => byCommand(call, call.params["id"] ?? "", "/new"),
  }),
  route({
    id: "compactSession",
    method: "POST",
    path: "/sessions/{id}/compact",
    scope: "admin",
    ofPersons: true,
    summary: "Puts what was said into memory now.",
    status: 202,
    response: CommandAnswer,
    errors: ["session.not-found", "session.trashed", "session.read-only", "session.busy"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "", { write: true });
      if (session.running)
        throw new Problem("session.busy", {
          detail: "A turn is running in this session.",
          remedy: "Wait for its end, or stop it.",
        });
      return byCommand(call, session.id, "/compact");
    },
  }),
  route({
    id: "stopSession",
    method: "POST",
    path: "/sessions/{id}/stop",
    scope: "chat",
    ofPersons: true,
    summary: "Stops the turn and its subagents at once; waiting messages stay unless asked otherwise.",
    body: StopBody,
    response: StoppedSchema,
    errors: ["session.not-found", "session.trashed"],
    handle: async (call) => ({
      body: await stopSession(
        call,
        await findSession(call, call.params["id"] ?? "", { write: true, trashed: true, hidden: true }),
        call.body,
      ),
    }),
  }),
  route({
    id: "openSession",
    method: "POST",
    path: "/sessions/{id}/open",
    scope: "admin",
    summary: "Another person's conversation is shown here for an hour. They are told, and the audit log has it.",
    response: SessionDetailSchema,
    errors: ["session.not-found", "auth.fresh-required"],
    handle: async (call) => openPrivate(call, await findSession(call, call.params["id"] ?? "", OF_ANYBODY)),
  }),
  route({
    id: "exportSession",
    method: "GET",
    path: "/sessions/{id}/export",
    scope: "read",
    ofPersons: true,
    summary: "The conversation as a file: journal, transcript, Markdown or items.",
    query: ExportQuery,
    errors: ["session.not-found"],
    handle: async (call) =>
      exportSession(call, await findSession(call, call.params["id"] ?? "", { trashed: true }), call.query),
  }),
  route({
    id: "importSession",
    method: "POST",
    path: "/sessions/import",
    scope: "owner",
    summary: "A conversation from a transcript or a journal export, as a new copy.",
    query: ImportQuery,
    rawBody: "import",
    status: 201,
    response: ImportedSchema,
    errors: ["import.invalid"],
    handle: async (call) => {
      const bytes: unknown = call.body; // a raw body has no schema
      if (!(bytes instanceof Uint8Array)) throw new Problem("import.invalid", "There is no file.");
      return { body: await importSession(call, bytes, call.query) };
    },
  }),
];

/** By the same handler as in every chat. @returns what it answers. */
async function byCommand(caller: Caller, id: string, text: string): Promise<Reply> {
  const session = await findSession(caller, id, { write: true });
  requireWritable(session);
  const { agent, ids } = caller.services.app;
  const { reader } = eventsOf(caller.services);
  const key = ids.next("key");
  await agent.bus.accept({
    key,
    origin: { channel: "web", chat: session.id },
    from: senderOf(caller),
    ...(personOf(caller) !== undefined && { chat: "private" as const }),
    parts: [{ type: "text", text }],
    sessionKey: session.key,
  });
  const { items } = await reader.view(session.id);
  const at = items.findLastIndex((item) => item.kind === "user" && item.key === key);
  const answer = items.slice(at + 1).find((item) => item.kind === "notice" && item.notice === "command");
  return { body: { text: answer?.kind === "notice" ? answer.text : "" } };
}
