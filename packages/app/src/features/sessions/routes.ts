/** Conversations: list, make, read, change, trash. */
import type { z } from "zod";
import { eventsOf, findSession, mayRead } from "../../host/sessions/access.ts";
import { configureSession } from "../../host/sessions/configure.ts";
import { createSession } from "../../host/sessions/create.ts";
import { isHidden } from "../../host/sessions/privacy.ts";
import { hashOf, stateOf, summaryOf } from "../../host/sessions/detail.ts";
import { detailReply } from "../../host/sessions/detail-reply.ts";
import { requireBudget, sendMessage } from "../../host/sessions/send.ts";
import { isAside, isTemporary, sourceOf, type Summary } from "@margay/core/internal";
import { purge, toTrash } from "../../host/sessions/trash.ts";
import { remarked, titleOf, type Mark } from "../../host/sessions/marks.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireMatch } from "../../host/api/etag.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Route } from "../../host/api/route.ts";
import {
  CreateBody,
  CreatedSchema,
  DeleteQuery,
  FoldersSchema,
  KeyQuery,
  PatchBody,
  SessionDetailSchema,
  SessionPage,
  SessionsQuery,
} from "../../protocol/sessions.ts";
import { TEXT } from "./api-texts.ts";

const SEND_ERRORS = [
  "queue.full",
  "budget.exhausted",
  "session.read-only",
  "idempotency.conflict",
  "media.not-found",
  "system.estopped",
] as const;

export const SESSION_ROUTES: readonly Route[] = [
  route({
    id: "listSessions",
    method: "GET",
    path: "/sessions",
    scope: "read",
    ofPersons: true,
    summary: "Conversations, the newest first.",
    query: SessionsQuery,
    response: SessionPage,
    compressed: true,
    handle: async (call) => {
      const { services, query } = call;
      const { app } = services;
      const { index, marks } = eventsOf(services);
      const shown = (await index.all()).filter(
        (each) => mayRead(call, each) && fits(each, query, marks.of(each.id), isHidden(call, each)),
      );
      const { items, next } = pageOf(shown, query, (each) =>
        timeKey(query.sort === "created" ? each.createdAt : each.updatedAt, each.id),
      );
      return {
        body: { items: items.map((each) => summaryOf(app, each, marks.of(each.id), isHidden(call, each))), next },
      };
    },
  }),
  route({
    id: "listSessionFolders",
    method: "GET",
    path: "/sessions/folders",
    scope: "read",
    ofPersons: true,
    summary: "The folders that conversations are in, by name.",
    response: FoldersSchema,
    handle: async (call) => {
      const { index, marks } = eventsOf(call.services);
      const counts = new Map<string, number>();
      for (const each of await index.all()) {
        const { folder, trashedAt } = marks.of(each.id);
        if (folder === undefined || trashedAt !== undefined) continue;
        if (mayRead(call, each) && !isHidden(call, each)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
      }
      const names = [...counts].map(([name, sessions]) => ({ name, sessions }));
      return { body: { folders: names.toSorted((a, b) => a.name.localeCompare(b.name)) } };
    },
  }),
  route({
    id: "createSession",
    method: "POST",
    path: "/sessions",
    scope: "chat",
    ofPersons: true,
    summary: "A new conversation, with its first message when one is given.",
    body: CreateBody,
    status: 201,
    response: CreatedSchema,
    errors: ["model.not-found", "persona.not-found", ...SEND_ERRORS],
    handle: async (call) => {
      const { message, ...given } = call.body;
      if (message !== undefined) await requireBudget(call); // before there is a session that stays empty
      const key = call.headers["idempotency-key"] ?? call.services.app.ids.next("key");
      const session = await createSession(call, given, message === undefined ? call.newId : key);
      const sent = message === undefined ? undefined : await sendMessage(call, session, message, key);
      return detailReply(call, session, { ...(sent !== undefined && { sent }) });
    },
  }),
  route({
    id: "readSessionByKey",
    method: "GET",
    path: "/sessions/by-key",
    scope: "read",
    ofPersons: true,
    summary: "The conversation with exactly this key.",
    query: KeyQuery,
    response: SessionDetailSchema,
    errors: ["session.not-found", "session.trashed"],
    handle: async (call) => {
      const found = await eventsOf(call.services).index.byKey(call.query.key);
      return detailReply(call, await findSession(call, found?.id ?? call.query.key, { hidden: true }));
    },
  }),
  route({
    id: "readSession",
    method: "GET",
    path: "/sessions/{id}",
    scope: "read",
    ofPersons: true,
    ownSessions: true,
    summary: "Everything about one conversation but what was said.",
    response: SessionDetailSchema,
    errors: ["session.not-found", "session.trashed"],
    handle: async (call) => detailReply(call, await findSession(call, call.params["id"] ?? "", { hidden: true })),
  }),
  route({
    id: "changeSession",
    method: "PATCH",
    path: "/sessions/{id}",
    scope: "admin",
    ofPersons: true,
    summary: "Title, folder, pin, archive, model, persona, limits.",
    body: PatchBody,
    response: SessionDetailSchema,
    errors: [
      "session.not-found",
      "session.trashed",
      "precondition.required",
      "precondition.failed",
      "model.not-found",
      "persona.not-found",
    ],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "", { write: true });
      const { marks, index } = eventsOf(call.services);
      requireMatch(call.headers, hashOf(session, marks.of(session.id)));
      const { title, folder, pinned, archived, overrides, ...configured } = call.body;
      if (isTemporary(session.key) && (typeof title === "string" || typeof folder === "string"))
        throw new Problem(
          "request.invalid",
          "A temporary conversation has no name and no folder: that would be kept when it is over.",
        );
      await configureSession(call, session, { ...configured, limits: overrides?.limits });
      await marks.change(session.id, (mark) => remarked(mark, { title, folder, pinned, archived }));
      index.touch(session.id);
      return detailReply(call, session);
    },
  }),
  route({
    id: "deleteSession",
    method: "DELETE",
    path: "/sessions/{id}",
    scope: "admin",
    ofPersons: true,
    summary: "Into the trash for 30 days; with ?purge=true, or when it is temporary, gone for good.",
    query: DeleteQuery,
    status: 204,
    errors: ["session.not-found", "auth.fresh-required"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "", { write: true, trashed: true, hidden: true });
      if (call.query.purge === true && !isTemporary(session.key)) {
        requireOwner(call, TEXT.deletingConversationFor);
        await purge(call.services, session);
      } else await toTrash(call.services, session);
      return {};
    },
  }),
  route({
    id: "restoreSession",
    method: "POST",
    path: "/sessions/{id}/restore",
    scope: "admin",
    ofPersons: true,
    summary: "Out of the trash.",
    response: SessionDetailSchema,
    errors: ["session.not-found"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "", { write: true, trashed: true, hidden: true });
      const { marks, index } = eventsOf(call.services);
      await marks.change(session.id, ({ trashedAt: _trashedAt, ...mark }) => mark);
      index.touch(session.id);
      return detailReply(call, session);
    },
  }),
];

function fits(session: Summary, query: z.infer<typeof SessionsQuery>, mark: Mark, hidden: boolean): boolean {
  if ((mark.trashedAt !== undefined) !== (query.trashed ?? false)) return false;
  if (query.archived !== undefined && (mark.archived ?? false) !== query.archived) return false;
  if (query.pinned !== undefined && (mark.pinned ?? false) !== query.pinned) return false;
  if (query.folder !== undefined && (hidden || mark.folder !== query.folder)) return false;
  if (query.top !== undefined && (session.parent === undefined) !== query.top) return false;
  if (query.standing === true && mark.pinned !== true && !session.running && session.asked.size === 0) return false;
  const source = sourceOf(session);
  if (query.source === undefined ? isAside(session) : source !== query.source) return false; // nothing is said there
  if (query.channel !== undefined && session.origin.channel !== query.channel) return false;
  if (query.state !== undefined && stateOf(session) !== query.state) return false;
  if (query.q === undefined) return true;
  if (isTemporary(session.key)) return false; // it is in no search
  const said = hidden ? "" : `${titleOf(mark, session)}\n${mark.folder ?? ""}\n${session.preview}`;
  const text = `${said}\n${session.peer ?? ""}\n${session.key}`.toLowerCase();
  return query.q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
