/** What nobody was sent: which conversation to look into, and that somebody has. */
import type { z } from "zod";
import { route, type Route } from "../../host/api/route.ts";
import { NotificationsSchema, SeenBody } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import { unseenIn } from "../../host/unseen.ts";

export const NOTIFICATION_ROUTES: readonly Route[] = [
  route({
    id: "listNotifications",
    method: "GET",
    path: "/notifications",
    scope: "read",
    summary: "Results that no chat got, and what could not be done for anybody; without any text of them.",
    response: NotificationsSchema,
    handle: async ({ services }) => ({ body: await viewOf(services) }),
  }),
  route({
    id: "seeNotifications",
    method: "POST",
    path: "/notifications/seen",
    scope: "admin",
    summary: "Marks them as seen, on all pages. What came meanwhile stays as it is.",
    body: SeenBody,
    response: NotificationsSchema,
    handle: async ({ services, body }) => {
      await services.app.inside.notifications.see(body.ids);
      return { body: await viewOf(services) };
    },
  }),
];

async function viewOf(services: Services): Promise<z.input<typeof NotificationsSchema>> {
  const { agent, inside } = services.app;
  const list = inside.notifications.list();
  const ids = new Map(list.length === 0 ? [] : (await agent.sessions.list()).map(({ key, id }) => [key, id]));
  return {
    unseen: unseenIn(services),
    items: list.map(({ session, ...item }) => ({ ...item, about: session, session: ids.get(session) ?? null })),
  };
}
