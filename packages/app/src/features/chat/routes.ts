/** What was said in a conversation, and saying something in it. */
import { createView } from "@margay/core/state";
import { cursorOf, cursorText, notOurs } from "../../host/api/paging.ts";
import { eventsOf, findSession } from "../../host/sessions/access.ts";
import { contextOf, prefixOf } from "../../host/sessions/context.ts";
import { withdrawMessage } from "../../host/sessions/control.ts";
import { costed } from "../../host/sessions/detail.ts";
import { sendMessage } from "../../host/sessions/send.ts";
import { streamSession } from "../../host/live/sse.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Route } from "../../host/api/route.ts";
import { PageQuery } from "../../protocol/common.ts";
import { ItemSchema } from "../../protocol/items.ts";
import { MessageKey, SendBody, SentSchema } from "../../protocol/messages.ts";
import {
  ContextSchema,
  EventsQuery,
  ItemPage,
  MessagesQuery,
  PrefixSchema,
  TurnPage,
} from "../../protocol/sessions.ts";

/** Before the first item. */
const START = "0.0";
const NOT_FOUND = ["session.not-found", "session.trashed"] as const;

export const MESSAGE_ROUTES: readonly Route[] = [
  route({
    id: "listMessages",
    method: "GET",
    path: "/sessions/{id}/messages",
    scope: "read",
    ofPersons: true,
    ownSessions: true,
    summary: "Items of a conversation, oldest first; without a place the last ones.",
    query: MessagesQuery,
    response: ItemPage,
    errors: [...NOT_FOUND, "message.not-found"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "");
      const view = await eventsOf(call.services).reader.view(session.id);
      const { before, after, around, limit } = call.query;
      if ([before, after, around].filter((place) => place !== undefined).length > 1)
        throw new Problem("request.invalid", "Only one of before, after and around is taken.");
      const place = (id: string): number => {
        const at = view.indexOf(id);
        if (at !== undefined) return at;
        throw new Problem("message.not-found", `There is no item ${id} in this session.`);
      };
      const count = view.items.length;
      const from =
        before !== undefined
          ? Math.max(0, place(before) - limit)
          : after !== undefined
            ? after === START
              ? 0
              : place(after) + 1
            : around !== undefined
              ? Math.max(0, place(around) - Math.floor(limit / 2))
              : Math.max(0, count - limit);
      const to = before === undefined ? Math.min(count, from + limit) : place(before);
      const items = view.items.slice(from, to);
      return {
        body: {
          items,
          next: to < count ? (items.at(-1)?.id ?? null) : null,
          prev: from > 0 ? (items[0]?.id ?? null) : null,
        },
      };
    },
  }),
  route({
    id: "readMessage",
    method: "GET",
    path: "/sessions/{id}/messages/{item}",
    scope: "read",
    ofPersons: true,
    ownSessions: true,
    summary: "One item, nothing cut.",
    response: ItemSchema,
    errors: [...NOT_FOUND, "message.not-found"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "");
      const whole = createView(session.id);
      for await (const commit of eventsOf(call.services).reader.whole(session.id)) whole.apply(commit);
      const item = whole.items[whole.indexOf(call.params["item"] ?? "") ?? -1];
      if (item === undefined) throw new Problem("message.not-found", "There is no such item in this session.");
      return { body: item };
    },
  }),
  route({
    id: "sendMessage",
    method: "POST",
    path: "/sessions/{id}/messages",
    scope: "chat",
    ofPersons: true,
    summary: "Says something; with Accept: text/event-stream the answer streams until its turn has ended.",
    body: SendBody,
    status: 202,
    response: SentSchema,
    timeoutMs: null,
    errors: [
      ...NOT_FOUND,
      "queue.full",
      "budget.exhausted",
      "session.read-only",
      "idempotency.conflict",
      "media.not-found",
      "attachment.unsupported",
      "system.estopped",
    ],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "", { write: true });
      const key = keyOf(call.headers["idempotency-key"]) ?? call.services.app.ids.next("key");
      const sent = await sendMessage(call, session, call.body, key);
      if (!(call.headers["accept"] ?? "").includes("text/event-stream"))
        return { body: sent, ...(sent.status === "duplicate" && { headers: { "idempotent-replay": "true" } }) };
      return {
        status: 200,
        ...streamSession(call, {
          session,
          after: sent.seq - 1,
          until: sent.messageId,
          first: { event: "accepted", data: { type: "accepted", ...sent } },
          signal: call.signal,
        }),
      };
    },
  }),
  route({
    id: "withdrawMessage",
    method: "DELETE",
    path: "/sessions/{id}/messages/{item}",
    scope: "admin",
    ofPersons: true,
    summary: "Takes a waiting message back; `item` is the id of the message.",
    status: 204,
    errors: [...NOT_FOUND, "message.not-found", "message.placed"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "", { write: true });
      await withdrawMessage(call, session, call.params["item"] ?? "");
      return {};
    },
  }),
  route({
    id: "followSession",
    method: "GET",
    path: "/sessions/{id}/events",
    scope: "read",
    ofPersons: true,
    ownSessions: true,
    summary: "The frames of `/ws` of one session as server-sent events; `id` is the commit to go on after.",
    query: EventsQuery,
    timeoutMs: null,
    errors: [...NOT_FOUND],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "");
      const last = call.headers["last-event-id"];
      const after = last !== undefined && /^\d{1,15}$/.test(last) ? Number(last) : call.query.after;
      return streamSession(call, { session, after, signal: call.signal });
    },
  }),
  route({
    id: "listTurns",
    method: "GET",
    path: "/sessions/{id}/turns",
    scope: "read",
    ofPersons: true,
    summary: "Turns that have ended, the newest first.",
    query: PageQuery,
    response: TurnPage,
    errors: [...NOT_FOUND],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "");
      const { items } = await eventsOf(call.services).reader.view(session.id);
      const { cursor, limit } = call.query;
      const before = cursor === undefined ? undefined : cursorText(cursor, /^\d+\.\d+$/);
      const ended = items.flatMap((item) => (item.kind === "turn-end" ? [item] : [])).toReversed();
      const at = before === undefined ? -1 : ended.findIndex(({ id }) => id === before);
      if (before !== undefined && at < 0) throw notOurs();
      const start = at + 1;
      const shown = ended.slice(start, start + limit);
      const last = shown.at(-1);
      return {
        body: {
          items: shown.map((end) => ({
            id: end.turn ?? "",
            source:
              items.flatMap((item) =>
                item.kind === "user" && item.turn === end.turn ? [item.origin.channel] : [],
              )[0] ?? session.origin.channel,
            reason: end.reason,
            steps: end.steps,
            calls: end.calls,
            ...costed(end.usage),
            ms: end.ms,
            startedAt: Math.max(0, end.at - end.ms),
          })),
          next: last === undefined || start + limit >= ended.length ? null : cursorOf(last.id),
        },
      };
    },
  }),
  route({
    id: "readContext",
    method: "GET",
    path: "/sessions/{id}/context",
    scope: "read",
    summary: "How full the context is, and of what.",
    response: ContextSchema,
    errors: [...NOT_FOUND],
    handle: async (call) => ({
      body: await contextOf(call, await findSession(call, call.params["id"] ?? "")),
    }),
  }),
  route({
    id: "readPrefix",
    method: "GET",
    path: "/sessions/{id}/prefix/{hash}",
    scope: "read",
    summary: "What precedes the first message of an epoch: instructions and tools.",
    response: PrefixSchema,
    errors: [...NOT_FOUND, "message.not-found"],
    handle: async (call) => ({
      body: await prefixOf(call, await findSession(call, call.params["id"] ?? ""), call.params["hash"] ?? ""),
    }),
  }),
];

/** @throws Problem `request.invalid`. */
function keyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const parsed = MessageKey.safeParse(header);
  if (parsed.success) return parsed.data;
  throw new Problem("request.invalid", {
    detail: "Idempotency-Key is 1 to 128 printable characters.",
    errors: [{ path: "header/idempotency-key", code: "invalid", message: "1 to 128 printable characters" }],
  });
}
