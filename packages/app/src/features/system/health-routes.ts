/** Whether the process answers, and whether it can work. */
import { z } from "zod";
import { route, type Route } from "../../host/api/route.ts";

const Health = z.strictObject({ status: z.literal("ok") });
const Ready = z.strictObject({ ready: z.boolean() });

export const HEALTH_ROUTES: readonly Route[] = [
  route({
    id: "getHealth",
    method: "GET",
    path: "/!/health",
    scope: "public",
    unlimited: true,
    summary: "The process answers",
    response: Health,
    handle: () => ({ body: { status: "ok" } }),
  }),
  route({
    id: "getApiHealth",
    method: "GET",
    path: "/!/api/health",
    scope: "public",
    unlimited: true,
    summary: "The process answers",
    response: Health,
    handle: () => ({ body: { status: "ok" } }),
  }),
  route({
    id: "getReady",
    method: "GET",
    path: "/!/ready",
    scope: "public",
    unlimited: true,
    summary: "Whether messages are taken: 503 while the gateway starts or stops",
    otherwise: 503,
    response: Ready,
    handle: ({ services }) => {
      const ready = services.ready();
      return { status: ready ? 200 : 503, body: { ready } };
    },
  }),
];
