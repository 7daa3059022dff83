/** The model, the persona and the limits of one conversation, from its next turn on. */
import type { JournalRecord } from "@margay/core";
import type { SessionLimits, Summary } from "@margay/core/internal";
import { Problem } from "../api/problem.ts";
import { type Caller, requireHouse } from "./access.ts";
import { requireModel, requirePersona } from "./create.ts";

export interface SessionChange {
  readonly model?: string | null | undefined;
  readonly persona?: string | null | undefined;
  readonly limits?: { readonly [Name in keyof SessionLimits]?: number | undefined } | null | undefined;
}

/** @throws Problem `model.not-found`, `persona.not-found`: nothing was changed. */
export async function configureSession(
  caller: Caller,
  session: Pick<Summary, "key">,
  { model, persona, limits }: SessionChange,
): Promise<void> {
  const { services } = caller;
  if (model === undefined && persona === undefined && limits === undefined) return;
  if (model !== undefined || limits !== undefined) requireHouse(caller);
  const chosen = typeof model === "string" ? requireModel(services, model) : model;
  if (typeof persona === "string") requirePersona(services, persona);
  const found = await services.app.agent.sessions.find(session.key);
  if (found === undefined) throw new Problem("session.not-found", `There is no session ${session.key}.`);
  const record: JournalRecord = {
    type: "session.configured",
    ...(chosen !== undefined && { model: chosen }),
    ...(persona !== undefined && { persona }),
    ...(limits !== undefined && { limits: limits === null ? null : onlyGiven(limits) }),
    reset: persona !== undefined,
  };
  await found.commit(record);
}

function onlyGiven({ maxIterations, maxToolCalls, maxTokens }: NonNullable<SessionChange["limits"]>): SessionLimits {
  return {
    ...(maxIterations !== undefined && { maxIterations }),
    ...(maxToolCalls !== undefined && { maxToolCalls }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}
