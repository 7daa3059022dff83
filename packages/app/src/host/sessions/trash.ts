/** Deleted conversations: 30 days in the trash, then gone with their journal. */
import { isBegunBy, isTemporary, messageOf, type Summary, TEMPORARY, whenState } from "@margay/core/internal";
import { createView } from "@margay/core/state";
import { replaysOf } from "../http/replays.ts";
import type { Services } from "../api/services.ts";
import { eventsOf } from "./access.ts";
import { OPERATOR } from "../operator.ts";

export const TRASH_MS: number = 30 * 24 * 3_600_000;

/** What runs in it is stopped first. A temporary one is in no trash: it ends. */
export async function toTrash(services: Services, session: Pick<Summary, "id" | "key">): Promise<void> {
  if (isTemporary(session.key)) return endTemporary(services, session);
  const { app } = services;
  const { marks, index } = eventsOf(services);
  await app.agent.control(session.key, { type: "stop", withdraw: true }, OPERATOR);
  await marks.change(session.id, (mark) => ({ ...mark, trashedAt: app.clock.now() }));
  index.touch(session.id);
}

/** As `margay sessions remove`. */
export async function purge(services: Services, session: Pick<Summary, "id" | "key">): Promise<void> {
  const { app } = services;
  await app.agent.control(session.key, { type: "stop", withdraw: true }, OPERATOR);
  const open = await app.agent.sessions.find(session.key);
  if (open !== undefined) await whenState(open, ({ turn }) => turn === undefined);
  services.once(replaysOf).forget(session.id); // while it can be found again by its journal
  await app.agent.sessions.remove(session.key);
  await forget(services, session.id);
}

/** Without a word for so long, a temporary conversation ends by itself. */
const TEMPORARY_MS = 24 * 3_600_000;

/**
 * For good: with its branches, its helpers and whatever is kept of them. Killed in the midst of it, the next start goes on,
 * for each is marked as ended before the first is removed.
 */
export async function endTemporary(services: Services, session: Pick<Summary, "id" | "key">): Promise<void> {
  const { marks, index } = eventsOf(services);
  const all = familyOfTemporary(session, await index.all());
  for (const { id } of all) await marks.change(id, () => ({ trashedAt: services.app.clock.now() }));
  for (const one of all) await purge(services, one);
}

/** Helpers first: who began them is asked for their end. */
function familyOfTemporary(
  session: Pick<Summary, "id" | "key">,
  others: readonly Summary[],
): readonly Pick<Summary, "id" | "key">[] {
  const ours = new Set([session.id]);
  const own = others.filter(({ key }) => isTemporary(key));
  for (let before = 0; before < ours.size;) {
    before = ours.size;
    for (const { id, key, forkedFrom } of own) {
      const isIts = own.some((one) => ours.has(one.id) && (isBegunBy(key, one.key) || one.forkedFrom?.session === id));
      if (isIts || (forkedFrom !== undefined && ours.has(forkedFrom.session))) ours.add(id);
    }
  }
  const found = own.filter(({ id }) => ours.has(id)).toSorted((a, b) => b.key.length - a.key.length);
  return found.length === 0 ? [session] : found;
}

/** What an earlier process did not come to, and what nobody has said a word in for a day. */
export async function endLeftOver(services: Services): Promise<void> {
  const { app } = services;
  if (!(await app.inside.sessionIds()).some((id) => id.includes(TEMPORARY))) return; // their files are named so: nothing is read
  const { marks, index } = eventsOf(services);
  const now = app.clock.now();
  const isOver = ({ id, running, asked, updatedAt }: Summary): boolean =>
    marks.of(id).trashedAt !== undefined || (!running && asked.size === 0 && now - updatedAt >= TEMPORARY_MS);
  for (const one of await index.all()) {
    if (!isTemporary(one.key) || !isOver(one)) continue;
    await endTemporary(services, one).catch((error: unknown) =>
      app.log.error("temporary.failed", { session: one.id, message: messageOf(error) }),
    );
  }
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
  await forget(services, id);
  return true;
}

async function forget(services: Services, id: Summary["id"]): Promise<void> {
  const { marks, index, reader } = eventsOf(services);
  const unmarked = marks.change(id, () => ({}));
  reader.forget(id);
  index.remove(id);
  services.once(replaysOf).forget(id);
  await unmarked;
}

/** What has been in the trash for long enough. */
export async function emptyTrash(services: Services): Promise<void> {
  const { marks, index } = eventsOf(services);
  const now = services.app.clock.now();
  for (const [id, { trashedAt }] of [...marks.all()]) {
    if (trashedAt === undefined || now - trashedAt < TRASH_MS) continue;
    try {
      const session = await index.get(id);
      if (session === undefined) await marks.change(id, () => ({}));
      else await purge(services, session);
    } catch (error) {
      services.app.log.error("trash.failed", { session: id, message: messageOf(error) }); // the others go on
    }
  }
}
