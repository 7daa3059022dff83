/** HEARTBEAT.md at regular times: settings, what a check would do, what the last ones did. */
import { type FoundTurn, isNothing, nextCheckAt, sha256 } from "@margay/core/internal";
import type { z } from "zod";
import { openJournalFacts, type SessionFacts } from "../../host/live/journal-facts.ts";
import { tagOf } from "../../host/api/etag.ts";
import { route, type Route } from "../../host/api/route.ts";
import { HeartbeatBody, HeartbeatCheck, HeartbeatSchema } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import { changeSection, SECTION_ERRORS } from "../../host/settings/section.ts";
import { words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type View = z.input<typeof HeartbeatSchema>;
type Check = z.input<typeof HeartbeatCheck>;

export const HEARTBEAT_ROUTES: readonly Route[] = [
  route({
    id: "getHeartbeat",
    method: "GET",
    path: "/heartbeat",
    scope: "read",
    summary: "The heartbeat: on or off, when next, what is open, what the last checks did.",
    response: HeartbeatSchema,
    handle: async ({ services, signal }) => {
      const body = await viewOf(services, signal);
      return { body, headers: { etag: tagOf(body.hash) } };
    },
  }),
  route({
    id: "putHeartbeat",
    method: "PUT",
    path: "/heartbeat",
    scope: "admin",
    summary: "Switches the heartbeat and sets how often it looks.",
    body: HeartbeatBody,
    response: HeartbeatSchema,
    errors: SECTION_ERRORS,
    handle: (call) => {
      const { target, silent, ...rest } = call.body;
      const body = { ...rest, ...(target !== undefined && { target }), ...(silent !== undefined && { silent }) };
      return changeSection({ ...call, body }, { name: "heartbeat", hash: hashOf, view: viewOf });
    },
  }),
  route({
    id: "checkHeartbeat",
    method: "POST",
    path: "/heartbeat/check",
    scope: "admin",
    summary: "Whether a check would ask the model now; nothing is asked.",
    response: HeartbeatCheck,
    handle: async ({ services, signal, language }) => {
      const open = await services.app.schedule.heartbeat.openTasks(signal);
      const reason = reasonOf(services, open);
      return {
        body: {
          wouldCall: reason === "open-tasks",
          reason,
          because: words(language, BECAUSE[reason], { count: open }),
        },
      };
    },
  }),
];

const MAX_RUNS = 20;

const BECAUSE = {
  off: TEXT.off,
  paused: TEXT.paused,
  practice: TEXT.practice,
  "no-tasks": TEXT.heartbeatMdHas,
  "open-tasks": TEXT.heartbeatMdHasOpen,
} as const;

function reasonOf({ app }: Services, open: number): Check["reason"] {
  if (!app.inside.loaded().config.heartbeat.enabled) return "off";
  if (app.schedule.waits) return "paused";
  if (app.practice) return "practice";
  return open === 0 ? "no-tasks" : "open-tasks";
}

function hashOf({ app }: Services): string {
  const { enabled, intervalMinutes, target, silent } = app.inside.loaded().config.heartbeat;
  return sha256(JSON.stringify([enabled, intervalMinutes, target, silent]));
}

async function viewOf(services: Services, signal: AbortSignal): Promise<View> {
  const { app, once } = services;
  const { enabled, intervalMinutes, target, silent } = app.inside.loaded().config.heartbeat;
  const { to, fault } = await app.schedule.heartbeatTarget();
  const openTasks = await app.schedule.heartbeat.openTasks(signal);
  const sleeps = ["off", "paused", "practice"].includes(reasonOf(services, openTasks));
  const session = await app.agent.sessions.find("heartbeat");
  const facts = session === undefined ? undefined : await once(openJournalFacts).of(session.state.id);
  return {
    enabled,
    intervalMinutes,
    hash: hashOf(services),
    target,
    silent,
    chat: to ?? null,
    ...(fault !== undefined && { fault }),
    nextAt: sleeps ? null : nextCheckAt(app.clock.now(), intervalMinutes * 60_000),
    openTasks,
    runs: facts === undefined ? [] : [...runsOf(facts)],
  };
}

/** One per decision; the turn that followed it, if any, is its outcome. */
function runsOf({ id, spending, turns }: SessionFacts): readonly View["runs"][number][] {
  const decisions = spending.filter(({ purpose }) => purpose === "heartbeat");
  return decisions
    .map(({ at, usage }, index) => {
      const until = decisions[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      const turn = turns.find(({ receivedAt }) => receivedAt >= at && receivedAt < until);
      const spent = turn?.usage?.costUsd;
      return {
        at,
        result: turn === undefined ? ("skip" as const) : resultOf(turn),
        session: id,
        ...(turn?.turn !== undefined && { turn: turn.turn }),
        ...(turn?.text !== undefined && turn.text !== "" && { text: turn.text }),
        costUsd:
          usage.costUsd === undefined || (turn !== undefined && spent === undefined)
            ? null
            : usage.costUsd + (spent ?? 0),
      };
    })
    .toReversed()
    .slice(0, MAX_RUNS);
}

function resultOf({ reason, text }: FoundTurn): View["runs"][number]["result"] {
  if (reason === undefined) return "running";
  switch (reason) {
    case "done":
    case "limit":
      return text !== undefined && isNothing(text) ? "silent" : "ok";
    case "failed":
    case "budget":
      return "failed";
    case "cancelled":
    case "withdrawn":
      return "cancelled";
  }
}
