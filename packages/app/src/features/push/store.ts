/** Who is told what on which device: durable when a change resolves. */
import { changeDoc, keepAside, messageOf, parsedDoc } from "@margay/core/internal";
import type { z } from "zod";
import type { App } from "../../app.ts";
import type { Services } from "../../host/api/services.ts";
import { userOf } from "../../host/auth/identify.ts";
import { OWNER } from "../../host/people.ts";
import { newVapidKey, type VapidKey } from "./encrypt.ts";
import { PushState } from "./schema.ts";

type State = z.output<typeof PushState>;
export type Subscription = Readonly<State["subscriptions"][number]>;
export type Owed = NonNullable<Subscription["owed"]>;
/** What one person was told. */
export type Reader = State["readers"][string];

/** What a person was told, and their devices. */
export interface Told {
  readonly reader: Reader;
  readonly devices: readonly Subscription[];
}

export interface PushStore {
  /** Made at first use. */
  key(): Promise<VapidKey>;
  list(): readonly Subscription[];
  /** In place of one with its endpoint; of many of one person the oldest goes. */
  add(subscription: Subscription): Promise<void>;
  remove(gone: (subscription: Subscription) => boolean): Promise<void>;
  reader(person: string): Reader;
  /** What a person was told, and what is owed to their devices, in one writing. @param tell Undefined: nothing is different. */
  tell(person: string, tell: (told: Told) => Told | undefined): Promise<void>;
  /** Nothing when it is gone. */
  update(id: string, change: (subscription: Subscription) => Subscription): Promise<void>;
  watch(changed: () => void): () => void;
}

/** Devices of one person: more are forgotten ones. */
const MAX_OF_A_PERSON = 20;
const NAME = "push.json";
const NOBODY: Reader = { told: [], done: [] };

/** For `services.once`. What is damaged is moved aside: browsers subscribe anew when their page is opened. */
export function openPush({ loaded, log }: App): PushStore {
  const { docs } = loaded.places;
  const watchers = new Set<() => void>();
  /** What this start finds owed may have come before the last one ended: until something is written here, it makes no sound. */
  let isOurs = false;
  const heard = (found: ReturnType<typeof read>): State | undefined => {
    if (typeof found === "string") return undefined;
    return found === undefined || isOurs ? found : quieted(found);
  };
  const written = parsedDoc(docs, NAME, (body) => {
    const found = read(body);
    if (typeof found === "string") log.error("push.damaged", { message: found });
    return found;
  });
  const state = (): State | undefined => heard(written());
  /** @param make Undefined: nothing is different. */
  const change = async (make: (state: State | undefined) => State | undefined): Promise<void> => {
    await keepAside(docs, [NAME, `${NAME}.damaged`], (body) => typeof read(body) === "string");
    const isWritten = await changeDoc(docs, NAME, (body) => {
      const next = make(heard(read(body)));
      return next === undefined ? [body, false] : [`${JSON.stringify(next)}\n`, true];
    });
    if (!isWritten) return;
    isOurs = true;
    for (const changed of watchers) changed();
  };
  const list = (): readonly Subscription[] => state()?.subscriptions ?? [];
  return {
    key: async () => {
      if (state() === undefined) await change((now) => (now === undefined ? fresh() : undefined));
      return (state() ?? fresh()).key;
    },
    list,
    add: (subscription) =>
      change((now = fresh()) => {
        const others = now.subscriptions.filter(({ endpoint }) => endpoint !== subscription.endpoint);
        const oldest = others.filter(isOf(personOf(subscription))).toReversed()[MAX_OF_A_PERSON - 1];
        return { ...now, subscriptions: [...others.filter((one) => one !== oldest), subscription] };
      }),
    remove: (gone) =>
      change((now) => {
        const left = now?.subscriptions.filter((one) => !gone(one)) ?? [];
        if (now === undefined || left.length === now.subscriptions.length) return undefined;
        const readers = Object.entries(now.readers).filter(([person]) => left.some(isOf(person)));
        return { ...now, subscriptions: left, readers: Object.fromEntries(readers) };
      }),
    reader: (person) => state()?.readers[person] ?? NOBODY,
    tell: (person, tell) =>
      change((now = fresh()) => {
        const { readers, subscriptions } = now;
        const told = tell({ reader: readers[person] ?? NOBODY, devices: subscriptions.filter(isOf(person)) });
        if (told === undefined) return undefined;
        const devices = new Map(told.devices.map((one) => [one.id, one]));
        return {
          ...now,
          readers: { ...readers, [person]: told.reader },
          subscriptions: subscriptions.map((one) => devices.get(one.id) ?? one),
        };
      }),
    update: (id, make) =>
      change((now) =>
        now?.subscriptions.some((one) => one.id === id) === true
          ? { ...now, subscriptions: now.subscriptions.map((one) => (one.id === id ? make(one) : one)) }
          : undefined,
      ),
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

function fresh(): State {
  return { version: 1, key: newVapidKey(), readers: {}, subscriptions: [] };
}

export function personOf({ for: person = OWNER }: Pick<Subscription, "for">): string {
  return person;
}

export function isOf(person: string): (subscription: Subscription) => boolean {
  return (subscription) => personOf(subscription) === person;
}

/** Those whose browser is logged in no more go: logged out, closed by somebody, expired, of a person who is gone. */
export async function prune(services: Pick<Services, "app" | "auth">, store: PushStore): Promise<void> {
  if (store.list().length === 0) return;
  const { gateway, people } = services.app.inside.loaded().config;
  const open = new Set(services.auth.browsers().map(({ id }) => id));
  const isVouched = (login: string): boolean =>
    login.startsWith(PROXIED) && userOf(login.slice(PROXIED.length), gateway.proxyAuth) !== undefined;
  await store.remove(
    ({ login, for: person }) =>
      (!open.has(login) && !isVouched(login)) || (person !== undefined && !Object.hasOwn(people, person)),
  );
}

/** Logins that a proxy vouches for are known by their user. */
const PROXIED = "proxy:";

/** Nothing of it makes a sound a second time. */
function quieted({ subscriptions, ...rest }: State): State {
  const quiet = ({ owed, ...one }: Subscription): Subscription =>
    owed === undefined ? one : { ...one, owed: { ...owed, quiet: true, nextAt: 0 } };
  return { ...rest, subscriptions: subscriptions.map(quiet) };
}

/** @returns why it cannot be read. */
function read(body: string | undefined): State | string | undefined {
  try {
    return body === undefined ? undefined : PushState.parse(JSON.parse(body));
  } catch (error) {
    return messageOf(error);
  }
}
