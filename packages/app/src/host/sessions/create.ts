/** A new conversation: of the operator in the web, of a token in its own space. */
import type { JournalRecord } from "@margay/core";
import { isTemporary, type SessionId, sha256, type Summary, TEMPORARY } from "@margay/core/internal";
import type { z } from "zod";
import { knownModel } from "../../models/choose-model.ts";
import { Problem } from "../api/problem.ts";
import type { Making } from "../api/route.ts";
import type { CreateBody } from "../../protocol/sessions.ts";
import type { Services } from "../api/services.ts";
import { remarked, type MarkChange } from "./marks.ts";
import { eventsOf, isOperator, ownPrefix, personOf, requireHouse, type Caller } from "./access.ts";

type Given = Omit<z.infer<typeof CreateBody>, "message">;

/**
 * @param by The key of the message that makes it: sent again because nobody heard that it was accepted, not even the process
 * that accepted it, it leads to the same session. Or what names it.
 * @throws Problem `model.not-found`, `persona.not-found`: nothing was created.
 */
export async function createSession(
  caller: Caller,
  { title, persona, model, name, temporary = false }: Given,
  by: string | Making["newId"],
): Promise<Summary> {
  const { services } = caller;
  const { app } = services;
  if (model !== undefined) requireHouse(caller);
  const chosen = model === undefined ? undefined : requireModel(services, model);
  if (persona !== undefined) requirePersona(services, persona);
  const id = typeof by === "string" ? idOf(caller, by) : chatId(by);
  const person = personOf(caller);
  const isOfPages = isOperator(caller) || person !== undefined;
  if (name !== undefined && isOfPages) throw new Problem("request.invalid", "Only a token's own sessions have names.");
  if (temporary && !isOfPages)
    throw new Problem("request.invalid", "A token has no temporary sessions: delete its own.");
  const own = isOfPages ? `web:${id}` : `${ownPrefix(caller.credential)}${name ?? id}`;
  const at = own.indexOf(":");
  const key = temporary ? `${TEMPORARY}:${id}` : own;
  const session = await app.agent.sessions.open(key, { channel: own.slice(0, at), chat: own.slice(at + 1) });
  const isMade = session.state.seq > 1; // by the same message or request, in full
  const configured: JournalRecord = {
    type: "session.configured",
    ...(chosen !== undefined && { model: chosen }),
    ...(persona !== undefined && { persona }),
    reset: persona !== undefined,
  };
  const records = [
    ...(person === undefined ? [] : [{ type: "audience.set" as const, audience: person }]),
    ...(chosen === undefined && persona === undefined ? [] : [configured]),
  ];
  if (!isMade) await session.commit(...records); // without any: what opened it is on the disk
  return adopt(services, session.state.id, { title });
}

/** Of a new conversation in the web. */
export function chatId(newId: Making["newId"]): string {
  return newId("chat").replace(/^chat-/, "");
}

/** As long as a random one. Keys of one credential say nothing about those of another. */
function idOf({ credential }: Caller, firstKey: string): string {
  return sha256(`${credential?.id ?? ""}\n${firstKey}`).slice(0, 16);
}

/** Into the list at once, however it was made. @param given what is noted about it. */
export async function adopt(services: Services, id: SessionId, given: MarkChange = {}): Promise<Summary> {
  const { index, marks } = eventsOf(services);
  const summary = await index.get(id);
  if (summary === undefined) throw new Problem("session.not-found", `There is no session ${id}.`);
  // A name stands in a file that outlives a temporary one.
  if (!isTemporary(summary.key) && Object.values(given).some((value) => value !== undefined)) {
    await marks.change(id, (mark) => remarked(mark, given));
    index.touch(id);
  }
  return summary;
}

export function requireModel(services: Services, name: string): NonNullable<ReturnType<typeof knownModel>> {
  const { app } = services;
  const found = knownModel(name, { config: app.inside.loaded().config, home: app.loaded.places.home });
  if (found !== undefined) return found;
  throw new Problem("model.not-found", {
    detail: `There is no model ${name}.`,
    remedy: "Write provider/model, as GET /models lists them.",
  });
}

export function requirePersona({ app }: Services, name: string): void {
  if (app.inside.personas.has(name)) return;
  throw new Problem("persona.not-found", {
    detail: `There is no persona ${name}.`,
    remedy: "GET /personas lists them.",
  });
}
