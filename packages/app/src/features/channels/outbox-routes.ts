/** Replies that wait or were given up on: again now, or never. */
import { createOutboxIndex } from "../../host/live/outbox-index.ts";
import { hiddenFrom } from "../../host/sessions/access.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { route, type Route } from "../../host/api/route.ts";
import { OutboxEntrySchema, OutboxQuery, OutboxSchema } from "./schema.ts";
import { dropReply, entryOf, sendReply } from "./actions.ts";

export const OUTBOX_ROUTES: readonly Route[] = [
  route({
    id: "listOutbox",
    method: "GET",
    path: "/outbox",
    scope: "read",
    summary:
      "Replies that wait for their delivery, may be there already and wait for a person, or failed for good, newest first.",
    query: OutboxQuery,
    response: OutboxSchema,
    handle: async (call) => {
      const { services, query } = call;
      const isHidden = await hiddenFrom(call);
      const { state } = query;
      const all = await services.once(createOutboxIndex).list();
      const wanted = state === undefined ? all : all.filter((item) => item.state === state);
      const { items, next } = pageOf(wanted, query, ({ at, session, reply }) => timeKey(at, session, reply));
      return { body: { items: items.map((item) => entryOf(item, isHidden(item.session))), next } };
    },
  }),
  route({
    id: "retryReply",
    method: "POST",
    path: "/outbox/{reply}/retry",
    scope: "admin",
    summary:
      "Sends a reply now, and before it what waits in its chat; also one that was given up on, and one that may be there already.",
    response: OutboxEntrySchema,
    errors: ["request.not-found"],
    handle: async (call) => {
      const item = await sendReply(call.services, call.params["reply"] ?? "");
      return { body: entryOf(item, (await hiddenFrom(call))(item.session)) };
    },
  }),
  route({
    id: "dropReply",
    method: "POST",
    path: "/outbox/{reply}/drop",
    scope: "admin",
    summary: "Gives a waiting reply up: it never leaves again by itself.",
    status: 204,
    errors: ["request.not-found"],
    handle: async ({ services, params }) => {
      await dropReply(services, params["reply"] ?? "");
      return { status: 204 };
    },
  }),
];
