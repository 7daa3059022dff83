/** Emergency stop: every turn ends, nothing becomes due, until it is taken back; a restart does not (gateway.md §8.4). */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Sender, Session } from "@margay/core";
import type { App } from "../../app.ts";
import { announce } from "../announce.ts";
import { requireOwner } from "../proof.ts";
import { route, type Route } from "../route.ts";
import { EstopBody, EstopSchema, type Estop } from "../schema/policy.ts";
import type { Services } from "../services.ts";

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
      const { app, once } = services;
      const by = credential?.name ?? "unknown";
      if (!body.on) {
        requireOwner(call, { en: "Taking the emergency stop back", "zh-CN": "解除紧急停止" });
        app.inside.pause.set(false);
        app.audit.record("estop.off", { by });
        once(lastStop).value = undefined;
        announce(services, "system", "estop");
        return { body: estopView(services) };
      }
      const stopped = await stopAll(app, { id: "user", name: by, kind: "person" });
      app.audit.record("estop.on", { by, turns: stopped.turns });
      once(lastStop).value = { by, stopped };
      announce(services, "system", "estop");
      return { body: estopView(services) };
    },
  }),
];

/** Who did it, as far as this process knows. */
function lastStop(): { value: Pick<Estop, "by" | "stopped"> | undefined } {
  return { value: undefined };
}

function estopView({ app, loadOptions, once }: Services): Estop {
  if (!app.inside.pause.paused) return { on: false };
  const since = statSync(join(loadOptions.places.home, "paused"), { throwIfNoEntry: false })?.mtimeMs;
  return { on: true, ...(since !== undefined && { since: Math.floor(since) }), ...once(lastStop).value };
}

async function stopAll({ agent, inside }: App, by: Sender): Promise<{ turns: number; processes: number }> {
  inside.pause.set(true); // first: nothing new becomes due while the sessions are stopped
  const inUse: Session[] = []; // what is at work is in use
  inside.feed.watch((session) => inUse.push(session))();
  let turns = 0;
  let processes = 0;
  for (const { state } of inUse) {
    const running = agent.subagents(state.id).length;
    if (state.turn === undefined && state.pending.length === 0 && running === 0) continue;
    const started = (state.turn?.calls ?? []).filter(
      ({ status, call }) => status === "started" && call.name === "exec",
    ).length;
    const { done } = await agent.control(state.key, { type: "stop", withdraw: true }, by);
    if (!done) continue;
    turns += 1;
    processes += started;
  }
  return { turns, processes };
}
