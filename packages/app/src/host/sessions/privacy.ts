/** Whose text a page may show: of another person's conversation the owner sees who, where and how much, until they open it. */
import { createSerial, isPerson, type Serial, type Millis, type SessionId, type Summary } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { told } from "../api/words.ts";
import { Problem } from "../api/problem.ts";
import type { Credential } from "../auth/credential.ts";
import type { Services } from "../api/services.ts";
import { TEXT } from "./api-texts.ts";

interface Caller {
  readonly services: Pick<Services, "once" | "app">;
  readonly credential: Credential | undefined;
}
type Whose = Pick<Summary, "id" | "persons" | "sole" | "audience">;

/** How long a conversation stays open for who opened it. */
const OPEN_MS = 3_600_000;

interface Openings {
  open(credential: string, session: SessionId): void;
  isOpen(credential: string, session: SessionId): boolean;
  /** One after the other for each conversation: its person is told once. */
  readonly alone: Serial;
}

/** For `services.once`. In memory: the next process asks anew. */
function createOpenings({ clock }: Pick<App, "clock">): Openings {
  const until = new Map<string, Millis>();
  return {
    alone: createSerial(),
    open: (credential, session) => void until.set(`${credential}\n${session}`, clock.now() + OPEN_MS),
    isOpen: (credential, session) => (until.get(`${credential}\n${session}`) ?? 0) > clock.now(),
  };
}

/** Persons beside the owner who read it, or did: what they said stays theirs. */
export function personsOf({ persons = [] }: Pick<Summary, "persons">): readonly string[] {
  return persons.filter(isPerson);
}

/** Whether nobody but the caller read it, from its first word on: what others said there before is not theirs. */
export function isTheirs({ services, credential }: Caller, { sole }: Pick<Whose, "sole">): boolean {
  const person = credential?.for;
  const isThere = person !== undefined && Object.hasOwn(services.app.inside.loaded().config.people, person);
  return isThere && sole === person;
}

export function isHidden(caller: Caller, summary: Whose): boolean {
  const { services, credential } = caller;
  if (credential?.for !== undefined) return !isTheirs(caller, summary);
  const { supervision } = services.app.inside;
  if (personsOf(summary).every((person) => supervision.isOn(person))) return false;
  return !services.once(createOpenings).isOpen(credential?.id ?? "", summary.id);
}

/** From now on, and for an hour. @param before what comes first, unless it is open already: what fails opens nothing. */
export async function openFor(caller: Caller, session: Whose, before: () => Promise<void>): Promise<void> {
  const { services, credential } = caller;
  const openings = services.once(createOpenings);
  await openings.alone(session.id, async () => {
    if (!isHidden(caller, session)) return;
    await before();
    openings.open(credential?.id ?? "", session.id);
  });
}

/** @throws Problem `auth.private`. */
export function requireOwn(caller: Caller, summary: Whose): void {
  if (!isHidden(caller, summary)) return;
  throw new Problem(
    "auth.private",
    told({ detail: TEXT.isPrivate, remedy: TEXT.openAnyway }, { person: personsOf(summary).join(", ") }),
  );
}

/** Into the conversation of a person nobody else writes, also who may read it. @throws Problem `auth.private`. */
export function requireReader({ credential }: Pick<Caller, "credential">, { audience }: Whose): void {
  if (audience === undefined || !isPerson(audience) || audience === credential?.for) return;
  throw new Problem("auth.private", told({ detail: TEXT.isPrivate, remedy: TEXT.writeThem }, { person: audience }));
}
