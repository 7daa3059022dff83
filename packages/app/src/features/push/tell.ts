/** The loop behind it: looks at what waits, records what is owed to which device, and sends that. */
import { firstOf, isAside, messageOf, sourceOf, type Millis, type SessionId } from "@margay/core/internal";
import { quietHours } from "../../host/settings/quiet.ts";
import { OWNER } from "../../host/people.ts";
import type { Services } from "../../host/api/services.ts";
import { eventsOf } from "../../host/sessions/access.ts";
import { deliver } from "./deliver.ts";
import { isOf, personOf, prune, type Owed, type PushStore, type Reader, type Subscription } from "./store.ts";
import { waitingFor, whoseIs, type Thing } from "./waiting.ts";

/** For what comes together, and for what is answered at once: a page that was just left, a terminal. */
const SETTLE_MS = 1_500;
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 3_600_000;
/** About two and a half hours, after which the next thing that waits is told with it. */
const MAX_ATTEMPTS = 12;
/** Conversations whose turn ended while nobody looked: more are "many". */
const MAX_DONE = 50;

interface Telling {
  readonly services: Services;
  readonly store: PushStore;
  /** Ids of devices that are being told now. */
  readonly busy: Set<string>;
  readonly knock: () => void;
  readonly signal: AbortSignal;
}

/** Until aborted. */
export async function tellDevices(services: Services, store: PushStore, signal: AbortSignal): Promise<void> {
  const { clock, inside, log } = services.app;
  const { index, hub } = eventsOf(services);
  let bell = Promise.withResolvers<void>();
  const telling: Telling = { services, store, busy: new Set(), knock: () => bell.resolve(), signal };
  const asking = new Set<string>();
  const ends = [
    inside.notifications.watch(telling.knock),
    inside.pages.watch(telling.knock),
    store.watch(telling.knock),
    index.watch((change) => {
      const id = "removed" in change ? change.removed : change.changed.id;
      const asks = "changed" in change && change.changed.asked.size > 0;
      if (asks || asking.has(id)) telling.knock();
      if (asks) asking.add(id);
      else asking.delete(id);
    }),
    hub.followAll((id, { seq, records }) => {
      const ended = firstOf(records, "turn.ended");
      if (ended === undefined || ended.reason === "cancelled") return;
      noteDone(telling, id, seq).catch((error: unknown) => log.warn("push.failed", { message: messageOf(error) }));
    }),
  ];
  try {
    telling.knock();
    while (!signal.aborted) {
      await rung(bell.promise, nextTry(telling), services, signal);
      bell = Promise.withResolvers();
      await clock.sleep(SETTLE_MS, signal);
      await look(telling);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    for (const end of ends) end();
  }
}

/** Until the bell rings, or a try is due. @throws the signal's reason. */
async function rung(
  bell: Promise<void>,
  dueAt: Millis | undefined,
  { app: { clock } }: Services,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const waitMs = dueAt === undefined ? LONGEST_WAIT_MS : Math.max(0, dueAt - clock.now());
  try {
    await Promise.race([bell, clock.sleep(waitMs, either)]);
  } finally {
    over.abort();
  }
  signal.throwIfAborted();
}

function nextTry({ store, busy }: Telling): Millis | undefined {
  const due = store.list().flatMap(({ id, owed }) => (owed === undefined || busy.has(id) ? [] : owed.nextAt));
  return due.length === 0 ? undefined : (Math.min(...due) as Millis);
}

/** A turn of a page's conversation that nobody watched to its end. */
async function noteDone({ services, store, knock }: Telling, id: SessionId, seq: number): Promise<void> {
  const summary = await eventsOf(services).index.get(id);
  if (summary === undefined || isAside(summary) || sourceOf(summary) !== "web" || summary.parent !== undefined) return;
  const person = whoseIs(summary);
  if (!store.list().some(isOf(person)) || isSeen(services, person)) return;
  await store.tell(person, ({ reader, devices }) => {
    const others = reader.done.filter(({ session }) => session !== id).slice(1 - MAX_DONE);
    return { reader: { ...reader, done: [...others, { session: id, seq }] }, devices };
  });
  knock();
}

function isSeen({ app }: Services, person: string): boolean {
  return app.inside.pages.looking().some((page) => (page.person ?? OWNER) === person);
}

async function look(telling: Telling): Promise<void> {
  const { services, store } = telling;
  await prune(services, store);
  for (const person of new Set(store.list().map(personOf))) await lookFor(person, telling);
  const now = services.app.clock.now();
  for (const device of store.list()) {
    if (device.owed === undefined || device.owed.nextAt > now || telling.busy.has(device.id)) continue;
    void send(telling, device, device.owed);
  }
}

async function lookFor(person: string, { services, store }: Telling): Promise<void> {
  const seen = isSeen(services, person);
  const before = store.reader(person);
  const things = await waitingFor(services, person, seen ? { ...before, done: [] } : before);
  const told = things.map(({ id }) => id);
  const looking = new Set(services.app.inside.pages.looking().map(({ login }) => login));
  // Of what is written now: a turn may have ended, and a device been reached, since it was looked at.
  await store.tell(person, ({ reader, devices }) => {
    const fresh = seen ? undefined : things.find(({ id }) => !reader.told.includes(id));
    const next = devices.map((device) =>
      owing(device, things, fresh, { services, person, isLooking: looking.has(device.login) }),
    );
    const done = seen ? reader.done.filter((one) => !isAmong(before.done, one)) : reader.done;
    const isSame = next.every((device, at) => device === devices[at]) && done.length === reader.done.length;
    return isSame && sameIds(told, reader.told) ? undefined : { reader: { told, done }, devices: next };
  });
}

function isAmong(done: Reader["done"], { session, seq }: Reader["done"][number]): boolean {
  return done.some((one) => one.session === session && one.seq === seq);
}

interface Looked {
  readonly services: Services;
  readonly person: string;
  /** A page of this very browser is in front: it takes its own notice away. */
  readonly isLooking: boolean;
}

/** Something new is told aloud; a count that fell takes the place of what it shows, without a sound. */
function owing(
  device: Subscription,
  things: readonly Thing[],
  fresh: Thing | undefined,
  { services, person, isLooking }: Looked,
): Subscription {
  const { owed, ...rest } = device;
  const { clock, inside } = services.app;
  const count = things.length;
  if (owed?.trial === true && fresh === undefined) return device;
  if (isLooking) return device.shown === 0 && owed === undefined ? device : { ...rest, shown: 0 };
  if (fresh === undefined && count >= (owed?.count ?? device.shown)) return device;
  // Answered before anything of it was sent: there is nothing to take back.
  if (count === 0 && device.shown === 0 && owed?.attempts === 0) return rest;
  const wasLoud = owed?.quiet === false && count > 0;
  const isQuietHour = quietHours(inside.loaded)(person, clock.now()) !== undefined;
  const to = (fresh ?? things[0])?.to ?? "/";
  const quiet = isQuietHour || (fresh === undefined && !wasLoud);
  return { ...rest, owed: { count, to, quiet, attempts: 0, nextAt: owed?.nextAt ?? 0 } };
}

function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}

async function send(telling: Telling, device: Subscription, owed: Owed): Promise<void> {
  const { services, busy, knock, signal } = telling;
  const { id } = device;
  busy.add(id);
  try {
    await told(telling, device, owed);
  } catch (error) {
    if (!signal.aborted) services.app.log.warn("push.failed", { message: messageOf(error) });
  } finally {
    busy.delete(id);
  }
  knock();
}

async function told(telling: Telling, device: Subscription, owed: Owed): Promise<void> {
  const { services, store } = telling;
  const { log, clock } = services.app;
  const { id, endpoint } = device;
  const result = await deliver(services, await store.key(), device, owed);
  const service = new URL(endpoint).hostname;
  const attempts = owed.attempts + 1;
  if ("why" in result) log.warn("push.unsent", { service, why: result.why, attempts });
  if (result.outcome === "gone") {
    log.info("push.gone", { service });
    await store.remove((one) => one.id === id);
    return;
  }
  const backoffMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  const nextAt = clock.now() + (result.outcome === "later" ? Math.max(result.afterMs, backoffMs) : 0);
  const isOver = result.outcome !== "later" || attempts >= MAX_ATTEMPTS;
  await note(telling, id, ({ owed: now, ...rest }) => {
    const shown = result.outcome === "sent" ? owed.count : rest.shown;
    const isSame = now?.count === owed.count && now.to === owed.to && now.quiet === owed.quiet;
    // What is owed meanwhile is another thing: it waits as long as this one would.
    const next = isSame ? (isOver ? undefined : { ...now, attempts, nextAt }) : now && { ...now, nextAt };
    return { ...rest, shown, ...(next !== undefined && { owed: next }) };
  });
}

/** What became of it. It was sent: while the disk takes nothing that is tried again, not the sending. */
async function note({ services, store, signal }: Telling, id: string, change: Change): Promise<void> {
  const { log, clock } = services.app;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
    try {
      return await store.update(id, change);
    } catch (error) {
      log.warn("push.failed", { message: messageOf(error) });
      await clock.sleep(waitMs, signal);
    }
  }
}

type Change = Parameters<PushStore["update"]>[1];
