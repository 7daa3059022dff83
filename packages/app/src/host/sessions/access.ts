/** Which sessions a credential reaches, and as whom it speaks: what the store says, never what the caller claims. */
import type { Holdings } from "../../app.ts";
import { loginId, OPERATOR } from "../operator.ts";
import type { Sender } from "@margay/core";
import { allows, type Credential } from "../auth/credential.ts";
import { Problem } from "../api/problem.ts";
import type { Services } from "../api/services.ts";
import { createEvents, type Events } from "../live/events.ts";
import { isHidden, isTheirs, requireOwn, requireReader } from "./privacy.ts";
import type { Summary } from "@margay/core/internal";

export interface Caller {
  readonly services: Services;
  readonly credential: Credential | undefined;
}

export function eventsOf(services: Services): Events {
  return services.once(createEvents);
}

export function isOperator({ services, credential }: Caller): boolean {
  return credential !== undefined && allows(credential, "admin", services.app.clock.now());
}

/** The person beside the owner whose login it is. A token of theirs is a program's. */
export function personOf({ credential }: Pick<Caller, "credential">): string | undefined {
  return credential?.kind === "browser" ? credential.for : undefined;
}

/** Memory, index and files of the room that the caller reads: a person's own, else the owner's. */
export function holdingsFor(caller: Caller): Holdings {
  return caller.services.app.inside.holdingsOf(personOf(caller));
}

export function senderOf(caller: Caller): Sender {
  const person = personOf(caller);
  if (person !== undefined) return { id: loginId(person), kind: "person" };
  return isOperator(caller) ? OPERATOR : { id: `api:${caller.credential?.id ?? ""}`, kind: "person" };
}

/** Begin of the keys of a token's own sessions. */
export function ownPrefix(credential: Credential | undefined): string {
  return `api:${credential?.id ?? ""}:`;
}

export function mayRead(caller: Caller, summary: Pick<Summary, "key" | "sole">): boolean {
  const { key } = summary;
  const { credential, services } = caller;
  if (credential === undefined) return false;
  if (personOf(caller) !== undefined) return isTheirs(caller, summary);
  return allows(credential, "read", services.app.clock.now()) || key.startsWith(ownPrefix(credential));
}

export function mayWrite(caller: Caller, summary: Pick<Summary, "key" | "sole">): boolean {
  const { key } = summary;
  if (personOf(caller) !== undefined) return isTheirs(caller, summary);
  return isOperator(caller) || key.startsWith(ownPrefix(caller.credential));
}

/** @param frame What only those may send who chat. @throws Problem `auth.scope`. */
export function requireChat({ credential, services }: Caller, frame: string): void {
  if (credential !== undefined && allows(credential, "chat", services.app.clock.now())) return;
  throw new Problem("auth.scope", `This token may not send ${frame}.`);
}

/** What it costs is the house's to say. @throws Problem `auth.scope`. */
export function requireHouse(caller: Caller): void {
  if (personOf(caller) !== undefined) throw new Problem("auth.scope", "Model and limits are chosen by the owner.");
}

interface FindOptions {
  readonly write?: boolean;
  readonly trashed?: boolean;
  /** Also one whose text is another person's, of which nothing is told. */
  readonly hidden?: boolean;
}

/**
 * A session by its id. What a token may not see does not exist for it.
 * @throws Problem `session.not-found`, `session.trashed`, `auth.private`: also when it was opened, nobody writes into what another reads.
 */
export async function findSession(
  caller: Caller,
  id: string,
  { write = false, trashed = false, hidden = false }: FindOptions = {},
): Promise<Summary> {
  const { index, marks } = eventsOf(caller.services);
  const summary = /^[a-z0-9-]{1,64}$/.test(id) ? await index.get(id as Summary["id"]) : undefined; // looked up by equality
  const may = summary !== undefined && (write ? mayWrite(caller, summary) : mayRead(caller, summary));
  if (!may)
    throw new Problem("session.not-found", { detail: `There is no session ${id.slice(0, 64)}.`, remedy: "List them." });
  if (!trashed && marks.of(summary.id).trashedAt !== undefined)
    throw new Problem("session.trashed", {
      detail: `The session ${summary.id} is in the trash.`,
      remedy: "Restore it first.",
    });
  if (!hidden) requireOwn(caller, summary);
  if (write && !hidden) requireReader(caller, summary);
  return summary;
}

/** Sessions that the runtime itself talks in. @throws Problem `session.read-only`. */
export function requireWritable({ key }: Pick<Summary, "key">): void {
  if (!/^(subagent|direct|heartbeat|system|voice):/.test(key)) return;
  throw new Problem("session.read-only", {
    detail: `Nobody writes to ${key} but the runtime.`,
    remedy: "Write to the conversation that it belongs to.",
  });
}

/** Those among all conversations whose text is not shown. */
export async function hiddenFrom(caller: Caller): Promise<(session: string) => boolean> {
  const all = await eventsOf(caller.services).index.all();
  const hidden = new Set<string>(all.filter((summary) => isHidden(caller, summary)).map(({ id }) => id));
  return (session) => hidden.has(session);
}
