/** How a persona would answer: one request without tools, memory or history. */
import { personaText, type Persona } from "@margay/core/internal";
import type { z } from "zod";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { Problem } from "../../host/api/problem.ts";
import type { Call } from "../../host/api/route.ts";
import type { PersonaPreview } from "./schema.ts";
import { words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

/** Where what it costs is counted: the session of what is written beside the chats. */
const ACCOUNT = "greeting";
const PREVIEW_TOKENS = 512;

/** @throws Problem `budget.exhausted`; RuntimeError as the provider does. */
export async function preview(
  persona: Persona,
  message: string,
  { services, signal, language }: Pick<Call<unknown, unknown>, "services" | "signal" | "language">,
): Promise<z.input<typeof PersonaPreview>> {
  const { app, once } = services;
  const { name } = app.inside.loaded().config.persona;
  const character = personaText({ name, own: [persona] }, persona.id, app.language) ?? "";
  const { state } = await app.agent.sessions.open(ACCOUNT, { channel: ACCOUNT, chat: ACCOUNT });
  const parts = await app.agent.ask(
    ACCOUNT,
    {
      purpose: "persona",
      system: `You are ${name}, a personal AI agent. Answer in a few sentences, in the user's language.\n\n${character}`,
      text: message,
      maxOutputTokens: PREVIEW_TOKENS,
    },
    signal,
  );
  if (parts === undefined) throw new Problem("budget.exhausted", words(language, TEXT.noBudgetHas));
  const usage = (await once(openJournalFacts).of(state.id))?.spending.at(-1)?.usage;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, costUsd = null } = usage ?? {};
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text: text.trim(), usage: { input, output, cacheRead, cacheWrite }, costUsd };
}
