/** Emergency stop: every turn ends, nothing becomes due, until it is taken back; a restart does not. */
import type { Sender } from "@margay/core";
import type { Stopped } from "@margay/core/internal";
import { announce } from "../../host/live/announce.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Route } from "../../host/api/route.ts";
import { EstopBody, EstopSchema, type Estop } from "../approvals/schema.ts";
import type { Services } from "../../host/api/services.ts";
import { TEXT } from "./api-texts.ts";

export const ESTOP_ROUTES: readonly Route[] = [
  route({
    id: "getEstop",
    method: "GET",
    path: "/estop",
    scope: "read",
    summary: "Whether everything is stopped.",
    response: EstopSchema,
    handle: ({ services }) => ({ body: estopView(services) }),
  }),
  route({
    id: "putEstop",
    method: "PUT",
    path: "/estop",
    scope: "admin",
    summary: "On stops every turn and all schedules, as `/stop all`; off needs the owner.",
    body: EstopBody,
    response: EstopSchema,
    errors: ["auth.fresh-required"],
    handle: async (call) => {
      const { services, body, credential } = call;
      const { agent } = services.app;
      const by: Sender = { id: credential?.name ?? "unknown", kind: "person" };
      if (body.on) {
        services.once(lastStop).value = await agent.stopAll(by);
      } else {
        requireOwner(call, TEXT.takingEmergencyStop);
        await agent.release(by);
        services.once(lastStop).value = undefined;
      }
      announce(services, "system", "estop");
      return { body: estopView(services) };
    },
  }),
];

/** What it ended, as far as this process did it. */
function lastStop(): { value: Stopped | undefined } {
  return { value: undefined };
}

function estopView({ app, once }: Services): Estop {
  const { since } = app.inside.stopFlag;
  if (since === undefined) return { on: false };
  const stopped = once(lastStop).value;
  return {
    on: true,
    ...(since.at !== undefined && { since: since.at }),
    ...(since.by !== undefined && { by: since.by }),
    ...(stopped !== undefined && { stopped }),
  };
}
