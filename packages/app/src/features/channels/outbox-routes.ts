/** Replies that wait or were given up on: again now, or never. */
import { createOutboxIndex, type OutboxItem } from "../../host/live/outbox-index.ts";
import { hiddenFrom } from "../../host/sessions/access.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { announce } from "../../host/live/announce.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { OutboxEntrySchema, OutboxQuery, OutboxSchema, type OutboxEntry } from "./schema.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export const OUTBOX_ROUTES: readonly Route[] = [
  route({
    id: "listOutbox",
    method: "GET",
    path: "/outbox",
    scope: "read",
    summary: "Replies that wait for their delivery or failed for good, newest first.",
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
    summary: "Sends a reply now, and before it what waits in its chat; also one that was given up on.",
    response: OutboxEntrySchema,
    errors: ["request.not-found"],
    handle: async (call) => {
      const { agent } = call.services.app;
      const item = await itemOf(call);
      const session = await agent.sessions.find(item.key);
      if (session === undefined) throw noReply(item.reply);
      const { reply } = item;
      if (item.state === "failed") await session.commit(item.queued);
      else if (!(await agent.hurry(item.key, reply))) throw noReply(reply); // it was delivered meanwhile
      announce(call.services, "channels", item.to.channel);
      return {
        body: entryOf(
          (await call.services.once(createOutboxIndex).find(reply)) ?? { ...item, state: "pending" },
          (await hiddenFrom(call))(item.session),
        ),
      };
    },
  }),
  route({
    id: "dropReply",
    method: "POST",
    path: "/outbox/{reply}/drop",
    scope: "admin",
    summary: "Gives a waiting reply up.",
    status: 204,
    errors: ["request.not-found"],
    handle: async (call) => {
      const { agent } = call.services.app;
      const item = await itemOf(call);
      const session = await agent.sessions.find(item.key);
      if (session === undefined || item.state === "failed") throw noReply(item.reply);
      await session.commit({
        type: "reply.failed",
        reply: item.reply,
        kind: "dropped",
        sent: item.attempts === 0 ? "no" : "maybe",
        error: { code: "channel.failed", message: "Dropped by a person.", retryable: false },
        attempt: item.attempts,
      });
      agent.wake(item.key);
      announce(call.services, "channels", item.to.channel);
      return { status: 204 };
    },
  }),
];

async function itemOf({ services, params }: Pick<Call<unknown, unknown>, "services" | "params">): Promise<OutboxItem> {
  const reply = params["reply"] ?? "";
  const item = await services.once(createOutboxIndex).find(reply);
  if (item === undefined) throw noReply(reply);
  return item;
}

function noReply(reply: string): Problem {
  return new Problem(
    "request.not-found",
    told({ detail: TEXT.noReplyWaits, remedy: TEXT.listsThem }, { reply: reply.slice(0, 64) }),
  );
}

/** @param isHidden its text is another person's. */
function entryOf({ key: _key, queued: _queued, ...entry }: OutboxItem, isHidden: boolean): OutboxEntry {
  return isHidden ? { ...entry, text: "" } : entry;
}
