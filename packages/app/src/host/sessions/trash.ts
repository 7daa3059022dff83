/** Deleted conversations: 30 days in the trash, then gone with their journal. */
import { messageOf, type Summary, whenState } from "@margay/core/internal";
import { createView } from "@margay/core/state";
import { replaysOf } from "../http/replays.ts";
import type { Services } from "../api/services.ts";
import { eventsOf } from "./access.ts";
import { OPERATOR } from "../operator.ts";

export const TRASH_MS: number = 30 * 24 * 3_600_000;

/** What runs in it is stopped first. */
export async function toTrash(services: Services, session: Pick<Summary, "id" | "key">): Promise<void> {
  const { app } = services;
  const { marks, index } = eventsOf(services);
  await app.agent.control(session.key, { type: "stop", withdraw: true }, OPERATOR);
  marks.set(session.id, { ...marks.of(session.id), trashedAt: app.clock.now() });
  index.touch(session.id);
}

/** As `margay sessions remove`. */
export async function purge(services: Services, session: Pick<Summary, "id" | "key">): Promise<void> {
  const { app } = services;
  await app.agent.control(session.key, { type: "stop", withdraw: true }, OPERATOR);
  const open = await app.agent.sessions.find(session.key);
  if (open !== undefined) await whenState(open, ({ turn }) => turn === undefined);
  await app.agent.sessions.remove(session.key);
  forget(services, session.id);
}

/**
 * A conversation in which nothing was ever said: it goes without a trace. Looked at here, where it is held, and not where it was
 * shown: a message that came meanwhile keeps it.
 * @returns whether it was one, and is gone.
 */
export async function forgetUnused(services: Services, key: string): Promise<boolean> {
  const { sessions } = services.app.agent;
  const session = await sessions.find(key);
  if (session === undefined) return false;
  const { id } = session.state;
  const view = createView(id);
  for await (const commit of session.history()) view.apply(commit);
  const { seq, pending, turn, outbox } = session.state;
  // Up to the removal nothing is waited for any more: what is taken later finds no conversation, and begins one.
  if (view.items.length > 0 || view.seq !== seq || pending.length > 0 || turn !== undefined || outbox.length > 0)
    return false;
  await sessions.remove(key);
  forget(services, id);
  return true;
}

function forget(services: Services, id: Summary["id"]): void {
  const { marks, index, reader } = eventsOf(services);
  marks.set(id, {});
  reader.forget(id);
  index.remove(id);
  services.once(replaysOf).forget(id);
}

/** What has been in the trash for long enough. */
export async function emptyTrash(services: Services): Promise<void> {
  const { marks, index } = eventsOf(services);
  const now = services.app.clock.now();
  for (const [id, { trashedAt }] of [...marks.all()]) {
    if (trashedAt === undefined || now - trashedAt < TRASH_MS) continue;
    try {
      const session = await index.get(id);
      if (session === undefined) marks.set(id, {});
      else await purge(services, session);
    } catch (error) {
      services.app.log.error("trash.failed", { session: id, message: messageOf(error) }); // the others go on
    }
  }
}
