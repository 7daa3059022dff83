/** What a login of a person may ask for and hears of: what is theirs. */
import type { Json } from "@margay/core";
import { COMMAND_NAMES, isRecord, mayCommand } from "@margay/core/internal";
import type { z } from "zod";
import type { PersonLoginSchema } from "../../protocol/common.ts";
import { roleIn } from "../people.ts";
import { eventsOf, isOperator, mayRead, personOf, type Caller } from "../sessions/access.ts";
import type { OpenPage } from "./pages.ts";
import type { Topic } from "./topics.ts";

/** What a login of a person may hear of: as far as it is theirs. */
export const OF_PERSONS: ReadonlySet<Topic> = new Set(["sessions", "cron"]);

/** Whether it is about a conversation that they read, or a job of theirs. */
export async function speaksOf(data: Json, caller: Caller): Promise<boolean> {
  const { changed, session = changed, job } = isRecord(data) ? data : {};
  if (job !== undefined) {
    const jobs = (await caller.services.app.schedule.cron?.list()) ?? [];
    return jobs.some(({ id, by }) => id === job && by === personOf(caller));
  }
  for (const summary of eventsOf(caller.services).index.known())
    if (summary.id === session) return mayRead(caller, summary);
  return false;
}

/** What their page offers. @returns undefined: the login is the owner's, or a token. */
export function mayOf(caller: Caller): z.infer<typeof PersonLoginSchema> | undefined {
  const { app, ofPersons } = caller.services;
  const id = personOf(caller);
  const role = id === undefined ? undefined : roleIn(app.inside.loaded().config, id);
  if (id === undefined || role === undefined) return undefined;
  const own = { state: { audience: id } };
  const commands = COMMAND_NAMES.filter((name) => mayCommand(name, own, { role, audience: id }));
  return { id, operations: [...ofPersons()], commands, ...(role === "operator" && { operator: true }) };
}

/** The page behind a socket. @returns undefined: it is a program's. */
export function pageOf(caller: Caller): OpenPage | undefined {
  const person = personOf(caller);
  const { services, credential } = caller;
  if (credential === undefined || (person === undefined && !isOperator(caller))) return undefined;
  return services.app.inside.pages.opened({ login: credential.id, ...(person !== undefined && { person }) });
}
