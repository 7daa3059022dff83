/** A word after a long silence: settings, when it may come next, what it would say. */
import { sha256 } from "@margay/core/internal";
import type { z } from "zod";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { tagOf } from "../../host/api/etag.ts";
import { Problem } from "../../host/api/problem.ts";
import { ASKS_A_MODEL, route, type Route } from "../../host/api/route.ts";
import { GreetingBody, GreetingPreviewSchema, GreetingSchema } from "./greeting-schema.ts";
import type { Services } from "../../host/api/services.ts";
import { changeSection, SECTION_ERRORS } from "../../host/settings/section.ts";
import { words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export const GREETING_ROUTES: readonly Route[] = [
  route({
    id: "getGreeting",
    method: "GET",
    path: "/greeting",
    scope: "read",
    summary: "The greeting: on or off, whom, how often, when next.",
    response: GreetingSchema,
    handle: async ({ services }) => {
      const body = await viewOf(services);
      return { body, headers: { etag: tagOf(body.hash) } };
    },
  }),
  route({
    id: "putGreeting",
    method: "PUT",
    path: "/greeting",
    scope: "admin",
    summary: "Switches the greeting and sets its bounds.",
    body: GreetingBody,
    response: GreetingSchema,
    errors: SECTION_ERRORS,
    handle: (call) => changeSection(call, { name: "greeting", hash: hashOf, view: viewOf }),
  }),
  route({
    id: "previewGreeting",
    method: "POST",
    path: "/greeting/preview",
    scope: "admin",
    summary: "What it would say now: one request to the model, and nothing is sent.",
    response: GreetingPreviewSchema,
    errors: ["session.not-found", "budget.exhausted", ...ASKS_A_MODEL],
    timeoutMs: 60_000,
    handle: async ({ services, signal, language }) => {
      const { app, once } = services;
      const preview = await app.schedule.greeting.preview(signal);
      if (preview.text === undefined)
        throw preview.because === "no-budget"
          ? new Problem("budget.exhausted", words(language, NO_BUDGET))
          : new Problem("session.not-found", words(language, NO_TARGET));
      const session = await app.agent.sessions.find("greeting");
      const facts = session === undefined ? undefined : await once(openJournalFacts).of(session.state.id);
      const { text, dropped } = preview;
      return { body: { text, dropped, costUsd: facts?.spending.at(-1)?.usage.costUsd ?? null } };
    },
  }),
];

const NO_BUDGET = TEXT.noBudgetHas;
const NO_TARGET = TEXT.noChatGreet;

function hashOf({ app }: Services): string {
  const { enabled, idleHours, maxPerDay, quietHours, target } = app.inside.loaded().config.greeting;
  return sha256(JSON.stringify([enabled, idleHours, maxPerDay, quietHours, target]));
}

async function viewOf(services: Services): Promise<z.input<typeof GreetingSchema>> {
  const { app } = services;
  const { config, timeZone } = app.inside.loaded();
  const { enabled, idleHours, maxPerDay, quietHours, target } = config.greeting;
  const view = await app.schedule.greeting.view();
  const sleeps = !enabled || app.practice || app.schedule.waits;
  return {
    enabled,
    idleHours,
    maxPerDay,
    quietHours,
    target,
    hash: hashOf(services),
    chat: view.target ?? null,
    timeZone,
    sentToday: view.sentToday,
    nextSlot: sleeps ? null : (view.nextSlot ?? null),
  };
}
