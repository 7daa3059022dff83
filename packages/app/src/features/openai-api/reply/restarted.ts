/** A stream that broke because the model began again: the same request, sent again, gets the answer of that turn. */
import type { AgentEvent, Session } from "@margay/core";
import type { Seq } from "@margay/core/internal";
import type { App } from "../../../app.ts";
import { answerEvents } from "./events.ts";
import type { Ask, Asked } from "../asking.ts";
import { originOf, type Place } from "../place.ts";
import { fingerprintOf } from "../messages.ts";

export interface Restarted {
  readonly place: Place;
  /** Inbox key of the message. */
  readonly key: string;
  readonly at: number;
}

/** As long as a client may wait before it tries again. */
const KEPT_MS = 600_000;

export type RestartedTurns = Map<string, Restarted>;

export function noteRestart(given: Ask, place: Place, app: App, restarted: RestartedTurns): void {
  const now = app.clock.now();
  for (const [id, { at }] of restarted) if (at < now - KEPT_MS) restarted.delete(id);
  restarted.set(idOf(given), { place, key: given.key, at: now });
}

/** Once per restart. */
export function takeRestart(given: Ask, app: App, restarted: RestartedTurns): Restarted | undefined {
  const id = idOf(given);
  const found = restarted.get(id);
  if (found === undefined || found.at < app.clock.now() - KEPT_MS) return undefined;
  restarted.delete(id);
  return found;
}

export async function resumeRestarted({ token, signal }: Ask, { place, key }: Restarted, app: App): Promise<Asked> {
  const session = await app.agent.sessions.open(place.key, originOf(token, place));
  const events = answerEvents(records(session, signal), { key }, app.inside.redact);
  return { session, place, events, finished: Promise.resolve(), turn: () => session.state.turn?.id };
}

/** Without deltas: some were missed, and the records say all of it. */
async function* records(session: Session, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  // From the first commit on.
  for await (const event of session.events(0 as Seq, signal)) if ("seq" in event) yield event;
}

function idOf({ token, name, user, conversation }: Ask): string {
  return JSON.stringify([token, name ?? null, user ?? null, fingerprintOf(conversation.said)]);
}
