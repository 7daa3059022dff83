/** One request of `/v1`, checked and placed: what is asked, of which session. */
import type { App } from "../../app.ts";
import type { Ask, Asked } from "./asking.ts";
import { begin } from "./start.ts";
import { answerCommand, commandOf } from "./commands.ts";
import type { ApiIndex, KnownResponse } from "./session-index.ts";
import { sensesOf } from "./models.ts";
import { storePieces } from "./parts.ts";
import { sessionKey } from "../../host/sessions/token-budget.ts";
import { findPlace, originOf, senderOf, type Place } from "./place.ts";
import { refusal } from "./errors.ts";
import { openFor } from "./session.ts";
import { resumeRestarted, takeRestart } from "./reply/restarted.ts";
import type { OpenAiState } from "./state.ts";

export interface Admitted {
  /** May still become a fork. */
  readonly place: Place;
  /** Waits for its place in the session, then sends. */
  begin(): Promise<Asked>;
}

/** @throws Problem for what cannot be asked; nothing is in the session then. */
export async function admit(given: Ask, app: App, state: OpenAiState): Promise<Admitted> {
  const { conversation, model, signal, token, after } = given;
  const broken = takeRestart(given, app, state.restarted);
  if (broken !== undefined) return { place: broken.place, begin: () => resumeRestarted(given, broken, app) };
  const store = { app, senses: sensesOf(model, app.inside.loaded().config), signal, hear: given.hear };
  const parts = await storePieces(conversation.input, store);
  if (parts.length === 0 && conversation.results.length === 0)
    throw refusal(
      "empty_message",
      "messages",
      "There is nothing to answer: the last message must be a user's, with content.",
    );
  const place = after === undefined ? await findPlace(given, app, state.index) : placeOf(after, token, state.index);
  const command = commandOf(parts, place.named);
  if (command === undefined) return { place, begin: () => begin({ given, parts, place, store }, app, state) };
  return {
    place,
    begin: async () => {
      const origin = originOf(token, place);
      const from = senderOf(token);
      await openFor(app, place.key, origin, given.reader);
      const events = await answerCommand({ sessionKey: place.key, key: given.key, parts, origin, from }, app);
      const session = await app.agent.sessions.open(place.key, origin);
      return { session, place, events, finished: Promise.resolve(), turn: () => undefined };
    },
  };
}

function placeOf({ session: key }: KnownResponse, token: string, index: ApiIndex): Place {
  const known = index.session(key);
  const name = key.slice(sessionKey(token, "").length);
  return { key, name, named: known?.expiresAt === undefined, space: known?.space ?? "", history: "continued" };
}

/** @throws Problem as `admit` does. */
export async function ask(given: Ask, app: App, state: OpenAiState): Promise<Asked> {
  const admitted = await admit(given, app, state);
  return admitted.begin();
}
