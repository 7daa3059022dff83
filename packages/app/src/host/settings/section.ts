/** One section of the settings as a document of its own: changed only by who saw it as it is, one change after the other. */
import type { JsonObject } from "@margay/core";
import { sharedFault } from "../targets.ts";
import { announce } from "../live/announce.ts";
import { requireMatch, tagged } from "../api/etag.ts";
import type { ProblemCode } from "../api/problem.ts";
import type { Call, Reply } from "../api/route.ts";
import type { Services } from "../api/services.ts";
import { createWriteQueue } from "../api/write-queue.ts";
import { changeSettings, patchEdits, refusedTargets } from "./change.ts";

/** What a change of a section may answer. */
export const SECTION_ERRORS: readonly ProblemCode[] = [
  "precondition.required",
  "precondition.failed",
  "settings.invalid",
  "settings.locked",
  "settings.unreadable-file",
];

export interface Section {
  readonly name: "greeting" | "heartbeat";
  readonly hash: (services: Services) => string;
  /** As it is after the change. */
  readonly view: (services: Services, signal: AbortSignal) => Promise<{ readonly hash: string }>;
}

export function changeSection(call: Call<unknown, JsonObject>, { name, hash, view }: Section): Promise<Reply> {
  const { services, headers, body, signal } = call;
  return services.once(createWriteQueue)(async () => {
    requireMatch(headers, hash(services));
    await refuseShared(name, call);
    await changeSettings(patchEdits({ [name]: body }, call), call, { dryRun: false });
    announce(services, "cron", name);
    const after = await view(services, signal);
    return tagged({}, after.hash, after);
  });
}

/** Only the conversations know where somebody else reads along. @throws Problem `settings.invalid`. */
async function refuseShared(name: Section["name"], { body, services, t }: Call<unknown, JsonObject>): Promise<void> {
  const { target } = body;
  if (typeof target !== "string") return;
  const text = await sharedFault(target, services.app.agent.sessions, t);
  if (text !== undefined) throw refusedTargets([{ path: `${name}.target`, text }]);
}
