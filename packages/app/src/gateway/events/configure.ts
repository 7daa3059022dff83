/** The model and the persona of one conversation, from its next turn on. */
import type { JournalRecord } from "@margay/core";
import { Problem } from "../problem.ts";
import type { Caller } from "./access.ts";
import { requireModel, requirePersona } from "./create.ts";
import type { Summary } from "./summary.ts";

/** @throws Problem `model.not-found`, `persona.not-found`: nothing was changed. */
export async function configureSession(
  { services }: Caller,
  session: Pick<Summary, "key">,
  { model, persona }: { readonly model?: string | null | undefined; readonly persona?: string | null | undefined },
): Promise<void> {
  if (model === undefined && persona === undefined) return;
  const chosen = typeof model === "string" ? requireModel(services, model) : model;
  if (typeof persona === "string") requirePersona(services, persona);
  const found = await services.app.agent.sessions.find(session.key);
  if (found === undefined) throw new Problem("session.not-found", `There is no session ${session.key}.`);
  const record: JournalRecord = {
    type: "session.configured",
    ...(chosen !== undefined && { model: chosen }),
    ...(persona !== undefined && { persona }),
    reset: persona !== undefined,
  };
  await found.commit(record);
}
