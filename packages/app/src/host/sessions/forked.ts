/** A copy of a conversation in the web: one for each request, however often it is attempted. */
import type { Session } from "@margay/core";
import { isTemporary, TEMPORARY, type Seq } from "@margay/core/internal";
import type { Making } from "../api/route.ts";
import type { Caller } from "./access.ts";
import { chatId } from "./create.ts";

export async function forked(
  { services, newId, begunAt }: Caller & Making,
  key: string,
  at: Seq | undefined,
): Promise<Session> {
  const { sessions } = services.app.agent;
  // Of what goes the copy goes too.
  const copy = `${isTemporary(key) ? TEMPORARY : "web"}:${chatId(newId)}`;
  const made = begunAt === undefined ? undefined : await sessions.find(copy);
  return made ?? sessions.fork(key, copy, at);
}
